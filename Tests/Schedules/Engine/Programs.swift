// The programs: what threads do with the library, and what must be true whatever the schedule.

import CExplorer
import Reactive

// MARK: - Effects

/// Two threads write what one effect depends on. Its runs do not overlap, and the last one gets the last value.
final class TwoWriters: Program {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    var delivered: [Int] = []
    var isRunning = false

    required init() {
        super.init()
        _ = tracked(
            reaction(isolation: nil, { [a, b] in a.value + b.value }) { [unowned self] sum in
                expect(!isRunning, "two runs of an effect overlap")
                isRunning = true
                pause()
                delivered.append(sum)
                isRunning = false
            })
    }

    override func run(_ thread: Int) {
        if thread == 0 { a.value = 1 } else { b.value = 1 }
    }

    override func check() {
        expect(delivered.last == 2, "the effect does not get the last value")
        expect(delivered == [2] || delivered == [1, 2], "the effect gets a value that there was not")
    }
}

/// A computed and an autorun see both halves of a transaction or none, and never an outdated computed.
final class NoGlitches: Program {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    let c = tracked(Observable(0))
    var seen: [[Int]] = []

    required init() {
        super.init()
        let sum = tracked(Computed(isolation: nil) { [a, b, c] in a.value + b.value + c.value })
        _ = tracked(
            autorun(isolation: nil) { [unowned self] in
                let values = [a.value, b.value, c.value]
                expect(values[0] == values[1], "an autorun sees half of a transaction")
                expect(sum.value == values[0] + values[1] + values[2], "a computed is outdated")
                seen.append(values)
            })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            graph.run {
                inTransaction {
                    a.value = 1
                    b.value = 1
                }
            }
        } else {
            c.value = 1
        }
    }

    override func check() {
        expect(seen.last == [1, 1, 1], "the autorun does not see the last values")
        expect(seen.count == 3, "the autorun does not run once for each change")
    }
}

// MARK: - Due work of several threads

/// One thread is in an effect, with reactions queued behind it. Another one writes what they read: when its write
/// returns, they have run.
class TakingOver: Program {
    let a = tracked(Observable(0))
    let x = tracked(Observable(0))
    let b = tracked(Observable(0))
    let y = tracked(Observable(0))
    var seen = [0, 0]
    var derived = 0
    var runs = 0

    required init() {
        super.init()
        _ = tracked(reaction(isolation: nil, { [a] in a.value }) { _ in pause(2) })
        _ = tracked(reaction(isolation: nil, { [y] in y.value }) { _ in pause(2) })
        _ = tracked(
            autorun(isolation: nil) { [unowned self] in
                seen = [x.value, b.value]
                runs += 1
            })
        let sum = tracked(Computed(isolation: nil) { [x, b] in x.value + b.value })
        _ = tracked(autorun(isolation: nil) { [unowned self] in derived = sum.value })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            graph.run {
                inTransaction {
                    a.value = 1
                    x.value = 1
                }
            }
        } else {
            writeOther()
        }
    }

    func writeOther() {
        b.value = 2
        expect(seen[1] == 2, "a write returns before an autorun has run")
        expect(derived >= 2, "a write returns before an autorun behind a computed has run")
    }

    override func check() {
        expect(seen == [1, 2], "an autorun does not see the last values")
        expect(derived == 3, "an autorun behind a computed does not see the last value")
    }
}

/// As above, but the other thread's write is rolled back, and it is busy in an effect then: the reactions are handed
/// back, and run once.
final class HandingBack: TakingOver {
    struct Undone: Error {}

    override func run(_ thread: Int) {
        super.run(thread)
        if thread == 0 { expect(seen[0] == 1 && derived == 1, "a write returns before an autorun has run") }
    }

    override func writeOther() {
        graph.run {
            inTransaction {
                y.value = 1
                try? inTransaction {
                    b.value = 2
                    throw Undone()
                }
            }
        }
    }

    override func check() {
        expect(seen == [1, 0] && derived == 1, "an autorun does not see the last values")
        expect(runs == 2, "an autorun runs for a change that has been undone")
    }
}

/// The effect of an older reaction makes older and newer reactions due, while another thread writes what they read.
final class OrderOfRuns: Program {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    let c = tracked(Observable(0))
    var seen = [0, 0, 0]

    required init() {
        super.init()
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen[0] = c.value })
        _ = tracked(
            reaction(isolation: nil, { [a] in a.value }) { [b, c] in
                b.value = $0
                pause()
                c.value = $0
            })
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen[1] = b.value })
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen[2] = b.value + c.value })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            a.value = 1
            expect(seen[1] >= 1, "a write returns before its consequences")
        } else {
            b.value = 5
        }
    }

    override func check() {
        expect(seen == [c.value, b.value, b.value + c.value], "an autorun does not see the last values")
    }
}

