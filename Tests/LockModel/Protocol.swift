// The lock of a graph, operation by operation as in CReactive.h, Lock.c, Bias.c and Graphs.c. Change both together.
// (Tests/Schedules explores those sources themselves, with stores that arrive late as the only effect of weak memory.)
//
// Left out: spinning (a thread that finds the lock held registers and sleeps immediately), the statistics that decide
// on the bias (the *regular* thread gets it as soon as it has taken the lock out of line), and other graphs.

/// Parts that can be left out of the protocol, to check that the model notices.
enum Mutation: String, CaseIterable {
    /// Withdrawing a bias without making the other threads pass a barrier.
    case noBarrierAtWithdrawal
    /// Taking the lock by plain stores without announcing it before.
    case noPresence
    /// Taking the lock by plain stores without a second check that this is still allowed.
    case noRecheck
    /// Withdrawing the bias without a check whether its thread is inside.
    case noLookAtPresence
    /// Going to sleep without making the other threads pass a barrier.
    case noBarrierBeforeSleep
    /// Keeping the mark that a thread is being woken although none was.
    case markStays
    /// Stopping the search once the mark has been removed.
    case noLookAfterMark
    /// Taking the lock without the fence that shows the lock to optimistic readers before the written values.
    case noFenceAfterLocking
    /// Ending an optimistic read without the fence before the second load of the word.
    case noFenceBeforeValidation
    /// Following a pointer in an optimistic read before it is validated.
    case followsBeforeValidation
    /// Ending the use of barriers without making releases of the lock go out of line.
    case noBitWhenBarriersEnd
    /// Ending the use of barriers without waiting for calls in progress.
    case noWaitForBarrierCalls
}

struct Scenario {
    var name: String
    /// The number of times that each thread takes the lock.
    var rounds: [Int]
    /// The thread that gets the bias whenever it has taken the lock out of line.
    var regular: Int?
    /// The number of reads of a last thread that reads without the lock.
    var optimisticReads = 0
    /// The first thread begins inside the lock, and the others have already found that out.
    var beginsInside = false
    /// The graph is biased to the regular thread from the beginning.
    var beginsBiased = false
    /// Barriers are no longer used.
    var beginsWithoutBarriers = false
    /// A last thread that ends the use of barriers.
    var endsBarriers = false
    /// Whether memory is strong; see `Explorer`.
    var isStrong = false
    var mutation: Mutation?
}

private let held = 1
private let biased = 2
private let outOfLine = 4
private let version = 8

extension Location {
    fileprivate static let lock = Location(0, "lock")
    fileprivate static let biasedTo = Location(1, "biasedTo")
    fileprivate static let presence = Location(2, "presence")
    fileprivate static let waiters = Location(3, "waiters")
    fileprivate static let count = Location(4, "count")
    /// A computed's flags, its pointer (0 or 1) and the two halves of the value behind the pointer.
    fileprivate static let hasValue = Location(5, "hasValue")
    fileprivate static let pointer = Location(6, "pointer")
    fileprivate static let first = Location(7, "first")
    fileprivate static let second = Location(8, "second")
    fileprivate static let hasBarriers = Location(9, "hasBarriers")
    fileprivate static let barrierCalls = Location(10, "barrierCalls")
    fileprivate static let isSandboxed = Location(11, "isSandboxed")
}

private let locationCount = 12

private enum Label: UInt8 {
    case lock, slow, awaitEndOfBias, take, inside, unlock, wake, read, endBarriers, endBarriersCalls
}

extension Point {
    fileprivate func at(_ label: Label, word: Int = 0) -> Point {
        Point(label: label.rawValue, round: round, isWaiter: isWaiter, word: word)
    }
}

extension Scenario: Programs {
    private func lacks(_ part: Mutation) -> Bool { mutation == part }

    var initialValues: [Int] {
        var values = [Int](repeating: 0, count: locationCount)
        values[Location.lock.index] = beginsInside ? version | held : version
        if beginsBiased {
            values[Location.lock.index] |= biased
            values[Location.biasedTo.index] = 1
        }
        values[Location.hasBarriers.index] = beginsWithoutBarriers ? 0 : 1
        if beginsWithoutBarriers, !lacks(.noBitWhenBarriersEnd) { values[Location.lock.index] |= outOfLine }
        return values
    }

    func flaw(in values: [Int]) -> String? {
        values[Location.count.index] == rounds.reduce(0, +) ? nil : "a change was lost"
    }

    func explore() -> Exploration {
        let threadCount = rounds.count + (optimisticReads > 0 ? 1 : 0) + (endsBarriers ? 1 : 0)
        let labels = (0..<threadCount).map { thread in
            !beginsInside || thread >= rounds.count ? Label.lock : thread == 0 ? .inside : .slow
        }
        return Explorer(programs: self, isStrong: isStrong).explore(from: labels.map { Point(label: $0.rawValue) })
    }

