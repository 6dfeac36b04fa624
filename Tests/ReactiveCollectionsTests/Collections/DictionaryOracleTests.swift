// Random histories compared with plain dictionaries: values, numbers of runs, cached results.

import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct DictionaryOracleTests {
        @Test(arguments: seeds(16)) func aDictionaryFollowsAPlainOne(seed: UInt64) {
            History(seed: seed).run()
        }

        @Test(arguments: seeds(12)) func aSetFollowsAPlainOne(seed: UInt64) {
            SetHistory(seed: seed).run()
        }

        @Test(arguments: seeds(3)) func writersOnSeveralThreadsSeeTheirTransactions(seed: UInt64) {
            let d = ObservableDictionary<Int, Int>()
            let (keys, threads, rounds) = (12, 4, isUnderThreadSanitizer ? 100 : 500)
            // For every interleaving: each transaction moves a unit from one key to a different one.
            for key in 0..<keys { d[key] = 100 }
            let sums = Shared<Set<Int>>([])
            let total = Computed { (0..<keys).reduce(0) { $0 + (d[$1] ?? 0) } }
            let reaction = autorun { _ = sums.withLock { $0.insert(total.value) } }
            onThreads(threads) { thread in
                var random = SplitMix64(seed: seed &* 31 &+ UInt64(thread))
                for _ in 0..<rounds {
                    let (from, to, fails) = (random.below(keys), random.below(keys), random.oneIn(4))
                    try? inTransaction {
                        d[from, default: 0] -= 1
                        d[to, default: 0] += 1
                        if fails { throw Refused.once }
                    }
                    if random.oneIn(8) {
                        let snapshot = d.snapshot
                        #expect(snapshot.values.reduce(0, +) == keys * 100)
                    }
                }
            }
            #expect(sums.value == [keys * 100], "seed \(seed)")
            reaction.cancel()
        }
    }
}

/// Values that are equal if their tens have the same parity, so that equal values may differ.
private func areEqual(_ a: Int, _ b: Int) -> Bool { a / 10 == b / 10 }

