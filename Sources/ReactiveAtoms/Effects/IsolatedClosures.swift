// Closures that need not run where they are called: they run on the actor that they were created on.
//
// `onSet` and clean-ups run outside the lock and return nothing, so they can hop. A closure that must return a value
// stops the program instead; see NodeClosure.swift.

import Reactive

/// Calls closures of one actor on that actor, in order: immediately if the caller runs on it, otherwise after a hop.
///
/// After the actor has been released, nothing is called.
final class IsolatedCalls: @unchecked Sendable {
    // Sendable because the closures run on their actor alone.
    private let isolation: ClosureIsolation
    private let waiting = Guarded<[() -> Void]>([])

    init(on isolation: ClosureIsolation) { self.isolation = isolation }

    func call(_ body: @escaping () -> Void) {
        guard let actor = isolation.actor else { return }
        waiting.withLock { $0.append(body) }
        if Isolation.isCurrent(actor) { callAll() } else { Isolation.hop(to: actor) { self.callAll() } }
    }

    /// One at a time: a closure may cause the next call, which follows the waiting ones.
    private func callAll() {
        while let next = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { next() }
    }
}

/// Clean-ups that run once, one after the other, each on the actor that it was created on.
///
/// Those up to the first that belongs elsewhere run before `run` returns. If the actor of a clean-up has been released,
/// the clean-up runs where the previous one ran: no other code of that actor can be running.
final class CleanUps: @unchecked Sendable {
    // Sendable because one thread at a time takes the next clean-up, which runs on its actor.
    private var rest: ArraySlice<CleanUp>

    init(_ cleanUps: [CleanUp]) { rest = cleanUps[...] }

    func run() {
        while let next = rest.first {
            if let actor = next.isolation?.actor, !Isolation.isCurrent(actor) {
                return Isolation.hop(to: actor) { self.run() }
            }
            rest.removeFirst()
            next.body()
        }
    }
}

/// A clean-up and the actor that it belongs to.
struct CleanUp {
    let isolation: ClosureIsolation?
    let body: () -> Void

    init(on isolation: ClosureIsolation? = nil, _ body: @escaping () -> Void) {
        self.isolation = isolation
        self.body = body
    }
}
