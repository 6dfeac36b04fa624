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
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var sleepCount = 0
        var awaitingSleeper: CheckedContinuation<Void, Never>?
    }

    private let lock = NSLock()
    private var state = State()

    package init() {}

    package var now: Instant { lock.withLock { state.now } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = lock.withLock {
            state.sleepCount += 1
            return state.sleepCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = lock.withLock {
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard deadline > state.now else { return .success(()) }
                    state.sleepers[number] = (deadline, continuation)
                    state.awaitingSleeper?.resume()
                    state.awaitingSleeper = nil
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = lock.withLock { state.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
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
            defer { state.sleepers = state.sleepers.filter { $0.value.deadline > now } }
            return state.sleepers.filter { $0.value.deadline <= now }
        }
        let inOrder = woken.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for sleeper in inOrder { sleeper.value.continuation.resume() }
    }
}