// MARK: - Ends

/// One thread writes, another one cancels. Afterwards no effect begins, except one that the writing thread was about to
/// call, and each run's cleanup has been called.
final class Cancelling: Program {
    let a = tracked(Observable(0))
    var runs = 0
    var cleanups = 0
    var isCancelled = false
    var lateRuns = 0
    weak var cancelled: Reaction?

    required init() {
        super.init()
        cancelled = tracked(
            reaction(isolation: nil, { [a] in a.value }) { [unowned self] _ in
                if isCancelled { lateRuns += 1 }
                expect(lateRuns <= 1, "effects begin after their reaction was cancelled")
                runs += 1
                onCleanup { [unowned self] in cleanups += 1 }
                pause()
            })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            a.value = 1
            a.value = 2
        } else {
            cancelled?.cancel()
            isCancelled = true
        }
    }

    override func check() {
        expect(cleanups == runs, "a cleanup is not called exactly once")
    }
}

/// A condition becomes true while a thread begins to wait for it.
final class Waiting: Program {
    let a = tracked(Observable(0))
    var fired = 0

    override func run(_ thread: Int) {
        if thread == 0 {
            graph.run {
                _ = tracked(when(isolation: nil, { [a] in a.value > 0 }, effect: { [unowned self] in fired += 1 }))
            }
        } else {
            a.value = 1
        }
    }

    override func check() {
        expect(fired == 1, "the effect of `when` does not run exactly once")
    }
}

/// An effect owns an autorun, which a different thread's writes concern.
final class Owning: Program {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    var live = 0
    var seen = 0

    required init() {
        super.init()
        _ = tracked(
            reaction(isolation: nil, { [a] in a.value }) { [unowned self] _ in
                onCleanup { [unowned self] in live -= 1 }
                live += 1
                _ = tracked(autorun(isolation: nil) { [unowned self] in seen = b.value })
            })
        a.value = 1
    }

    override func run(_ thread: Int) {
        if thread == 0 { a.value = 2 } else { b.value = 1 }
    }

    override func check() {
        expect(live == 1, "an earlier run's items do not end once")
        expect(seen == 1, "an owned autorun does not see the last value")
    }
}

// MARK: - Schedules

/// Two threads write a value each, and further threads run the jobs that follow.
class WritersAndJobs: Program, @unchecked Sendable {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    let queue: Queue

    /// How many must close the queue before it ends: the two threads, and a task if there is one.
    class var queueWriters: Int { 2 }

    required init() {
        queue = Queue(writers: Self.queueWriters)
        super.init()
    }

    override func run(_ thread: Int) {
        switch thread {
        case 0: a.value = 1
        case 1: b.value = 1
        default: return queue.run()
        }
        queue.close()
    }
}

/// A third thread runs what a schedule has put off.
final class Scheduling: WritersAndJobs, @unchecked Sendable {
    var seen = [0, 0]

    required init() {
        super.init()
        let schedule = Schedule.custom(isolation: nil) { [queue] run in queue.append(run) }
        _ = tracked(
            autorun(schedule: schedule, isolation: nil) { [unowned self] in seen = [a.value, b.value] })
    }

    override func check() {
        expect(seen == [1, 1], "the autorun does not see the last values")
    }
}

/// An autorun that belongs to an actor. Writes on other threads make it hop there; jobs run on further threads.
class Hopping: WritersAndJobs, @unchecked Sendable {
    fileprivate var seen = [0, 0]
    private let home = tracked(Home())

    fileprivate actor Home {
        func start(_ program: Hopping) {
            graph.run {
                _ = tracked(
                    autorun { [unowned program] in
                        self.preconditionIsolated("an autorun runs outside its actor")
                        program.seen = [program.a.value, program.b.value]
                    })
            }
        }
    }

    required init() {
        super.init()
        queue.receiveJobs()
        Task { [home] in await home.start(self) }
        queue.runAll()
    }

    override func check() {
        expect(seen == [1, 1], "the autorun does not see the last values")
    }
}

// MARK: - Asynchronous waits

/// A task iterates over values that two threads write, until the last one.
final class Values: WritersAndJobs, @unchecked Sendable {
    override class var queueWriters: Int { 3 }
    var received: [Int] = []

    required init() {
        super.init()
        queue.receiveJobs()
        let sums = graph.run { [a, b] in values(isolation: nil, of: { a.value + b.value }) }
        Task { [unowned self] in
            for await sum in sums {
                received.append(sum)
                if sum == 2 { break }
            }
            queue.close()
        }
    }

    override func check() {
        expect(received == received.sorted() && received.last == 2, "a task does not receive the values in order")
    }
}

