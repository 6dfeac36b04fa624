// `reaction(to:)` for dictionaries, views by key, and sets.

import Reactive
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct KeyedChangesTests {
        @Test func aDictionaryGivesItsChanges() {
            let stock: ObservableDictionary = ["a": 1, "b": 2]
            var calls: [[KeyedChange<String, Int>]] = []
            let reaction = reaction(to: stock) { calls.append($0) }
            stock["a"] = 5
            stock["c"] = 3
            stock["b"] = nil
            inTransaction {
                stock["a"] = nil
                stock["d"] = 4
                stock["a"] = 6
                stock["d"] = nil
            }
            inTransaction {
                stock["a"] = 7
                stock["a"] = 6
            }
            stock.removeAll()
            #expect(
                calls.dropLast() == [
                    [.update(5, forKey: "a", was: 1)], [.insert(3, forKey: "c")], [.remove(2, forKey: "b")],
                    [.update(6, forKey: "a", was: 5)],
                ])
            #expect(Set(calls.last ?? []) == [.remove(6, forKey: "a"), .remove(3, forKey: "c")])
            reaction.cancel()
        }

        @Test func aSetGivesTheInsertedAndRemovedElements() {
            let set: ObservableSet = [1, 2]
            var calls: [SetChanges<Int>] = []
            var copy: Set = [1, 2]
            let reaction = reaction(to: set) {
                calls.append($0)
                copy.apply($0)
            }
            set.insert(3)
            inTransaction {
                set.remove(1)
                set.insert(1)
                set.remove(2)
                set.insert(4)
            }
            set.insert(4)
            #expect(calls.map(\.inserted) == [[3], [4]])
            #expect(calls.map(\.removed) == [[], [2]])
            #expect(copy == [1, 3, 4])
            reaction.cancel()
        }

        @Test(arguments: seeds(40)) func changesLeadFromBeforeToAfter(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let dictionary = ObservableDictionary<Int, Int>()
            let view = dictionary.live.filter { $0.value % 2 == 0 }.mapValues { $0 + 1 }
            var (plain, plainView, calls) = ([Int: Int](), [Int: Int](), 0)
            let reactions = [
                reaction(to: dictionary) {
                    plain.apply($0)
                    calls += 1
                },
                reaction(to: view) { plainView.apply($0) },
            ]
            for _ in 0..<100 {
                let (before, callsBefore) = (plain, calls)
                try? inTransaction {
                    for _ in 0..<random.below(6) {
                        let key = random.below(12)
                        switch random.below(8) {
                        case 0...3: dictionary[key] = random.below(6)
                        case 4, 5: dictionary[key] = nil
                        case 6: dictionary[key, default: 0] += 1
                        default: if random.oneIn(8) { dictionary.removeAll() }
                        }
                    }
                    if random.oneIn(4) { throw CancellationError() }
                }
                let now = Dictionary(uniqueKeysWithValues: dictionary.map { ($0.key, $0.value) })
                #expect(plain == now, "seed \(seed)")
                #expect(plainView == now.filter { $0.value % 2 == 0 }.mapValues { $0 + 1 }, "seed \(seed)")
                #expect(calls - callsBefore == (before == now ? 0 : 1), "seed \(seed)")
            }
            for reaction in reactions { reaction.cancel() }
        }
    }
}