    func advance(_ run: inout Run, from point: Point) throws(Operation) -> Point? {
        if run.thread < rounds.count { return try lockRepeatedly(&run, point, rounds: rounds[run.thread]) }
        if endsBarriers { return try avoidBarriers(&run, point) }
        if point.round == optimisticReads { return nil }
        try readOptimistically(&run)
        return Point(label: Label.lock.rawValue, round: point.round + 1)
    }

    // MARK: - A thread that takes the lock repeatedly

    private func lockRepeatedly(_ run: inout Run, _ point: Point, rounds: Int) throws(Operation) -> Point? {
        switch Label(rawValue: point.label)! {
        case .lock:
            if point.round == rounds { return nil }
            if try lockIfBiased(&run) { return point.at(.inside) }
            let word = try run.load(.lock, .relaxed)
            // The regular thread's locks are samples: they go out of line.
            guard word & 7 == 0, run.thread != regular, try run.exchange(.lock, word, word | held, .acquire) else {
                return point.at(.slow)
            }
            if !lacks(.noFenceAfterLocking) { try run.fence(.release) }
            return point.at(.inside)

        case .slow:
            let word = try run.load(.lock, .sequential)
            if word & biased != 0 { try callBiasOff(&run) }
            if word & held == 0 { return try beginToTake(&run, point, word) }
            var point = point
            if !point.isWaiter { try run.update(.waiters) { $0 + 2 } }
            point.isWaiter = true
            if word & outOfLine == 0, !lacks(.noBarrierBeforeSleep) { try passBarrier(&run) }
            let now = try run.load(.lock, .sequential)
            if now & held != 0 {
                try run.perform(.sleep(.lock, now))
                try run.update(.waiters) { $0 & ~1 }
            }
            return point.at(.slow)

        case .awaitEndOfBias:
            return try awaitEndOfBias(&run, point)

        case .take:
            guard try take(&run, point.word) else { return point.at(.slow) }
            if run.thread == regular, point.word & outOfLine == 0, try run.load(.waiters, .relaxed) == 0 {
                try run.store(.biasedTo, 1, .relaxed)
                try run.store(.lock, try run.load(.lock, .relaxed) | biased, .release)
            }
            if point.isWaiter {
                try run.update(.waiters) { $0 - 2 }
                try run.update(.waiters) { $0 & ~1 }
            }
            var point = point
            point.isWaiter = false
            return point.at(.inside)

        case .inside:
            let count = try run.perform(.guardedLoad(.count))
            if optimisticReads > 0 {
                try run.store(.first, count + 1, .relaxed)
                try run.store(.second, count + 1, .relaxed)
                try run.store(.pointer, 1, .relaxed)
                try run.store(.hasValue, 1, .relaxed)
            }
            try run.perform(.guardedStore(.count, count + 1))
            return point.at(.unlock)

        case .unlock:
            return try unlock(&run, point)

        case .wake:
            return try wakeOne(&run, point)

        case .read, .endBarriers, .endBarriersCalls:
            return nil
        }
    }

    /// `reactive_lock_if_biased`
    private func lockIfBiased(_ run: inout Run) throws(Operation) -> Bool {
        guard run.thread == regular, try run.load(.biasedTo, .relaxed) == 1 else { return false }
        if !lacks(.noPresence) { try run.store(.presence, 1, .relaxed) }
        if !lacks(.noRecheck), try run.load(.biasedTo, .relaxed) != 1 {
            try run.store(.presence, 0, .release)
            return false
        }
        let word = try run.load(.lock, .relaxed)
        try run.store(.lock, word | held, .relaxed)
        if !lacks(.noFenceAfterLocking) { try run.fence(.release) }
        return true
    }

    /// `reactive_call_bias_off`
    private func callBiasOff(_ run: inout Run) throws(Operation) {
        if try run.load(.biasedTo, .relaxed) != 0 { try run.store(.biasedTo, 0, .sequential) }
    }

    /// `take`, up to the loop in `reactive_await_end_of_bias`
    private func beginToTake(_ run: inout Run, _ point: Point, _ word: Int) throws(Operation) -> Point {
        guard word & biased != 0, run.thread != regular else { return point.at(.take, word: word) }
        if !lacks(.noBarrierAtWithdrawal) { try passBarrier(&run) }
        return point.at(.awaitEndOfBias, word: word)
    }

    private func awaitEndOfBias(_ run: inout Run, _ point: Point) throws(Operation) -> Point {
        if !lacks(.noLookAtPresence), try run.load(.presence, .acquire) == 1,
            try run.load(.lock, .relaxed) == point.word
        {
            return point
        }
        return point.at(.take, word: point.word)
    }

    private func take(_ run: inout Run, _ word: Int) throws(Operation) -> Bool {
        guard try run.exchange(.lock, word, (word | held) & ~biased, .acquire) else { return false }
        if !lacks(.noFenceAfterLocking) { try run.fence(.release) }
        return true
    }

