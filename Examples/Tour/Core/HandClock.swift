// A clock that is advanced by hand, so that samples about time print the same on every machine.

import Foundation

/// A clock that is advanced by hand.
package final class HandClock: Clock, @unchecked Sendable {
    // `Sendable` because `lock` guards `state`.

    /// A point in time, as the duration since the clock was created.
    package struct Instant: InstantProtocol {
        var offset: Duration = .zero
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = []
        var awaitingSleeper: CheckedContinuation<Void, Never>?
    }

    private let lock = NSLock()
    private var state = State()

    package init() {}

    package var now: Instant { lock.withLock { state.now } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            let isOver = lock.withLock {
                guard deadline > state.now else { return true }
                state.sleepers.append((deadline, continuation))
                state.awaitingSleeper?.resume()
                state.awaitingSleeper = nil
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Waits until a task sleeps, then advances the time and wakes all tasks whose deadline has passed.
    package func advance(by duration: Duration) async {
        await withCheckedContinuation { continuation in
            let someoneSleeps = lock.withLock {
                if state.sleepers.isEmpty { state.awaitingSleeper = continuation }
                return !state.sleepers.isEmpty
            }
            if someoneSleeps { continuation.resume() }
        }
        let woken = lock.withLock {
            state.now = state.now.advanced(by: duration)
            let now = state.now
            defer { state.sleepers.removeAll { $0.deadline <= now } }
            return state.sleepers.filter { $0.deadline <= now }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