/// A random history of a dictionary, with observers of all kinds.
private final class History {
    private let seed: UInt64
    private var random: SplitMix64
    private let dictionary: ObservableDictionary<Int, Int>
    private var model: [Int: Int] = [:]
    private let keys = 24
    /// The last value that each observer has seen, and its number of runs.
    private var seen: [String: (what: String, runs: Int)] = [:]
    private var reactions: [String: Reaction] = [:]
    private var computeds: [Int: Computed<Int?>] = [:]
    private var snapshots: [(DictionarySnapshot<Int, Int>, [Int: Int])] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        dictionary = ObservableDictionary(equals: { areEqual($0, $1) })
    }

    func run() {
        for _ in 0..<400 {
            let before = model
            step(depth: 0)
            #expect(GraphHandle.held == nil, "seed \(seed)")
            check(since: before)
        }
        reactions.values.forEach { $0.cancel() }
        computeds = [:]
        #expect(dictionary.keyNodes.isEmpty, "seed \(seed)")
        #expect(dictionary.countNode == nil && dictionary.membershipNode == nil, "seed \(seed)")
    }

    // MARK: - Operations

    private func step(depth: Int) {
        switch random.below(depth < 3 ? 24 : 20) {
        case 0...3: set(key, value)
        case 4...5: set(key, nil)
        case 6:
            let key = key
            dictionary[key, default: 5] += 10
            model[key, default: 5] += 10
        case 7:
            let key = key
            dictionary[key]? += 0
        case 8:
            let key = key
            let removed = dictionary.removeValue(forKey: key)
            #expect((removed == nil) == (model.removeValue(forKey: key) == nil), "seed \(seed)")
        case 9:
            let remainder = random.below(6)
            dictionary.removeAll { $0.key % 6 == remainder }
            model = model.filter { $0.key % 6 != remainder }
        case 10:
            // Each key once: in one call a value may change twice, and the result is a change.
            let pairs = Set((0..<random.below(8)).map { _ in key }).sorted().map { ($0, value) }
            dictionary.merge(pairs) { $0 / 2 + $1 / 2 }
            for (key, value) in pairs {
                if let old = model[key] { store(old / 2 + value / 2, key) } else { model[key] = value }
            }
        case 11 where random.oneIn(4):
            dictionary.removeAll()
            model = [:]
        case 12:
            let key = key
            func change(_ value: inout Int?, to new: Int?) { value = new }
            let new = random.oneIn(2) ? nil : value
            change(&dictionary[key], to: new)
            set(inModel: key, new)
        case 13: observe()
        case 14:
            if let name = reactions.keys.sorted().randomElement(using: &random) {
                reactions.removeValue(forKey: name)?.cancel()
                (seen[name], runsBefore[name]) = (nil, nil)
            }
        case 15:
            let key = key
            computeds[key] = random.oneIn(3) ? nil : computed(of: key)
        case 16: for key in computeds.keys.sorted() { checkComputed(key) }
        case 17: snapshots.append((dictionary.snapshot, dictionary.elements))
        case 18: snapshots.removeAll()
        case 19:
            let removed = dictionary.popFirst()
            #expect((removed == nil) == model.isEmpty, "seed \(seed)")
            if let removed { model[removed.key] = nil }
        case 20...21:
            inTransaction { for _ in 0..<random.below(6) { step(depth: depth + 1) } }
        case 22...23:
            let before = model
            try? inTransaction {
                for _ in 0..<random.below(6) { step(depth: depth + 1) }
                throw Refused.once
            }
            model = before
        default: checkContents()
        }
    }

    private var key: Int { random.below(keys) }
    private var value: Int { random.below(60) }

    private func set(_ key: Int, _ value: Int?) {
        dictionary[key] = value
        set(inModel: key, value)
    }

    private func set(inModel key: Int, _ value: Int?) {
        if let value { store(value, key) } else { model[key] = nil }
    }

    private func store(_ value: Int, _ key: Int) {
        if let old = model[key], areEqual(old, value) { return }
        model[key] = value
    }

    private func computed(of key: Int) -> Computed<Int?> {
        let dictionary = dictionary
        return Computed { dictionary[key].map { $0 / 10 } }
    }

    private func observe() {
        let dictionary = dictionary
        let key = key
        let (name, what): (String, () -> String) =
            switch random.below(6) {
            case 0: ("count", { "\(dictionary.count)" })
            case 1: ("keys", { "\(dictionary.keys.sorted())" })
            case 2: ("values", { "\(dictionary.values.map { $0 / 10 }.sorted())" })
            default: ("key \(key)", { "\(dictionary[key].map { "\($0 / 10)" } ?? "none")" })
            }
        guard reactions[name] == nil else { return }
        reactions[name] = autorun { [unowned self] in
            seen[name] = (what(), (seen[name]?.runs ?? 0) + 1)
        }
    }

    // MARK: - Checks

    private func checkContents() {
        let elements = dictionary.elements
        let isSame = elements.count == model.count && elements.allSatisfy { areEqual($1, model[$0] ?? -1000) }
        #expect(isSame, "seed \(seed): \(elements) instead of \(model)")
        #expect(dictionary.count == model.count, "seed \(seed)")
        #expect(dictionary.keys.contains(3) == (model[3] != nil), "seed \(seed)")
        #if DEBUG
        #expect(dictionary.brokenInvariants() == [], "seed \(seed)")
        #endif
    }

    private func checkComputed(_ key: Int) {
        #expect(computeds[key]?.value == model[key].map { $0 / 10 }, "seed \(seed), key \(key)")
    }

    private func check(since before: [Int: Int]) {
        checkContents()
        // After a transaction without net effect the dictionary may contain earlier values, which are equal.
        model = dictionary.elements
        for key in computeds.keys.sorted() where random.oneIn(3) { checkComputed(key) }
        for (snapshot, elements) in snapshots { #expect(Dictionary(snapshot) == elements, "seed \(seed)") }
        for name in reactions.keys {
            guard let last = seen[name] else { continue }
            let expected =
                switch name {
                case "count": "\(model.count)"
                case "keys": "\(model.keys.sorted())"
                case "values": "\(model.values.map { $0 / 10 }.sorted())"
                default: model[Int(name.split(separator: " ")[1])!].map { "\($0 / 10)" } ?? "none"
                }
            #expect(last.what == expected, "seed \(seed): \(name)")
            // At most one run per operation, and none without a change.
            let start = runsBefore[name] ?? last.runs
            let hasChanged = what(name, in: before) != what(name, in: model)
            #expect(
                last.runs == start || (hasChanged && last.runs == start + 1),
                "seed \(seed): \(name) ran \(last.runs - start) times")
            runsBefore[name] = last.runs
        }
        runsBefore = runsBefore.filter { reactions[$0.key] != nil }
    }

    private var runsBefore: [String: Int] = [:]

    private func what(_ name: String, in model: [Int: Int]) -> [String] {
        switch name {
        case "count": ["\(model.count)"]
        case "keys": model.keys.sorted().map { "\($0)" }
        case "values": model.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value / 10)" }
        default: [model[Int(name.split(separator: " ")[1])!].map { "\($0 / 10)" } ?? "none"]
        }
    }
}

