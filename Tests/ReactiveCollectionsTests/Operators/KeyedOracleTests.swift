// Random edits and transactions of dictionaries, compared with the standard library's operators on plain dictionaries.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

private final class Subject {
    static let keys = 0..<10

    var random: SplitMix64
    let dictionary: ObservableDictionary<Int, Int>
    let other: ObservableDictionary<Int, Int>
    let set: ObservableSet<Int>
    let limit = Observable(2)
    var model: [Int: Int] = [:]
    var otherModel: [Int: Int] = [:]
    var setModel: Set<Int> = []
    var problems: [String] = []
    /// The operations of the present step.
    var actions: [String] = []

    let halves: LiveDictionary<Int, Int>
    let even: LiveDictionary<Int, Int>
    let low: LiveDictionary<Int, Int>
    let merged: LiveDictionary<Int, Int>
    let keys: LiveArray<Int>
    let values: LiveArray<Int>
    let sorted: LiveArray<(key: Int, value: Int)>
    let members: LiveArray<Int>

    /// The last values that observers of single keys have seen of each view, and their numbers of runs.
    var seen: [String: [Int: Int]] = [:]
    var runs: [String: [Int: Int]] = [:]
    var keyRuns = 0
    private var reactions: [Reaction] = []
    private var isObserved = false
    /// Whether the dictionary has lost its log, so that the next change rebuilds views.
    private var isReset = false

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for _ in 0..<random.below(30) { model[random.below(40)] = random.below(8) }
        dictionary = ObservableDictionary(model, named: "dictionary")
        other = ObservableDictionary(named: "other")
        set = ObservableSet(named: "set")
        let (live, limit) = (dictionary.live, limit)
        halves = live.mapValues(isolation: nil) { $0 / 2 }
        even = live.compactMapValues(isolation: nil) { $0 % 2 == 0 ? $0 : nil }
        low = live.filter(isolation: nil) { $0.key % 2 == 0 ? $0.value < limit.value : $0.value < 4 }
        merged = halves.merging(other.live, isolation: nil) { $0 * 100 + $1 + limit.value + 1000 }
        keys = live.keys
        values = low.values
        sorted = live.sorted(isolation: nil) { ($0.value, $0.key) < ($1.value, $1.key) }
        members = set.live
    }

    private var views: [(String, LiveDictionary<Int, Int>)] {
        [("halves", halves), ("even", even), ("low", low), ("merged", merged), ("live", dictionary.live)]
    }

    /// The expected contents of each view.
    var expected: [String: [Int: Int]] {
        let limit = untracked { self.limit.value }
        let halves = model.mapValues { $0 / 2 }
        return [
            "live": model, "halves": halves,
            "even": model.filter { $0.value % 2 == 0 },
            "low": model.filter { $0.key % 2 == 0 ? $0.value < limit : $0.value < 4 },
            "merged": halves.merging(otherModel) { $0 * 100 + $1 + limit + 1000 },
        ]
    }

    func observe() {
        isObserved = true
        for (name, view) in views {
            seen[name] = [:]
            for key in Self.keys {
                reactions.append(
                    autorun { [unowned self] in
                        seen[name]![key] = view[key]
                        runs[name, default: [:]][key, default: 0] += 1
                    })
            }
            reactions.append(autorun { [unowned self] in seen[name + " count"] = [0: view.count] })
        }
        reactions.append(
            autorun { [unowned self] in
                _ = keys.elements
                keyRuns += 1
            })
    }

    func stop() { reactions.forEach { $0.cancel() } }

    func edit() {
        let (choice, key, value) = (random.below(12), random.below(30), random.below(8))
        actions.append("edit \(choice)")
        switch choice {
        case 0, 1, 2:
            dictionary[key] = value
            model[key] = value
        case 3, 4:
            dictionary[key] = nil
            model[key] = nil
        case 5:
            dictionary[key, default: 0] += 1
            model[key, default: 0] += 1
        case 6, 7:
            other[key] = value
            otherModel[key] = value
        case 8:
            other[key] = nil
            otherModel[key] = nil
        case 9: limit.value = random.below(5)
        case 10:
            set.formSymmetricDifference([key, value])
            setModel.formSymmetricDifference([key, value])
        default:
            guard random.oneIn(8) else { return }
            dictionary.removeAll()
            model.removeAll()
            isReset = true
        }
    }

    private func expect(_ name: String, _ isTrue: Bool) { if !isTrue { problems.append(name) } }

    func compare() {
        let expected = expected
        let key = random.below(12)
        for (name, view) in views {
            if random.oneIn(2) { expect(name, view.elements == expected[name]) }
            expect("\(name)[\(key)]", view[key] == expected[name]?[key])
            expect("\(name) count", view.count == expected[name]?.count)
        }
        expect("keys", keys.elements == Array(dictionary.keys))
        expect("values", values.elements == keys.elements.compactMap { low[$0] })
        let inOrder = model.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        expect("sorted", sorted.elements.map(\.key) == inOrder.map(\.key))
        expect("set", members.elements == Array(set) && Set(members.elements) == setModel)
        expect("set count", members.count == setModel.count)
    }

    func transact(depth: Int) {
        let (model, otherModel, setModel, value) = (model, otherModel, setModel, untracked { limit.value })
        let isRolledBack = random.oneIn(3)
        let isUndone = !isRolledBack && random.oneIn(4)
        actions.append(isRolledBack ? "refused {" : isUndone ? "undone {" : "transaction {")
        defer { actions.append("}") }
        do {
            try inTransaction {
                for _ in 0..<1 + random.below(5) {
                    if depth < 3, random.oneIn(5) { transact(depth: depth + 1) } else { edit() }
                    if random.oneIn(2) {
                        actions.append("compare")
                        untracked { compare() }
                    }
                }
                if isUndone {
                    for key in Set(self.model.keys).union(model.keys) { dictionary[key] = model[key] }
                    for key in Set(self.otherModel.keys).union(otherModel.keys) { other[key] = otherModel[key] }
                    set.formIntersection(setModel)
                    set.formUnion(setModel)
                    limit.value = value
                    (self.model, self.otherModel, self.setModel) = (model, otherModel, setModel)
                }
                if isRolledBack { throw Refusal() }
            }
        } catch {
            (self.model, self.otherModel, self.setModel) = (model, otherModel, setModel)
        }
    }

    func step() {
        let (before, ran, ranKeys, keys) = (expected, runs, keyRuns, Array(dictionary.keys))
        (problems, actions) = ([], [])
        if random.oneIn(3) { transact(depth: 0) } else { edit() }
        guard problems.isEmpty else { return }
        let now = expected
        if isObserved {
            let isExact = !isReset && (actions.count == 1 || now == before)
            let haveFollowed = runs["halves"] != ran["halves"] && runs["low"] != ran["low"]
            if actions.count == 1, haveFollowed { isReset = false }
            for (name, view) in views {
                expect("seen count of \(name)", seen[name + " count"] == [0: now[name]!.count])
                for key in Self.keys {
                    let (old, new) = (before[name]![key], now[name]![key])
                    expect("seen \(name)[\(key)]", seen[name]![key] == new)
                    let count = (runs[name]?[key] ?? 0) - (ran[name]?[key] ?? 0)
                    if isExact {
                        let values = "\(old.map(String.init) ?? "none") to \(new.map(String.init) ?? "none")"
                        expect("\(name)[\(key)] ran \(count) times, \(values)", count == (old == new ? 0 : 1))
                    }
                }
                _ = view
            }
            if isExact, keys == Array(dictionary.keys) { expect("keys ran", keyRuns == ranKeys) }
        }
        if random.oneIn(3) { compare() }
    }
}

@Suite(.ownGraph, .timeLimit) struct KeyedOracleTests {
    @Test(arguments: seeds(30), [true, false]) func followsPlainDictionaries(seed: UInt64, isObserved: Bool) {
        let subject = Subject(seed: seed)
        if isObserved { subject.observe() }
        for step in 0..<100 {
            subject.step()
            guard subject.problems.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(subject.problems) after \(subject.actions)")
                break
            }
        }
        subject.stop()
    }
}
