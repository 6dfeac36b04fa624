// Random histories of reactions that consist of parts, compared with what their rows must have seen.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct ReactionPartOracleTests {
        @Test(arguments: seeds(20)) func rowsFollowTheirNumbers(seed: UInt64) {
            var world = World(seed: seed)
            for _ in 0..<100 {
                world.act()
                if world.hasFailed { break }
            }
            world.end()
            #expect(!world.hasFailed, "seed \(seed)")
        }
    }
}

/// The sources, and two followers: one that runs immediately, and one that waits for its schedule.
private struct World {
    private var random: SplitMix64
    private let seed: UInt64
    private let flags: [Observable<Int>]
    private let signs: [Computed<Int>]
    private var eager: Followed
    private var late: Followed
    /// The runs that the schedule of the second follower has been asked for.
    private let requests = Shared<[@Sendable () -> Void]>([])
    private(set) var hasFailed = false
    private var history: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let flags = (0..<6).map { Observable($0, named: "flag \($0)") }
        let signs = flags.map { flag in Computed(named: "sign") { flag.value % 3 } }
        (self.flags, self.signs) = (flags, signs)
        eager = Followed(flags, signs, .immediate)
        let requests = requests
        late = Followed(flags, signs, .custom(isolation: nil) { run in requests.withLock { $0.append(run) } })
    }

    // MARK: - Operations

    mutating func act() {
        let hadRequest = !requests.value.isEmpty
        eager.beginOperation()
        late.beginOperation()
        /// Whether rows are updated exactly if what they have read is different after the operation.
        var isExact = true
        switch random.below(11) {
        case 0...2: write()
        case 3...5: isExact = transact(depth: 0)
        case 6: changeRows(of: random.oneIn(2) ? eager : late)
        case 7: forget()
        case 8 where random.oneIn(3):
            replaceEager()
            isExact = false
        case 8: invalidate()
        case 9: onAnotherThread()
        default: isExact = release()
        }
        check(isExact, hadRequest)
    }

    private mutating func write() {
        let (index, value) = (random.below(6), random.below(5))
        history.append("flag \(index) = \(value)")
        flags[index].value = value
    }

    private mutating func changeRows(of follower: Followed) {
        let number = random.below(9)
        history.append("toggle row \(number)")
        GraphHandle.current.withLock { follower.toggle(number) }
    }

    /// Returns whether no row was updated within the transaction.
    private mutating func transact(depth: Int) -> Bool {
        var isExact = true
        let fails = random.oneIn(2)
        history.append("begin")
        try? inTransaction {
            let before = flags.map(\.value)
            for _ in 0..<random.below(5) {
                switch random.below(9) {
                case 0 where depth < 2:
                    if !transact(depth: depth + 1) { isExact = false }
                case 1:
                    history.append("catch up")
                    isExact = false
                    (random.oneIn(2) ? eager : late).follower.reaction?.catchUp()
                case 2:
                    isExact = false
                    changeRows(of: random.oneIn(2) ? eager : late)
                case 3:
                    history.append("all back")
                    for (flag, value) in zip(flags, before) { flag.value = value }
                default: write()
                }
            }
            if fails { throw Refused() }
        }
        history.append(fails ? "roll back" : "commit")
        return isExact
    }

    /// Writes, and marks the changes as seen by the first follower.
    private mutating func forget() {
        inTransaction {
            for index in 0..<6 where random.oneIn(3) {
                flags[index].value = random.below(5)
                history.append("flag \(index) = \(flags[index].value)")
            }
            // A computed that is evaluated later would count as changed then.
            for sign in signs { _ = sign.value }
            history.append("forget")
            if eager.follower.reaction?.forgetChanges() != true { fail("changes were not forgotten") }
            eager.forgetChanges()
        }
    }

    /// Makes a reaction run, although nothing has changed.
    private mutating func invalidate() {
        history.append("run now")
        random.oneIn(2) ? eager.follower.reaction?.runNow() : eager.follower.reaction?.invalidate()
    }

    /// Creates a follower in a transaction.
    private mutating func replaceEager() {
        let fails = random.oneIn(2)
        history.append("new follower")
        let former = eager.follower
        try? inTransaction {
            for _ in 0..<random.below(3) { write() }
            if random.oneIn(2) { former.reaction?.catchUp() }
            if random.oneIn(2) { write() }
            former.cancel()
            eager = Followed(flags, signs, .immediate)
            for _ in 0..<random.below(3) { write() }
            if random.oneIn(2) { eager.follower.reaction?.catchUp() }
            if random.oneIn(2) { write() }
            if fails { throw Refused() }
        }
        history.append(fails ? "roll back" : "commit")
        if former.alive > 0 { fail("rows of a cancelled follower are alive") }
    }

    private mutating func onAnotherThread() {
        history.append("on another thread")
        let (flags, index, value) = (flags, random.below(6), random.below(5))
        onOtherThread { flags[index].value = value }
    }

    /// Runs what waits for its schedule. Returns whether there was nothing.
    private mutating func release() -> Bool {
        let runs = requests.withLock { runs in
            defer { runs = [] }
            return runs
        }
        guard !runs.isEmpty else { return true }
        history.append("release")
        runs.forEach { $0() }
        if let sentence = late.wrongValue { fail("after its release, \(sentence)") }
        if !late.hasFreedEndedRows { fail("after its release, the wrong rows are alive") }
        return false
    }

    // MARK: - Checks

    private mutating func check(_ isExact: Bool, _ hadRequest: Bool) {
        let requests = requests.value.count
        if isExact {
            if let sentence = eager.wrongCount { fail(sentence) }
            if !late.follower.updated.isEmpty { fail("a row was updated before its schedule allowed it") }
            let isDue = hadRequest || late.hasChanged
            if requests != (isDue ? 1 : 0) { fail("\(requests) requests instead of \(isDue ? 1 : 0)") }
        }
        if let sentence = eager.wrongValue { fail(sentence) }
        if !eager.follower.undelivered.isEmpty { fail("an update was not delivered") }
        if !eager.hasFreedEndedRows { fail("the wrong rows are alive") }
        if !hadRequest, requests == 0, let sentence = late.wrongValue { fail("without a request, \(sentence)") }
        #if DEBUG
        for broken in GraphHandle.current.brokenInvariants { fail(broken) }
        #endif
    }

    mutating func end() {
        eager.follower.cancel()
        late.follower.cancel()
        requests.value.forEach { $0() }
        eager.beginOperation()
        late.beginOperation()
        if eager.follower.alive + late.follower.alive > 0 { fail("rows remain at the end") }
    }

    private mutating func fail(_ what: String) {
        guard !hasFailed else { return }
        hasFailed = true
        Issue.record("seed \(seed): \(what) after \(history.suffix(20).joined(separator: ", "))")
    }
}

