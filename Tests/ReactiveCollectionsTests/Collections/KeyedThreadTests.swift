// Dictionaries, sets and views by key on actors, on threads and in graphs of their own.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private actor Ledger {
    var entries: [String: Int] = [:]
    var doubles: [String: Int] = [:]
    var tags: Set<String> = []

    func follow(_ stock: ObservableDictionary<String, Int>, _ set: ObservableSet<String>) {
        let view = stock.live.mapValues(isolation: nil) { 2 * $0 }
        reaction(of: self, to: stock) { me, changes in
            me.assertIsolated()
            me.entries.apply(changes)
        }
        reaction(of: self, to: view) { me, changes in
            me.assertIsolated()
            me.doubles.apply(changes)
        }
        reaction(of: self, to: set) { me, changes in
            me.assertIsolated()
            me.tags.apply(changes)
        }
    }
}

extension ReactiveCollectionsTests {
    @Suite struct KeyedThreadTests {
        @Test func actorsFollowChanges() async {
            let stock = ObservableDictionary<String, Int>()
            let set = ObservableSet<String>()
            let ledger = Ledger()
            await ledger.follow(stock, set)
            onThreads(3) { thread in
                for step in 0..<100 {
                    try? inTransaction {
                        stock["\(thread)-\(step % 9)"] = step
                        stock["\((thread + 1) % 3)-\(step % 4)"] = nil
                        set.formSymmetricDifference(["\(step % 5)", "\(thread)"])
                        if step % 6 == 5 { throw CancellationError() }
                    }
                }
            }
            await letOthersRun()
            let expected = stock.snapshot.reduce(into: [String: Int]()) { $0[$1.key] = $1.value }
            #expect(await ledger.entries == expected)
            #expect(await ledger.doubles == expected.mapValues { 2 * $0 })
            #expect(await ledger.tags == Set(set))
        }

        @Test(arguments: seeds(10)) func viewsByKeyAgreeAfterManyThreads(seed: UInt64) {
            let (first, second) = (ObservableDictionary<Int, Int>(), ObservableDictionary<Int, Int>())
            let parity = Observable(0)
            let even = first.live.filter(isolation: nil) { ($0.value + parity.value) % 2 == 0 }
            let merged = even.merging(second.live, isolation: nil) { $0 + $1 }
            let texts = merged.compactMapValues(isolation: nil) { $0 % 5 == 0 ? nil : "\($0)" }
            let groups = merged.sorted(isolation: nil) { $0.value }.grouped(isolation: nil) { $0.value % 3 }
            let torn = Shared(0)
            let reactions = (0..<6).map { key in
                autorun {
                    let text = texts[key]
                    let value = merged[key]
                    if text != value.flatMap({ $0 % 5 == 0 ? nil : "\($0)" }) { torn.withLock { $0 += 1 } }
                    if let value, groups[value % 3] == nil { torn.withLock { $0 += 1 } }
                }
            }
            onThreads(3) { thread in
                var random = SplitMix64(seed: seed &* 7 &+ UInt64(thread))
                for _ in 0..<100 {
                    try? inTransaction {
                        for _ in 0..<random.below(4) {
                            let dictionary = random.oneIn(2) ? first : second
                            dictionary[random.below(8)] = random.oneIn(4) ? nil : random.below(50)
                        }
                        if random.oneIn(9) { first.removeAll() }
                        if random.oneIn(5) { parity.value += 1 }
                        if random.oneIn(4) { throw CancellationError() }
                    }
                    _ = texts[random.below(8)]
                }
            }
            func plain(_ dictionary: ObservableDictionary<Int, Int>) -> [Int: Int] {
                dictionary.snapshot.reduce(into: [:]) { $0[$1.key] = $1.value }
            }
            let expected = plain(first).filter { ($0.value + parity.value) % 2 == 0 }.merging(plain(second)) { $0 + $1 }
            #expect(merged.elements == expected, "seed \(seed)")
            #expect(texts.elements == expected.compactMapValues { $0 % 5 == 0 ? nil : "\($0)" }, "seed \(seed)")
            let sizes = Dictionary(grouping: expected.values) { $0 % 3 }.mapValues(\.count)
            #expect(groups.elements.mapValues(\.count) == sizes, "seed \(seed)")
            reactions.forEach { $0.cancel() }
            #expect(torn.value == 0, "seed \(seed)")
        }

        @Test func independentGraphsHaveCollectionsOfTheirOwn() {
            let (one, two) = (IndependentGraph(named: "one"), IndependentGraph(named: "two"))
            let log = Log()
            func make(
                in graph: IndependentGraph, _ name: String
            ) -> (ObservableDictionary<String, Int>, ObservableSet<Int>) {
                graph.run {
                    let stock: ObservableDictionary = ["a": 1]
                    let set: ObservableSet = [1]
                    let groups = set.live.map(isolation: nil) { $0 * 10 }.grouped(isolation: nil) { $0 % 20 }
                    let doubles = stock.live.mapValues(isolation: nil) { 2 * $0 }
                    autorun { log("\(name) \(doubles["a"] ?? 0) \(groups[0]?.count ?? 0)") }
                    reaction(to: set) { log("\(name) +\($0.inserted) -\($0.removed)") }
                    return (stock, set)
                }
            }
            let (stock, set) = make(in: one, "one")
            let (otherStock, otherSet) = make(in: two, "two")
            #expect(log.take() == ["one 2 0", "two 2 0"])
            stock["a"] = 2
            otherSet.insert(2)
            #expect(log.take() == ["one 4 0", "two 2 1", "two +[2] -[]"])
            onOtherThread {
                // In an effect of one graph the other graph can be used.
                let follower: Reaction = one.run {
                    reaction {
                        stock["a"]
                    } onChange: { _ in
                        otherStock["a"] = 9
                    }
                }
                stock["a"] = 3
                follower.cancel()
            }
            #expect(log.take() == ["one 6 0", "two 18 1"])
            set.remove(1)
            #expect(log.take() == ["one +[] -[1]"])
            one.cancelReactions()
            two.cancelReactions()
        }
    }
}
