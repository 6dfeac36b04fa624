// Random histories of a list, three views by key that read one another, and their readers, compared with plain
// dictionaries.

import Reactive
import TestSupport
import Testing

private struct Refused: Error {}

extension ReactiveTests {
    @Suite struct RouterOracleTests {
        @Test(arguments: seeds(60)) func readersOfKeysAgreeWithPlainDictionaries(seed: UInt64) {
            let world = RouterWorld(seed: seed)
            for _ in 0..<150 {
                world.act()
                if world.hasFailed { break }
            }
            world.end()
            #expect(!world.hasFailed, "seed \(seed)")
        }

        @Test func aFreedViewLeavesNothingBehind() {
            weak var groups: ToyGroups?
            do {
                let world = RouterWorld(seed: 1)
                for _ in 0..<50 { world.act() }
                world.end()
                groups = world.first
                #expect(groups != nil)
            }
            #expect(groups == nil)
        }
    }
}

/// The sources of the views, as plain values.
private struct Inputs: Equatable {
    var flags: [Int]
    var elements: [UInt32: Int]

    /// The possible reads: sums by key of the first, second and third view, and the computeds of the first view's keys.
    var outputs: [Int?] {
        let first = sums { _, value in RouterWorld.firstKey(value, { flags[$0] }, { flags[$0] % 3 }) }
        let second = sums { _, value in
            RouterWorld.secondKey(value, { first[$0] ?? -1 }, { first[$0] ?? -1 })
        }
        let third = sums { _, value in RouterWorld.thirdKey(value, { second[$0] ?? 7 }, { first[$0] ?? -1 }) }
        let keys = 0..<3
        return keys.map { first[$0] } + keys.map { second[$0] } + keys.map { third[$0] }
            + keys.map { first[$0] ?? -1 } + keys.map { second[$0] ?? 7 }
    }

    private func sums(_ key: (UInt32, Int) -> Int) -> [Int: Int] {
        var sums: [Int: Int] = [:]
        for (row, value) in elements { sums[key(row, value), default: 0] += value }
        return sums
    }
}

private final class RouterWorld: @unchecked Sendable {
    // Sendable because one thread at a time uses it: the others wait.
    static let outputCount = 15

