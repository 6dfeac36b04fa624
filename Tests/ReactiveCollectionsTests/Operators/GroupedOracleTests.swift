// Random edits and transactions of an array, compared with the standard library's grouping of a plain array: `grouped`,
// views of groups, and `indexed`.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

/// An element whose key depends on an observable, for some.
private struct Item: Equatable {
    var id: Int
    var owner: Int
    var hours: Int
    var shift: Observable<Int>?

    var key: Int { (owner + (shift?.value ?? 0)) % 7 }
    /// The element without its observable.
    var plain: [Int] { [id, owner, hours] }

    static func == (a: Item, b: Item) -> Bool { a.plain == b.plain && a.shift === b.shift }
}

private final class Subject {
    static let keys = 0..<8

    var random: SplitMix64
    let array: ObservableArray<Item>
    var model: [Item] = []
    let shifts = (0..<4).map { _ in Observable(0) }
    var nextID = 0
    var problems: [String] = []
    /// The operations of the present step.
    var actions: [String] = []

    let groups: LiveDictionary<Int, LiveArray<Item>>
    let counts: LiveDictionary<Int, Int>
    let index: LiveDictionary<Int, Item>
    /// Groups that are kept, also while they are empty, and views of them.
    var kept: [(key: Int, group: LiveArray<Item>, hours: LiveArray<Int>, long: LiveArray<Item>)] = []

