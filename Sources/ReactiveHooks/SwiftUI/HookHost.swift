// A runtime whose host is a SwiftUI view: SwiftUI asks for the body, and is told when to ask again.

#if canImport(SwiftUI)
import SwiftUI

/// Keeps the hooks of one view.
///
/// A body that SwiftUI asks for is a render. Its effects run as the next thing on the main actor, when SwiftUI has taken the body, and at
/// the latest before the next render. What changes meanwhile is told to SwiftUI then, because it must not be told inside an update.
@MainActor
final class HookHost: ObservableObject {
    private let tree = HookTree(named: "HookScope", isolation: MainActor.shared)
    private var latest: Any?

    init() {
        tree.onInvalidation = { [weak self] in
            MainActor.assumeIsolated { self?.objectWillChange.send() }
        }
    }

    deinit { tree.unmount() }

    /// Renders the body of the view.
    func render<Content>(in environment: EnvironmentValues, _ content: @escaping () -> Content) -> Content {
        guard tree.begin() else {
            // An effect has SwiftUI update the view. It is shown as it was, and once more when the effect is over.
            return latest as? Content ?? content()
        }
        tree.commit()
        let output = tree.render(in: { environment }, content)
        latest = output
        tree.reportViolations()
        // A change that it made itself is told to SwiftUI together with those of the effects.
        _ = endTurn()
        Task { runEffects() }
        return output
    }

    private func runEffects() {
        guard tree.beginIfIdle() else { return }
        tree.commit()
        if endTurn() { objectWillChange.send() }
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
