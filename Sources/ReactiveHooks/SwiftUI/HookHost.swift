// A runtime whose host is a SwiftUI view: SwiftUI evaluates the body, and is notified when to evaluate it again.

#if canImport(SwiftUI)
import Reactive
import SwiftUI

/// Keeps the hooks of one view.
///
/// A body that SwiftUI evaluates is a render. Its effects run as the next job of the main actor, after SwiftUI has
/// received the body. If SwiftUI evaluates the body again before that, they run once, for the newest body. Nothing is
/// published inside an update, and the hooks of a removed view end after the update.
@MainActor
final class HookHost: ObservableObject {
    private let tree = HookTree(named: "HookScope", isolation: MainActor.shared)
    private lazy var changes = ViewChanges(of: "HookScope") { [weak self] in self?.objectWillChange.send() }
    private var latest: Any?
    /// Whether the effects of the last body wait for the next job.
    private var areEffectsDue = false
    /// Distinguishes the ids of `useId` in this view from those in others.
    private let number = HookHost.nextNumber()

    private static var count = 0

    private static func nextNumber() -> Int {
        count += 1
        return count
    }

    init() {
        tree.onInvalidation = { [weak self] in
            MainActor.assumeIsolated { self?.changes.add() }
        }
    }

    deinit { ViewChanges.afterUpdate { [tree] in tree.unmount() } }

    /// Renders the body of the view.
    func render<Content>(in environment: EnvironmentValues, _ content: @MainActor () -> Content) -> Content {
        guard tree.begin() else {
            // An effect made SwiftUI update the view. The view shows the previous output, and is updated again when the
            // effect has ended.
            return latest as? Content ?? content()
        }
        var environment = environment
        environment.idPrefix += "\(number)"
        var output: Content?
        changes.body {
            tree.render(isForced: true, in: { environment }) { output = content() }
            tree.endPass()
        }
        latest = output
        // Changes made in this turn are reported to SwiftUI together with those of the effects.
        _ = endTurn()
        if !areEffectsDue {
            areEffectsDue = true
            Task { runEffects() }
        }
        return output.unsafelyUnwrapped
    }

    private func runEffects() {
        areEffectsDue = false
        guard tree.beginIfIdle() else { return }
        tree.commit()
        if endTurn() { changes.add() }
    }

    /// Returns whether another render is due.
    private func endTurn() -> Bool {
        switch tree.end(limit: HookScheduler.immediate.turnLimit) {
        case .rest: return false
        case .again: return true
        case .loop:
            tree.reportLoop(HookScheduler.immediate.turnLimit)
            return false
        }
    }
}
#endif
