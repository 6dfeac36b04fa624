// A clock that stands still until a test moves it on.

import Foundation

final class ManualClock: Clock, @unchecked Sendable {
    // Sendable because the state is touched under the lock only.

    /// A point in time, as the duration since the clock was made.
    struct Instant: InstantProtocol {
        var offset: Duration = .zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let lock = NSLock()
    private var time = Instant()
    private var sleepers: [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = []

    var now: Instant { lock.withLock { time } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            let isOver = lock.withLock {
                if deadline > time { sleepers.append((deadline, continuation)) }
                return deadline <= time
            }
            if isOver { continuation.resume() }
        }
    }

    /// Moves the time on and wakes who has slept long enough.
    func advance(by duration: Duration) {
        let woken = lock.withLock {
            time = time.advanced(by: duration)
            let woken = sleepers.filter { $0.deadline <= time }
            sleepers.removeAll { $0.deadline <= time }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
