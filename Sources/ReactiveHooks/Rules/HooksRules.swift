// The rules of hooks, and the reports of violations.

import Reactive

#if canImport(SwiftUI)
import SwiftUI
#endif

/// The rules of hooks: the same hooks in the same order in each render, called in a scope.
public enum HooksRules {
    /// A difference between the hooks of a render and those of the render before.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the difference.
        public enum Kind: Sendable, Hashable {
            /// A different hook was called at the position.
            case changed
            /// A hook of the previous render was not called.
            case missing
            /// A hook was called that the previous render did not call.
            case additional
        }

        /// The kind of the difference.
        public let kind: Kind
        /// The type of the hook that the previous render called there; `nil` if it called none.
        public let previous: String?
        /// The type of the hook that this render calls there; `nil` if it calls none.
        public let current: String?
        /// The first position at which the renders differ, counted from 0.
        public let index: Int

        /// A description of the difference, its consequence for the state, and the fix.
        public var description: String {
            """
            Hook \(index + 1) of a scope was \(previous ?? "no hook") in the previous render and is \
            \(current ?? "no hook") in this one. \(consequence) Call the same hooks in the same order in each render. \
            Put conditional hooks into a HookScope of their own.
            """
        }

        private var consequence: String {
            switch kind {
            case .changed: "This hook and all later ones lose their state."
            case .missing: "The hooks that were not called lose their state."
            case .additional: "The new hooks start with fresh state."
            }
        }
    }

    /// Receives every violation; `nil` for the default, an issue of `Diagnostics`.
    ///
    /// Called after the render, outside the library's lock, on the thread that rendered. May be set from any thread.
    public static var onViolation: ((Violation) -> Void)? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    private static let handler = Guarded<((Violation) -> Void)?>(nil)

    static func report(_ violation: Violation) {
        if let onViolation {
            onViolation(violation)
        } else {
            Hosting.report(
                .misuse, violation.description,
                site: "\(violation.previous ?? "") \(violation.current ?? "") \(violation.index)")
        }
    }

    /// Reports that a hook was called outside of a render.
    @usableFromInline
    static func reportOutside(_ name: String) {
        Hosting.report(
            .misuse,
            """
            \(name) is called outside a HookScope, so its state is lost after the call. Call it while a HookRenderer's \
            body, a HookScope or a HookView renders: not in an effect, a useMemo, a task or an event.
            """, site: name)
    }
}

// MARK: - Silence

private enum HooksRulesAssertionDisabledKey: EnvironmentKey {
    static var defaultValue: Bool { false }
}

extension EnvironmentValues {
    /// Whether reports of a changed order of hooks are silenced.
    public var hooksRulesAssertionDisabled: Bool {
        get { self[HooksRulesAssertionDisabledKey.self] }
        set { self[HooksRulesAssertionDisabledKey.self] = newValue }
    }
}
