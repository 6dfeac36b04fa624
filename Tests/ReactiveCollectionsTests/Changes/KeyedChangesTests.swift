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

        @Test func replacingAllKeysByMoreGivesAllChanges() {
            let stock: ObservableDictionary = [1: 1, 2: 2]
            var calls: [Set<KeyedChange<Int, Int>>] = []
            let reaction = reaction(to: stock) { calls.append(Set($0)) }
            inTransaction {
                stock.removeAll()
                for key in 2..<7 { stock[key] = 10 * key }
            }
            #expect(
                calls == [
                    [
                        .remove(1, forKey: 1), .update(20, forKey: 2, was: 2), .insert(30, forKey: 3),
                        .insert(40, forKey: 4), .insert(50, forKey: 5), .insert(60, forKey: 6),
                    ]
                ])
            reaction.cancel()
        }

        @Test func whatComesAndGoesBeforeARunGivesNoCall() {
            let (stock, tags): (ObservableDictionary, ObservableSet) = (["a": 1], [1])
            var pending: [@Sendable () -> Void] = []
            var calls = 0
            let schedule = Schedule.custom { pending.append($0) }
            let reactions = [
                reaction(to: stock, schedule: schedule) { _ in calls += 1 },
                reaction(to: tags, schedule: schedule) { _ in calls += 1 },
            ]
            stock["b"] = 2
            stock["b"] = nil
            tags.remove(1)
            tags.insert(1)
            #expect(pending.count == 2)
            for run in pending { run() }
            #expect(calls == 0)
            for reaction in reactions { reaction.cancel() }
        }

        @Test func aReactionCreatedInARolledBackTransactionStartsAgain() {
            let stock: ObservableDictionary = ["a": 1]
            var calls: [[KeyedChange<String, Int>]] = []
            try? inTransaction {
                stock["b"] = 2
                reaction(to: stock) { calls.append($0) }
                throw CancellationError()
            }
            stock["c"] = 3
            stock["a"] = nil
            #expect(calls == [[.insert(3, forKey: "c")], [.remove(1, forKey: "a")]])
        }

        // MARK: - Lifetimes

        @Test func removedValuesAreReleasedAfterTheDelivery() {
            let tracker = LifetimeTracker()
            let stock = ObservableDictionary(["a": tracker.token(), "b": tracker.token()])
            let reaction = reaction(to: stock) { _ in }
            stock["a"] = nil
            #expect(tracker.alive == 1)
            reaction.cancel()
        }

        /// The reaction holds the last reference to a value that its first run has read.
        @Test func valuesOfARolledBackFirstRunAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let stock = ObservableDictionary<Int, LifetimeTracker.Token>()
            try? inTransaction {
                stock[1] = tracker.token { #expect(GraphHandle.held == nil) }
                reaction(to: stock) { _ in }
                stock.removeAll()
                throw CancellationError()
            }
            #expect(tracker.alive == 0)
        }

        // MARK: - Random

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
                        func change(_ value: inout Int?, to new: Int?) { value = new }
                        switch random.below(9) {
                        case 8: change(&dictionary[key], to: random.oneIn(2) ? nil : random.below(6))
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
