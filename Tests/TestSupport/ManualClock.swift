// A clock that advances only when a test advances it, and on which a test can wait for sleepers.

import Foundation

package final class ManualClock: Clock, @unchecked Sendable {
    // Sendable because `state` is touched under the lock only.

    /// A point in time, as the duration since the clock was created.
    package struct Instant: InstantProtocol {
        package var offset: Duration = .zero

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var tickets = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Removes and returns the waiters for the present number of sleepers.
        mutating func satisfiedObservers() -> [CheckedContinuation<Void, Never>] {
            let count = sleepers.count
            defer { observers.removeAll { $0.count == count } }
            return observers.filter { $0.count == count }.map(\.continuation)
        }
    }

    private let lock = NSLock()
    private var state = State()

    package init() {}

    package var now: Instant { lock.withLock { state.now } }
    package var sleeperCount: Int { lock.withLock { state.sleepers.count } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let ticket = lock.withLock {
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, observers) = lock.withLock {
                    () -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(ticket) != nil { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers[ticket] = Sleeper(deadline: deadline, continuation: continuation)
                    return (nil, state.satisfiedObservers())
                }
                if let result { continuation.resume(with: result) }
                observers.forEach { $0.resume() }
            }
        } onCancel: {
            let (sleeper, observers) = lock.withLock {
                let sleeper = state.sleepers.removeValue(forKey: ticket)
                if sleeper == nil { state.cancelled.insert(ticket) }
                return (sleeper, sleeper == nil ? [] : state.satisfiedObservers())
            }
            sleeper?.continuation.resume(throwing: CancellationError())
            observers.forEach { $0.resume() }
        }
    }

    /// Returns once exactly `count` tasks sleep on this clock.
    package func hasSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isSo = lock.withLock {
                if state.sleepers.count != count { state.observers.append((count, continuation)) }
                return state.sleepers.count == count
            }
            if isSo { continuation.resume() }
        }
    }

    /// Advances the time, and resumes the tasks that have slept long enough.
    package func advance(by duration: Duration) {
        let woken = lock.withLock {
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            woken.keys.forEach { state.sleepers[$0] = nil }
            return woken.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
