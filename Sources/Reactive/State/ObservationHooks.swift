// The closures that a source runs when its first observer arrives and after its last one has left.

import CReactive

/// The two closures of a source. The lock of the source's graph guards the object; the closures run outside the lock.
final class ObservationHooks: ObservationReport {
    typealias Hook = @isolated(any) @Sendable () -> Void

    private let onObserved: Hook
    private let onUnobserved: Hook
    /// The state that was reported last.
    private var isObserved = false

    /// - Parameter followsOnlyObserved: Whether the source receives changes only between the two hooks.
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
