// Random histories of a list, two views of it and their readers, compared with plain operators on plain arrays.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct PartOracleTests {
        @Test(arguments: seeds(60)) func viewsAgreeWithPlainArrays(seed: UInt64) {
            var world = World(seed: seed)
            for _ in 0..<150 {
                world.act()
                if world.hasFailed { break }
            }
            #expect(!world.hasFailed, "seed \(seed)")
            world.end()
        }
    }
}

/// The sources of the views, as plain values.
private struct Inputs: Equatable {
    var flags: [Int]
    var elements: [UInt32: Int]
}

private struct World {
    private var random: SplitMix64
    private let seed: UInt64
    private let flags: [Observable<Int>]
    private let signs: [Computed<Int>]
    private let list: ToyList
    private var first: ToyView
    private var second: ToyView
    private var total: Computed<Int>
    private var readers: [(reaction: Reaction, seen: Shared<[Int]>, expected: (Inputs) -> Int)] = []
    private var inputs: Inputs
    /// Whether a transaction has evaluated views after a write. What it then changes back counts as a change of them.
    private var hasEvaluatedInBetween = false
    private(set) var hasFailed = false
    private var history: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let flags = (0..<6).map { Observable($0, named: "flag \($0)") }
        let signs = flags.map { flag in Computed(named: "sign") { flag.value % 3 } }
        list = ToyList()
        inputs = Inputs(flags: Array(0..<6), elements: [:])
        (self.flags, self.signs) = (flags, signs)
        (first, second, total) = World.views(of: list, flags, signs)
    }

    private static func views(
        of list: ToyList, _ flags: [Observable<Int>], _ signs: [Computed<Int>]
    ) -> (ToyView, ToyView, Computed<Int>) {
        let first = ToyView(list, named: "first") { _, value in
            World.first(value, { flags[$0].value }, { signs[$0].value })
        }
        let second = ToyView(first, named: "second") { _, value in World.second(value, { flags[$0].value }) }
        return (first, second, Computed { second.sum + first.sum })
    }

    /// The closures of elements, of which some read nothing.
    fileprivate static func first(_ value: Int, _ flag: (Int) -> Int, _ sign: (Int) -> Int) -> Int {
        switch value % 4 {
        case 0: value
        case 1: value + flag(value % 6)
        case 2: value + sign(value % 6)
        default: sign(0) == 0 ? flag(1) : flag(2) + sign(value % 6)
        }
    }

    fileprivate static func second(_ value: Int, _ flag: (Int) -> Int) -> Int {
        value.isMultiple(of: 2) ? value * 3 : flag(abs(value) % 6) - value
    }

    private static func expectedFirst(_ inputs: Inputs) -> [UInt32: Int] {
        inputs.elements.mapValues { first($0, { inputs.flags[$0] }, { inputs.flags[$0] % 3 }) }
    }

    private static func expectedSecond(_ inputs: Inputs) -> [UInt32: Int] {
        expectedFirst(inputs).mapValues { second($0) { inputs.flags[$0] } }
    }

    private static func sum(_ rows: [UInt32: Int]) -> Int { rows.values.reduce(0, +) }

    // MARK: - Operations

    mutating func act() {
        let (inputsBefore, before) = (inputs, (World.expectedFirst(inputs), World.expectedSecond(inputs)))
        hasEvaluatedInBetween = false
        let readersBefore = readers.map { ($0.reaction, $0.reaction.runCount) }
        switch random.below(12) {
        case 0...3: writeAndCountRuns()
        case 4...6: transact(depth: 0)
        case 7: addReader()
        case 8: removeReader()
        case 9: read()
        case 10 where random.oneIn(4):
            for reader in readers { reader.reaction.cancel() }
            readers = []
            (first, second, total) = World.views(of: list, flags, signs)
            history.append("new views")
            return check()
        default: onAnotherThread()
        }
        let isUnchanged =
            hasEvaluatedInBetween
            ? inputs == inputsBefore : before == (World.expectedFirst(inputs), World.expectedSecond(inputs))
        for (reader, runs) in readersBefore {
            let now = reader.runCount
            if now > runs + 1 || (isUnchanged && now > runs) { fail("a reader ran \(now - runs) times") }
        }
        check()
    }

    private mutating func write() {
        if random.oneIn(2) {
            let (index, value) = (random.below(6), random.below(5))
            history.append("flag \(index) = \(value)")
            inputs.flags[index] = value
            flags[index].value = value
        } else {
            let row = UInt32(random.below(8))
            let value = random.oneIn(3) ? nil : random.below(12)
            history.append("row \(row) = \(value.map(String.init) ?? "nil")")
            inputs.elements[row] = value
            list.set(row, to: value)
        }
    }

    /// Writes, and checks that a closure ran once if its element is new or one of its reads has changed, and not
    /// otherwise.
    private mutating func writeAndCountRuns() {
        guard random.oneIn(2) else { return write() }
        _ = first.rows
        let (runs, before) = (first.runs, inputs)
        write()
        _ = first.rows
        let expected = inputs.elements.filter { row, value in
            guard before.elements[row] == value else { return true }
            var hasChanged = false
            _ = World.first(
                value,
                { index in
                    if before.flags[index] != inputs.flags[index] { hasChanged = true }
                    return before.flags[index]
                },
                { index in
                    if before.flags[index] % 3 != inputs.flags[index] % 3 { hasChanged = true }
                    return before.flags[index] % 3
                })
            return hasChanged
        }
        if first.runs - runs != expected.count { fail("\(first.runs - runs) runs instead of \(expected.count)") }
    }

    /// Checks that neither closures nor readers run if a transaction has restored everything.
    private mutating func checkThatNothingRuns(sinceReading isRead: Bool) {
        guard isRead else { return }
        let runs = (first.runs, second.runs)
        _ = (first.rows, second.rows)
        if runs != (first.runs, second.runs) { fail("closures ran after a transaction without effect") }
    }

    private mutating func transact(depth: Int) {
        let fails = random.oneIn(2)
        let isRead = depth == 0 && random.oneIn(2)
        if isRead { _ = (first.rows, second.rows) }
        let before = inputs
        defer { if fails { checkThatNothingRuns(sinceReading: isRead) } }
        history.append("begin")
        try? inTransaction {
            for _ in 0..<random.below(5) {
                switch random.below(8) {
                case 0 where depth < 2: transact(depth: depth + 1)
                case 1, 2:
                    hasEvaluatedInBetween = true
                    read()
                case 3 where random.oneIn(2):
                    hasEvaluatedInBetween = true
                    addReader()
                case 4 where random.oneIn(2): removeReader()
                default: write()
                }
            }
            if random.oneIn(4) {
                history.append("all back")
                for index in 0..<6 { flags[index].value = before.flags[index] }
                for row in 0..<UInt32(8) { list.set(row, to: before.elements[row]) }
                inputs = before
            }
            if fails { throw Refused() }
        }
        if fails { inputs = before }
        history.append(fails ? "roll back" : "commit")
    }

    private mutating func read() {
        switch random.below(4) {
        case 0: expect(first.rows.values == World.expectedFirst(inputs), "first")
        case 1: expect(second.rows.values == World.expectedSecond(inputs), "second")
        case 2: for (sign, flag) in zip(signs, inputs.flags) { expect(sign.value == flag % 3, "sign") }
        default:
            let expected = World.sum(World.expectedFirst(inputs)) + World.sum(World.expectedSecond(inputs))
            expect(total.value == expected, "total")
        }
        history.append("read")
    }

    private mutating func addReader() {
        let seen = Shared<[Int]>([])
        let kind = random.below(3)
        history.append("reader \(kind)")
        let (first, second, total) = (first, second, total)
        let reaction = autorun {
            let sum = kind == 0 ? first.sum : kind == 1 ? second.sum : total.value
            seen.withLock { $0.append(sum) }
        }
        let expected: (Inputs) -> Int = { inputs in
            let sums = (World.sum(World.expectedFirst(inputs)), World.sum(World.expectedSecond(inputs)))
            return kind == 0 ? sums.0 : kind == 1 ? sums.1 : sums.0 + sums.1
        }
        readers.append((reaction, seen, expected))
    }

    private mutating func removeReader() {
        history.append("a reader leaves")
        if !readers.isEmpty { readers.remove(at: random.below(readers.count)).reaction.cancel() }
    }

    private mutating func onAnotherThread() {
        history.append("on another thread")
        let world = Unchecked(self)
        let changed = Shared<World?>(nil)
        // The other thread has the only copy in use, and this one waits for it.
        onOtherThread {
            var copy = world.value
            copy.write()
            copy.read()
            changed.value = copy
        }
        if let copy = changed.value { self = copy }
    }

    // MARK: - Checks

    private mutating func check() {
        for reader in readers where reader.seen.value.last != reader.expected(inputs) {
            fail("a reader saw \(reader.seen.value.last ?? 0) instead of \(reader.expected(inputs))")
        }
        if random.oneIn(3) { read() }
        // Parts in logged states are released with the log.
        for view in [first, second] where view.partCount != view.partsInState {
            fail("\(view.partCount) parts, of which \(view.partsInState) are in the state")
        }
        #if DEBUG
        for broken in GraphHandle.current.brokenInvariants { fail(broken) }
        #endif
    }

    mutating func end() {
        for reader in readers { reader.reaction.cancel() }
        readers = []
        check()
    }

    private mutating func expect(_ condition: Bool, _ what: String) {
        if !condition { fail("\(what) is wrong") }
    }

    private mutating func fail(_ what: String) {
        guard !hasFailed else { return }
        hasFailed = true
        Issue.record("seed \(seed): \(what) after \(history.suffix(20).joined(separator: ", "))")
    }
}
