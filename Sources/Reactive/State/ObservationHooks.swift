// What a source runs when somebody begins to observe it, and when nobody does any more.

import CReactive

/// The closures of a source. Guarded by the lock of the source's graph, but for the closures themselves.
final class ObservationHooks: ObservationReport {
    typealias Hook = @isolated(any) @Sendable () -> Void

    private let onObserved: Hook
    private let onUnobserved: Hook
    /// What was reported last.
    private var isObserved = false

    /// - Parameter followsOnlyObserved: Whether the source hears of changes only between the two hooks.
    init(_ onObserved: @escaping Hook, _ onUnobserved: @escaping Hook, followsOnlyObserved: Bool) {
        self.onObserved = onObserved
        self.onUnobserved = onUnobserved
        super.init(followsOnlyObserved: followsOnlyObserved)
    }

    override func note(_ isObserved: Bool) -> (() -> Void)? {
        guard isObserved != self.isObserved else { return nil }
        self.isObserved = isObserved
        let hook = isObserved ? onObserved : onUnobserved
        return { Isolation.run(hook) }
    }
}