/// A follower, and what its rows must have seen.
private struct Followed {
    let follower: ToyFollower
    private let inputs: (Int) -> [Int]
    /// The serial number of each row, and what it would have read when the last operation began.
    private var before: [Int: (serial: Int, inputs: [Int])] = [:]
    /// What rows would have read when their changes were marked as seen.
    private var forgotten: [Int: [Int]] = [:]
    /// The serial numbers of rows that may depend on other sources than those that they would read.
    private var unknown: [Int: Int] = [:]
    private var finishesBefore = 0
    /// The rows when the last operation began, so that one that is released too often is freed too early.
    private var held: [ToyFollower.Row] = []

    init(_ flags: [Observable<Int>], _ signs: [Computed<Int>], _ schedule: Schedule) {
        inputs = { number in
            var inputs: [Int] = []
            _ = Followed.value(
                of: number,
                {
                    inputs.append(flags[$0].value)
                    return flags[$0].value
                },
                {
                    inputs.append(flags[$0].value % 3)
                    return flags[$0].value % 3
                })
            return inputs
        }
        let follower = ToyFollower.start([1, 2, 4, 5, 7], schedule: schedule) { number in
            Followed.value(of: number, { flags[$0].value }, { signs[$0].value })
        }
        self.follower = follower
        follower.isPlain = { $0 % 4 == 0 }
        // The update of some rows ends other rows, or begins them.
        follower.onUpdate = { [unowned follower] number in
            if number % 3 == 1 { Followed.toggle(number + 1, of: follower) }
        }
        beginOperation()
    }

    private static func value(of number: Int, _ flag: (Int) -> Int, _ sign: (Int) -> Int) -> Int {
        switch number % 4 {
        case 0: flag(number % 6)
        case 1: sign(number % 6)
        case 2: sign(0) == 0 ? flag(1) : sign(number % 6)
        default: sign(number % 6) + flag((number + 1) % 6)
        }
    }

    private static func toggle(_ number: Int, of follower: ToyFollower) {
        if follower.rows[number] == nil { follower.add(number) } else { follower.remove(number) }
    }

    func toggle(_ number: Int) { Followed.toggle(number, of: follower) }

    mutating func beginOperation() {
        unknown = unknown.filter { number, serial in
            follower.rows[number]?.serial == serial && !follower.updated.contains(number)
        }
        follower.updated = []
        follower.delivered = []
        finishesBefore = follower.finishes
        held = Array(follower.rows.values)
        before = follower.rows.mapValues { ($0.serial, inputs($0.number)) }
        forgotten = forgotten.filter { $0.value == before[$0.key]?.inputs }
    }

    /// Records that the changes of this operation were marked as seen. A row that would now read other sources still
    /// depends on the former ones.
    mutating func forgetChanges() {
        for (number, row) in before where inputs(number) != row.inputs {
            if number % 4 == 2 { unknown[number] = row.serial }
            forgotten[number] = inputs(number)
        }
        before = follower.rows.mapValues { ($0.serial, inputs($0.number)) }
    }

    /// Whether a row would read different values than when the operation began.
    var hasChanged: Bool { before.contains { $0.value.inputs != inputs($0.key) } }

    /// Whether the rows that have ended are freed, and no others.
    var hasFreedEndedRows: Bool { follower.alive == Set((held + follower.rows.values).map(\.serial)).count }

    /// A sentence about a row that was updated too often or not at all, if there is one.
    var wrongCount: String? {
        for (number, row) in before where follower.rows[number]?.serial == row.serial && unknown[number] == nil {
            let expected = inputs(number) == row.inputs ? 0 : 1
            let updates = follower.updated.count { $0 == number }
            if updates != expected { return "row \(number) was updated \(updates) times instead of \(expected)" }
        }
        if follower.delivered != follower.updated { return "\(follower.delivered) of \(follower.updated) delivered" }
        let finishes = follower.finishes - finishesBefore
        if follower.updated.isEmpty, finishes > 0 { return "an update without rows was finished" }
        return nil
    }

    /// A sentence about a row with a wrong value, if there is one.
    var wrongValue: String? {
        for number in follower.rows.keys {
            let now = inputs(number)
            if forgotten[number] == now || unknown[number] != nil { continue }
            var next = now.makeIterator()
            let value = Followed.value(of: number, { _ in next.next() ?? 0 }, { _ in next.next() ?? 0 })
            if follower.values[number] != value {
                return "row \(number) is \(follower.values[number] ?? -1) instead of \(value)"
            }
        }
        return nil
    }
}