    var seenElements: [Int: [[Int]]] = [:]
    var seenCounts: [Int: Int] = [:]
    var seenFirst: [Int: [Int]] = [:]
    var runs: [Int: Int] = [:]
    private var reactions: [Reaction] = []
    private var isObserved = false
    /// Whether the present step affects only the groups whose elements differ at its end.
    private var isExact = true
    /// Whether the array may have lost its log, so that the next change rebuilds views.
    private var isReset = false

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        array = ObservableArray([], named: "array")
        let live = array.live
        groups = live.grouped(isolation: nil) { $0.key }
        counts = groups.mapValues(isolation: nil) { $0.count }
        index = live.indexed(isolation: nil) { $0.id % 30 }
        for _ in 0..<(seed % 3 == 0 ? 0 : random.below(seed % 3 == 1 ? 20 : 150)) { append() }
    }

    func observe() {
        isObserved = true
        for key in Self.keys {
            reactions.append(
                autorun { [unowned self] in
                    seenElements[key] = groups[key]?.elements.map(\.plain)
                    runs[key, default: 0] += 1
                })
            reactions.append(autorun { [unowned self] in seenCounts[key] = groups[key]?.count })
            reactions.append(autorun { [unowned self] in seenFirst[key] = index[key]?.plain })
        }
        for key in 0..<3 { keep(key) }
    }

    func stop() {
        reactions.forEach { $0.cancel() }
        reactions = []
    }

    func keep(_ key: Int) {
        guard let group = groups[key] else { return }
        kept.append((key, group, group.map(isolation: nil) { $0.hours }, group.filter(isolation: nil) { $0.hours > 1 }))
        guard isObserved, random.oneIn(2), let last = kept.last else { return }
        reactions.append(autorun { _ = last.hours.elements })
    }

    private func item() -> Item {
        nextID += 1
        return Item(
            id: nextID, owner: random.below(7), hours: random.below(4),
            shift: random.oneIn(4) ? shifts[random.below(4)] : nil)
    }

    private func append() {
        let item = item()
        array.append(item)
        model.append(item)
    }

    /// One edit.
    func edit() {
        let index = model.isEmpty ? 0 : random.below(model.count)
        let choice = random.below(16)
        actions.append("edit \(choice)")
        switch choice {
        case 0: append()
        case 1, 2:
            let (item, position) = (item(), random.below(model.count + 1))
            array.insert(item, at: position)
            model.insert(item, at: position)
        case 3 where !model.isEmpty, 4 where !model.isEmpty:
            array.remove(at: index)
            model.remove(at: index)
        case 5 where !model.isEmpty, 6 where !model.isEmpty:
            let owner = random.below(7)
            var item = array[index]
            item.owner = owner
            array[index] = item
            model[index].owner = owner
        case 7 where !model.isEmpty:
            let hours = random.below(4)
            // Not in place, which would count as a change for equal hours, too.
            var item = array[index]
            item.hours = hours
            array[index] = item
            model[index].hours = hours
        case 8, 9: shifts[random.below(4)].value = random.below(3)
        case 10 where !model.isEmpty:
            let item = item()
            array[index] = item
            model[index] = item
        case 11 where !model.isEmpty:
            let other = random.below(model.count)
            array.move(from: index, to: other)
            model.insert(model.remove(at: index), at: other)
            isReset = true
        case 12:
            let start = random.below(model.count + 1)
            let range = start..<Swift.min(model.count, start + random.below(5))
            let items = (0..<random.below(5)).map { _ in item() }
            if range.count == model.count { isReset = true }
            array.replaceSubrange(range, with: items)
            model.replaceSubrange(range, with: items)
        case 13 where random.oneIn(3):
            array.reverse()
            model.reverse()
            isReset = true
        case 14 where random.oneIn(3):
            array.sort { $0.hours < $1.hours }
            model.sort { $0.hours < $1.hours }
            isReset = true
        case 15 where random.oneIn(10):
            array.removeAll()
            model.removeAll()
            isReset = true
        default: break
        }
    }

    var expected: [Int: [[Int]]] { untracked { Dictionary(grouping: model, by: \.key).mapValues { $0.map(\.plain) } } }

    private func expect(_ name: String, _ isTrue: Bool) { if !isTrue { problems.append(name) } }

    func compare() {
        let expected = expected
        expect("keys", Set(groups.elements.keys) == Set(expected.keys))
        expect("groups", groups.elements.mapValues { $0.elements.map(\.plain) } == expected)
        expect("count", groups.count == expected.count)
        expect("counts", counts.elements == expected.mapValues(\.count))
        let key = random.below(8)
        expect("group", groups[key]?.elements.map(\.plain) == expected[key])
        expect("order of keys", groups.values.elements.map { $0.count } == groups.keys.elements.map { counts[$0] })
        var first: [Int: [Int]] = [:]
        for item in model where first[item.id % 30] == nil { first[item.id % 30] = item.plain }
        expect("index", index.elements.mapValues(\.plain) == first)
        expect("one of index", index[key]?.plain == first[key])
        for (key, group, hours, long) in kept {
            let elements = expected[key] ?? []
            expect("kept \(key)", group.elements.map(\.plain) == elements)
            expect("kept count \(key)", group.count == elements.count)
            expect("hours \(key)", hours.elements == elements.map { $0[2] })
            expect("long \(key)", long.elements.map(\.plain) == elements.filter { $0[2] > 1 })
            expect("identity \(key)", groups[key].map { $0 === group } ?? true)
            if let position = elements.indices.randomElement(using: &random) {
                expect("position \(key)", group[position].plain == elements[position])
            }
        }
    }

    private func compareInTransaction() {
        actions.append("compare")
        untracked { compare() }
    }

    func transact(depth: Int) {
        let (model, values) = (model, shifts.map { shift in untracked { shift.value } })
        let isRolledBack = random.oneIn(3)
        let isUndone = !isRolledBack && random.oneIn(4)
        actions.append(isRolledBack ? "refused {" : isUndone ? "undone {" : "transaction {")
        defer { actions.append("}") }
        do {
            try inTransaction {
                for _ in 0..<1 + random.below(5) {
                    if depth < 3, random.oneIn(5) { transact(depth: depth + 1) } else { edit() }
                    if random.oneIn(2) { compareInTransaction() }
                    if random.oneIn(8) { untracked { keep(random.below(7)) } }
                }
                if isUndone {
                    isReset = true
                    array.replaceSubrange(0..<array.count, with: model)
                    self.model = model
                    for (shift, value) in zip(shifts, values) { shift.value = value }
                }
                if isRolledBack { throw Refusal() }
            }
        } catch {
            self.model = model
        }
    }

    func step() {
        let (before, ran) = (expected, runs)
        isExact = !isReset
        problems = []
        actions = []
        if random.oneIn(3) {
            transact(depth: 0)
            if expected != before { isExact = false }
        } else {
            edit()
        }
        guard problems.isEmpty else { return }
        let now = expected
        if isReset { isExact = false }
        if runs != ran, actions.count == 1 { isReset = false }
        if isObserved {
            expect("seen elements", seenElements == now)
            expect("seen counts", seenCounts == now.mapValues(\.count))
            for key in Self.keys where isExact {
                let count = runs[key, default: 0] - ran[key, default: 0]
                expect("key \(key) ran \(count) times", before[key] == now[key] ? count == 0 : count == 1)
            }
            for key in Self.keys {
                let first = model.first { $0.id % 30 == key }
                expect("seen first \(key)", seenFirst[key] == first?.plain)
            }
        }
        if !isObserved ? random.oneIn(3) : random.oneIn(2) { compare() }
        if random.oneIn(12), !kept.isEmpty { kept.remove(at: random.below(kept.count)) }
        if random.oneIn(12) { keep(random.below(7)) }
    }
}

@Suite(.ownGraph, .timeLimit) struct GroupedOracleTests {
    @Test(arguments: seeds(16), [true, false]) func followsPlainGroups(seed: UInt64, isObserved: Bool) {
        let subject = Subject(seed: seed)
        _ = issues {
            if isObserved { subject.observe() }
            for step in 0..<80 {
                subject.step()
                guard subject.problems.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(subject.problems) after \(subject.actions)")
                    break
                }
            }
            subject.stop()
        }
    }
}