/// A random history of a set, with observers of all kinds.
private final class SetHistory {
    private let seed: UInt64
    private var random: SplitMix64
    private let set = ObservableSet<Int>()
    private var model: Set<Int> = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
    }

    func run() {
        let set = set
        let contains = (0..<20).map { element in autorun { _ = set.contains(element) } }
        let count = autorun { _ = set.count }
        let elements = autorun { _ = set.snapshot }
        let observers = contains + [count, elements]
        for _ in 0..<400 {
            let (before, runs) = (model, observers.map(\.runCount))
            step(depth: 0)
            #expect(set.elements == model, "seed \(seed)")
            #if DEBUG
            #expect(set.brokenInvariants() == [], "seed \(seed)")
            #endif
            let ran = zip(observers, runs).map { $0.runCount - $1 }
            let expected =
                (0..<20).map { before.contains($0) != model.contains($0) ? 1 : 0 }
                + [before.count != model.count ? 1 : 0, before != model ? 1 : 0]
            #expect(ran == expected, "seed \(seed)")
        }
        observers.forEach { $0.cancel() }
        #expect(set.keyNodes.isEmpty, "seed \(seed)")
    }

    private func step(depth: Int) {
        let element = random.below(20)
        let some = (0..<random.below(6)).map { _ in random.below(20) }
        switch random.below(depth < 3 ? 14 : 10) {
        case 0...2: #expect(set.insert(element).inserted == model.insert(element).inserted, "seed \(seed)")
        case 3...4: #expect(set.remove(element) == model.remove(element), "seed \(seed)")
        case 5:
            set.formUnion(some)
            model.formUnion(some)
        case 6:
            set.formSymmetricDifference(some)
            model.formSymmetricDifference(Set(some))
        case 7:
            set.subtract(some)
            model.subtract(some)
        case 8:
            set.formIntersection(Set(some).union(model.prefix(3)))
            model.formIntersection(Set(some).union(model.prefix(3)))
        case 9 where random.oneIn(4):
            set.removeAll()
            model.removeAll()
        case 10...11: inTransaction { for _ in 0..<random.below(6) { step(depth: depth + 1) } }
        case 12...13:
            let before = model
            try? inTransaction {
                for _ in 0..<random.below(6) { step(depth: depth + 1) }
                throw Refused.once
            }
            model = before
        default: break
        }
    }
}