    /// `reactive_unlock` and `reactive_unlock_slow`; and on to the next round.
    private func unlock(_ run: inout Run, _ point: Point) throws(Operation) -> Point {
        var point = point
        point.round += 1
        let word = try run.load(.lock, .relaxed)
        if word & biased != 0 {
            try run.store(.presence, 0, .relaxed)
        } else if word & outOfLine != 0 {
            try run.update(.lock) { $0 + version - held }
            return point.at(.wake, word: try run.load(.waiters, .sequential))
        }
        try run.store(.lock, word + version - held, .release)
        return point.at(.wake, word: try run.load(.waiters, .relaxed))
    }

    /// `reactive_wake_one`, with the number of waiters in the point.
    private func wakeOne(_ run: inout Run, _ point: Point) throws(Operation) -> Point {
        let waiters = point.word
        guard waiters != 0, waiters & 1 == 0 else { return point.at(.lock) }
        let before = try run.load(.lock, .sequential)
        guard try run.exchange(.waiters, waiters, waiters | 1, .sequential) else {
            return point.at(.wake, word: try run.load(.waiters, .sequential))
        }
        if try run.perform(.wake) > 0 || lacks(.markStays) { return point.at(.lock) }
        try run.update(.waiters) { $0 & ~1 }
        if lacks(.noLookAfterMark) { return point.at(.lock) }
        if before & outOfLine == 0 { try passBarrier(&run) }
        let word = try run.load(.lock, .sequential)
        if word == before || word & held != 0 { return point.at(.lock) }
        return point.at(.wake, word: try run.load(.waiters, .sequential))
    }

    /// `reactive_make_others_pass_barrier`
    private func passBarrier(_ run: inout Run) throws(Operation) {
        if endsBarriers || beginsWithoutBarriers {
            try run.update(.barrierCalls) { $0 + 1 }
            if try run.load(.hasBarriers, .sequential) == 1 {
                // The newest value: the kernel knows it.
                let isRefused = try run.update(.isSandboxed) { $0 } == 1
                try run.check(!isRefused, "membarrier is called in the sandbox")
                try callBarrier(&run)
            }
            try run.update(.barrierCalls) { $0 - 1 }
        } else {
            try callBarrier(&run)
        }
    }

    private func callBarrier(_ run: inout Run) throws(Operation) {
        if isStrong { return }
        try run.fence(.sequential)
        var others = (1 << run.threadCount) - 1 & ~(1 << run.thread)
        while others != 0 { others &= ~(1 << (try run.perform(.fenceOther(others)))) }
        try run.fence(.sequential)
    }

    // MARK: - Other threads

    /// `Computed.value` for a value behind a pointer.
    private func readOptimistically(_ run: inout Run) throws(Operation) {
        let word = try run.load(.lock, .acquire)
        guard word & (held | outOfLine) == 0, try run.load(.hasValue, .relaxed) == 1 else { return }
        let pointer = try run.load(.pointer, .relaxed)
        if !lacks(.followsBeforeValidation) { guard try isValid(&run, word) else { return } }
        try run.check(pointer != 0, "a null pointer is followed")
        let (first, second) = (try run.load(.first, .relaxed), try run.load(.second, .relaxed))
        guard try isValid(&run, word) else { return }
        try run.check(first == second && first > 0, "half of a change is read")
    }

    private func isValid(_ run: inout Run, _ word: Int) throws(Operation) -> Bool {
        if !lacks(.noFenceBeforeValidation) { try run.fence(.acquire) }
        return try run.load(.lock, .relaxed) == word
    }

    /// `reactive_avoid_barriers`, then a sandbox in which the call is forbidden.
    private func avoidBarriers(_ run: inout Run, _ point: Point) throws(Operation) -> Point? {
        switch Label(rawValue: point.label)! {
        case .lock:
            let word = try run.load(.lock, .sequential)
            if word & biased != 0 { try callBiasOff(&run) }
            return word & held != 0 ? point : try beginToTake(&run, point, word)
        case .awaitEndOfBias:
            return try awaitEndOfBias(&run, point)
        case .take:
            guard try take(&run, point.word) else { return point.at(.lock) }
            if !lacks(.noBitWhenBarriersEnd) { try run.perform(.update(.lock, .relaxed) { $0 | outOfLine }) }
            return point.at(.unlock)
        case .unlock:
            let next = try unlock(&run, point)
            return next
        case .wake:
            let next = try wakeOne(&run, point)
            return next.label == Label.lock.rawValue ? point.at(.endBarriers) : next
        case .endBarriers:
            try run.store(.hasBarriers, 0, .sequential)
            return point.at(.endBarriersCalls)
        case .endBarriersCalls:
            if !lacks(.noWaitForBarrierCalls), try run.load(.barrierCalls, .sequential) != 0 { return point }
            try run.update(.isSandboxed) { _ in 1 }
            return nil
        case .slow, .inside, .read:
            return nil
        }
    }
}