/// A task waits for a condition, which two threads make true.
///
/// (No thread cancels the task: the runtime holds a lock of its own meanwhile, which the explorer does not know.)
final class WaitingTask: WritersAndJobs, @unchecked Sendable {
    override class var queueWriters: Int { 3 }
    var outcomes = 0

    required init() {
        super.init()
        queue.receiveJobs()
        Task { [unowned self] in
            try? await graph.when(isolation: nil) { [a, b] in a.value + b.value == 2 }
            outcomes += 1
            queue.close()
        }
    }

    override func check() {
        expect(outcomes == 1, "a waiting task does not end once")
    }
}

// MARK: - Reads outside

/// Reads without the lock beside transactions: they see no half of one, and never an earlier state than before.
final class OutsideReads: Program {
    let a = tracked(Observable(0))
    let b = tracked(Observable(0))
    let sum: Computed<Int>

    required init() {
        sum = tracked(Computed(isolation: nil) { [a, b] in a.value + b.value })
        super.init()
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            graph.run {
                inTransaction {
                    a.value = 1
                    b.value = 1
                }
                try? inTransaction {
                    a.value = 7
                    throw HandingBack.Undone()
                }
            }
        } else {
            let first = a.value
            let second = b.value
            let third = sum.value
            expect(first == 0 || first == 1, "a read outside sees a value that has been rolled back")
            expect(second >= first && third >= 2 * second, "a read outside goes back in time")
            expect(third == 0 || third == 2, "a computed that is read outside sees half of a transaction")
        }
    }
}

/// The same with a computed that an autorun keeps current.
final class OutsideReadsOfLive: Program {
    let a = tracked(Observable(0))
    let double: Computed<Int>
    var seen = 0

    required init() {
        double = tracked(Computed(isolation: nil) { [a] in a.value * 2 })
        super.init()
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen = double.value })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            a.value = 1
            expect(double.value == 2, "a thread does not read its own write")
        } else {
            let first = double.value
            let second = a.value
            expect(first == 0 || first == 2, "a read outside sees a wrong value")
            expect(second * 2 >= first, "a read outside goes back in time")
        }
    }

    override func check() {
        expect(seen == 2, "the autorun does not see the last value")
    }
}

// MARK: - Two graphs

/// The effects of one graph write to another one.
final class TwoGraphs: Program {
    let a = tracked(Observable(0))
    let copy: Observable<Int>
    var seen = 0

    required init() {
        copy = otherGraph.run { tracked(Observable(0)) }
        super.init()
        _ = tracked(reaction(isolation: nil, { [a] in a.value }) { [copy] in copy.value = $0 })
        otherGraph.run { _ = tracked(autorun(isolation: nil) { [unowned self] in seen = copy.value }) }
    }

    override func run(_ thread: Int) { a.value = thread + 1 }

    override func check() {
        expect(seen == a.value, "the copy in the other graph is not the last value")
    }
}

// MARK: - Recordings

/// One thread begins and ends a recording, which holds all graphs, beside a thread that writes.
final class Recording: Program {
    let a = tracked(Observable(0))
    var seen = 0

    required init() {
        super.init()
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen = a.value })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            let recording = Diagnostics.record()
            recording.stop()
            let events = recording.events
            expect(events.count <= 6, "a recording has events that did not happen")
        } else {
            a.value = 1
            a.value = 2
        }
    }

    override func check() {
        expect(seen == 2, "the autorun does not see the last value")
    }
}

// MARK: - Three threads

/// Three threads write, one of them in a transaction, what effects and autoruns read.
final class ThreeWriters: Program {
    let values = (0..<3).map { _ in tracked(Observable(0)) }
    var delivered = 0
    var seen = [0, 0, 0]
    var isRunning = false

    required init() {
        super.init()
        let sum = tracked(Computed(isolation: nil) { [values] in values.reduce(0) { $0 + $1.value } })
        _ = tracked(
            reaction(isolation: nil, { sum.value }) { [unowned self] in
                expect(!isRunning, "two runs of an effect overlap")
                isRunning = true
                pause()
                delivered = $0
                isRunning = false
            })
        _ = tracked(autorun(isolation: nil) { [unowned self] in seen = values.map(\.value) })
    }

    override func run(_ thread: Int) {
        if thread == 0 {
            graph.run {
                inTransaction {
                    values[0].value = 1
                    values[1].value = 1
                }
            }
        } else {
            values[thread].value += 1
        }
        expect(seen[thread] >= 1, "a write returns before an autorun has run")
    }

    override func check() {
        expect(seen == values.map(\.value), "the autorun does not see the last values")
        expect(delivered == seen.reduce(0, +), "the effect does not get the last value")
    }
}