    private var random: SplitMix64
    private let seed: UInt64
    private let flags: [Observable<Int>]
    private let list: ToyList
    private let actor: ToyActor
    /// Depends on no key, and so may be read anywhere.
    private let total: Computed<Int>
    let first: ToyGroups
    private let second: ToyGroups
    private let third: ToyGroups
    private let firsts: [Computed<Int>]
    private let seconds: [Computed<Int>]
    private var readers: [(reaction: Reaction, output: Int, seen: Shared<[Int?]>)] = []
    /// A reaction, and a computed, which perform the writes of `plan` between their reads.
    private let trigger = Observable(0)
    private let computedTrigger = Observable(0)
    private var plan: [() -> Void] = []
    private var writer: Reaction?
    private var writingComputed: Computed<Int>?
    /// The target of an effect that copies an output, and the output.
    private let mirror = Observable<Int?>(nil)
    private var mirroring: (reaction: Reaction, output: Int)?
    private var inputs = Inputs(flags: Array(0..<6), elements: [:])
    private(set) var hasFailed = false
    private var history: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let flags = (0..<6).map { Observable($0, named: "flag \($0)") }
        let signs = flags.map { flag in Computed(named: "sign") { flag.value % 3 } }
        let list = ToyList()
        let actor = ToyActor()
        let first = ToyGroups(list, named: "first", on: actor) { _, value in
            RouterWorld.firstKey(value, { flags[$0].value }, { signs[$0].value })
        }
        let firsts = (0..<3).map { key in Computed(named: "first \(key)") { first[key] ?? -1 } }
        let second = ToyGroups(list, named: "second", on: actor) { _, value in
            RouterWorld.secondKey(value, { first[$0] ?? -1 }, { firsts[$0].value })
        }
        let seconds = (0..<3).map { key in Computed(named: "second \(key)") { second[key] ?? 7 } }
        let third = ToyGroups(list, named: "third", on: actor) { _, value in
            RouterWorld.thirdKey(value, { seconds[$0].value }, { firsts[$0].value })
        }
        (self.flags, self.list, self.first, self.firsts) = (flags, list, first, firsts)
        (self.actor, total) = (actor, Computed { flags.reduce(list.rows.values.count) { $0 + $1.value } })
        (self.second, self.seconds, self.third) = (second, seconds, third)
    }

    // The closures of elements, of which some read nothing.

    static func firstKey(_ value: Int, _ flag: (Int) -> Int, _ sign: (Int) -> Int) -> Int {
        switch value % 4 {
        case 0: value % 3
        case 1: (value + flag(value % 6)) % 3
        case 2: sign(value % 6)
        default: sign(0) == 0 ? flag(1) % 3 : (flag(2) + sign(value % 6)) % 3
        }
    }

    static func secondKey(_ value: Int, _ direct: (Int) -> Int, _ computed: (Int) -> Int) -> Int {
        switch value % 3 {
        case 0: value % 2
        case 1: abs(direct(value % 2) + value) % 3
        default: abs(computed(value % 3) + computed(0)) % 3
        }
    }

    static func thirdKey(_ value: Int, _ second: (Int) -> Int, _ first: (Int) -> Int) -> Int {
        value % 2 == 0 ? abs(second(value % 3)) % 3 : abs(first(value % 3) - second(0)) % 3
    }

    private func output(_ index: Int) -> Int? {
        let key = index % 3
        return switch index / 3 {
        case 0: first[key]
        case 1: second[key]
        case 2: third[key]
        case 3: firsts[key].value
        default: seconds[key].value
        }
    }

    // MARK: - Operations

    func act() {
        let before = (inputs, inputs.outputs)
        let runs = readers.map(\.reaction.runCount)
        var isStrict = true
        switch random.below(15) {
        case 0...3: write()
        case 4...6: isStrict = transact(depth: 0)
        case 7: addReader()
        case 8:
            if !readers.isEmpty { readers.remove(at: random.below(readers.count)).reaction.cancel() }
            history.append("a reader leaves")
            return check()
        case 9: read()
        case 10:
            writeInside()
            isStrict = false
        case 11:
            // Its writes are no transaction: readers may run for values that are then restored.
            writeInComputed()
            return check()
        case 12: changeEffect()
        case 13:
            writeElsewhere()
            isStrict = false
        default: onAnotherThread()
        }
        let after = inputs.outputs
        for (reader, runs) in zip(readers, runs) {
            let now = reader.reaction.runCount
            let isSame = inputs == before.0 || (isStrict && before.1[reader.output] == after[reader.output])
            if isSame && now > runs { fail("a reader of \(reader.output) ran \(now - runs) times for nothing") }
            if isStrict, now > runs + 1 { fail("a reader of \(reader.output) ran \(now - runs) times") }
        }
        check()
    }

    private func write() {
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

    /// Returns whether nothing was read inside, so that no reader saw a value that was then restored.
    private func transact(depth: Int) -> Bool {
        let fails = random.oneIn(2)
        let before = inputs
        var isUnread = true
        history.append("begin")
        try? inTransaction {
            for _ in 0..<random.below(5) {
                switch random.below(7) {
                case 0 where depth < 2: if !transact(depth: depth + 1) { isUnread = false }
                case 1 where actor.isHere, 2 where actor.isHere:
                    isUnread = false
                    read()
                case 3 where actor.isHere && depth == 0 && random.oneIn(2):
                    isUnread = false
                    addReader()
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
        return isUnread
    }

    private func read() {
        expect(random.below(RouterWorld.outputCount))
        history.append("read")
    }

    private func addReader() {
        let index = random.below(RouterWorld.outputCount)
        let seen = Shared<[Int?]>([])
        history.append("reader of \(index)")
        let reaction = autorun { [unowned self] in
            let value = output(index)
            seen.withLock { $0.append(value) }
        }
        readers.append((reaction, index, seen))
    }

    /// A reaction reads, writes a source of its reads, alone or in a transaction that may be rolled back, and reads
    /// again.
    private func writeInside() {
        history.append("inside {")
        makePlan()
        if writer == nil || random.oneIn(5) {
            writer?.cancel()
            let indices = someOutputs()
            writer = autorun(named: "writer") { [unowned self] in
                _ = trigger.value
                performPlan(reading: indices)
            }
        } else {
            trigger.value += 1
        }
        history.append("}")
    }

    /// A computed does the same, which is an issue.
    private func writeInComputed() {
        history.append("in a computed {")
        makePlan()
        if writingComputed == nil || random.oneIn(5) {
            let indices = someOutputs()
            writingComputed = Computed(named: "writing computed") { [unowned self] in
                defer { performPlan(reading: indices) }
                return computedTrigger.value
            }
        }
        _ = issues {
            computedTrigger.value += 1
            _ = writingComputed?.value
        }
        history.append("}")
    }

    private func makePlan() {
        plan = (0..<1 + random.below(3)).map { _ in
            random.oneIn(3) ? { [unowned self] in _ = transact(depth: 1) } : { [unowned self] in write() }
        }
    }

    private func someOutputs() -> [Int] { (0..<4).map { _ in random.below(RouterWorld.outputCount) } }

    private func performPlan(reading indices: [Int]) {
        for index in indices { expect(index) }
        let steps = plan
        plan = []
        for step in steps {
            step()
            for index in indices { expect(index) }
        }
    }

    /// Code that is not on the views' actor writes. Later code on the actor, or a hop that arrives, updates the views.
    private func writeElsewhere() {
        history.append("elsewhere {")
        actor.elsewhere {
            for _ in 0..<1 + random.below(3) {
                if random.oneIn(3) { _ = transact(depth: 1) } else { write() }
                if random.oneIn(2) {
                    let expected = inputs.flags.reduce(inputs.elements.count, +)
                    if total.value != expected { fail("the total is \(total.value) instead of \(expected)") }
                }
                #if DEBUG
                for broken in GraphHandle.current.brokenInvariants { fail(broken) }
                #endif
            }
        }
        history.append("}")
        switch random.below(4) {
        case 0: read()
        case 1: write()
        case 2 where !actor.hops.isEmpty: actor.hops.remove(at: random.below(actor.hops.count))()
        default: inTransaction {}
        }
    }

    private func changeEffect() {
        history.append("effect")
        mirroring?.reaction.cancel()
        mirroring = nil
        if random.oneIn(3) { return }
        let index = random.below(RouterWorld.outputCount)
        let effect = reaction(fireImmediately: true) { [unowned self] in
            output(index)
        } onChange: { [unowned self] value in
            mirror.value = value
        }
        mirroring = (effect, index)
    }

    private func onAnotherThread() {
        history.append("on another thread")
        // This thread waits for the other one.
        onOtherThread { [unowned self] in
            write()
            read()
        }
    }

    // MARK: - Checks

    private func check() {
        let outputs = inputs.outputs
        for reader in readers where reader.seen.value.last != .some(outputs[reader.output]) {
            fail("a reader of \(reader.output) saw \(String(describing: reader.seen.value.last))")
        }
        if let mirroring, mirror.value != outputs[mirroring.output] { fail("the effect has not run") }
        if random.oneIn(3) { read() }
        for view in [first, second, third] {
            if view.partCount != view.partsInState { fail("parts are left over") }
            if view.hasRouter != (view.nodeCount > 0) { fail("a router is left over, or missing") }
        }
        #if DEBUG
        for broken in GraphHandle.current.brokenInvariants { fail(broken) }
        #endif
    }

    func end() {
        for reader in readers { reader.reaction.cancel() }
        readers = []
        writer?.cancel()
        mirroring?.reaction.cancel()
        mirroring = nil
        for arrive in actor.hops { arrive() }
        actor.hops = []
        check()
    }

    private func expect(_ index: Int) {
        let (expected, value) = (inputs.outputs[index], output(index))
        if value != expected {
            fail("output \(index) is \(String(describing: value)) instead of \(String(describing: expected))")
        }
    }

    private func fail(_ what: String) {
        guard !hasFailed else { return }
        hasFailed = true
        Issue.record("seed \(seed): \(what) after \(history.suffix(20).joined(separator: ", "))")
    }
}
