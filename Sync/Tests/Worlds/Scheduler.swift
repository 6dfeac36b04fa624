// The threads, tasks and timers of a world. The seed decides what runs next.
//
// All blocks of dispatch queues and all jobs of tasks and actors arrive here (WorldSystem). They run on one thread, each
// to its end or to its next suspension. So a seed determines their order, and a world explores orders, but not the
// instructions of two threads in between: the tests of the lock do that.

#if DEBUG
import Foundation
import SyncTestSupport
import WorldSystem

/// The work and the time of one world.
final class Scheduler: @unchecked Sendable {
    // Sendable because a world has one thread.

    /// A block of a queue, or a job.
    struct Work {
        let queue: UnsafeMutableRawPointer?
        /// Whether the queue runs one block at a time, in their order.
        let isSerial: Bool
        let context: UnsafeMutableRawPointer?
        let run: @convention(c) (UnsafeMutableRawPointer?) -> Void
    }

    private struct Timer {
        let number: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private var ready: [Work] = []
    private var timers: [Timer] = []
    private var timerCount = 0
    /// The timers that were cancelled before they slept.
    private var cancelled: Set<Int> = []
    /// The time since the world began.
    private(set) var now = Duration.zero
    /// The number of pieces of work that have run.
    private(set) var runCount = 0

    func add(_ work: Work) { ready.append(work) }

    /// Runs one piece of work. Returns whether there was one.
    func runOne(_ random: Chance) -> Bool {
        guard !ready.isEmpty else { return false }
        var index = random.below(ready.count)
        let queue = ready[index].queue
        if ready[index].isSerial, let first = ready.firstIndex(where: { $0.queue == queue }) { index = first }
        let work = ready.remove(at: index)
        runCount += 1
        work.run(work.context)
        return true
    }

    /// Advances the time to the first timer, and resumes what sleeps until then. Returns whether there was a timer.
    func advance() -> Bool {
        guard let first = timers.min(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) else { return false }
        timers.removeAll { $0.number == first.number }
        now = max(now, first.deadline)
        first.continuation.resume()
        return true
    }

    /// Advances the time, and resumes all that sleeps until then.
    func advance(by duration: Duration) {
        let end = now + duration
        while let first = timers.map(\.deadline).min(), first <= end { _ = advance() }
        now = end
    }

    func sleep(until deadline: Duration) async throws {
        timerCount += 1
        let number = timerCount
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if cancelled.remove(number) != nil || Task.isCancelled {
                    return continuation.resume(throwing: CancellationError())
                }
                if deadline <= now { return continuation.resume() }
                timers.append(Timer(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            if let index = timers.firstIndex(where: { $0.number == number }) {
                timers.remove(at: index).continuation.resume(throwing: CancellationError())
            } else {
                cancelled.insert(number)
            }
        }
    }
}

/// The clock of a world.
struct WorldClock: Clock, @unchecked Sendable {
    // Sendable because a world has one thread.

    /// A point in time, as the duration since the world began.
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    let scheduler: Scheduler

    var now: Instant { Instant(offset: scheduler.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await scheduler.sleep(until: deadline.offset)
    }
}
#endif
