// A clock that is advanced by hand, so that samples about time print the same on every machine. The page *Testing* has
// the same code, without `package`.

import Foundation

/// A clock that is advanced by hand.
package final class HandClock: Clock, @unchecked Sendable {
    // `Sendable` because `lock` guards the variables.

    /// A point in time, as the duration since the clock was created.
    package struct Instant: InstantProtocol {
        var offset: Duration = .zero
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let lock = NSLock()
    private var time = Instant()
    private var sleepers: [Int: (deadline: Instant, sleep: AsyncStream<Never>.Continuation)] = [:]
    private var sleepCount = 0

    package init() {}

    package var now: Instant { lock.withLock { time } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (wait, sleep) = AsyncStream.makeStream(of: Never.self)
        lock.withLock {
            guard deadline > time else { return sleep.finish() }
            sleepCount += 1
            let number = sleepCount
            sleepers[number] = (deadline, sleep)
            sleep.onTermination = { [self] _ in lock.withLock { sleepers[number] = nil } }
        }
        for await _ in wait {}
        try Task.checkCancellation()
    }

    /// Waits until so many tasks sleep, then advances the time and wakes the tasks whose time has come.
    package func advance(by duration: Duration, whenSleeping count: Int = 1) async {
        while lock.withLock({ sleepers.count < count }), !Task.isCancelled { await Task.yield() }
        let due = lock.withLock {
            time = time.advanced(by: duration)
            return sleepers.filter { $0.value.deadline <= time }
        }
        let inOrder = due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for sleeper in inOrder { sleeper.value.sleep.finish() }
    }
}
