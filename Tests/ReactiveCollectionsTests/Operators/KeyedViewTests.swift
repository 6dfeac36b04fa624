// Views by key: rows that are used again, keys that leave, and which closures and observers run.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct KeyedViewTests {
        private typealias Numbers = LiveDictionary<String, Int>

        @Test func aKeyOnARowThatIsUsedAgainIsADifferentKey() {
            let dictionary: ObservableDictionary = ["a": 1, "b": 2]
            let live = dictionary.live
            let (doubles, low, keys, pairs) = (
                live.mapValues { $0 * 2 }, live.filter { $0.value < 9 }, live.keys, live.values
            )
            func expect(_ expected: [String: Int]) {
                #expect(doubles.elements == expected.mapValues { $0 * 2 })
                #expect(low.elements == expected)
                #expect(keys.elements.sorted() == expected.keys.sorted())
                #expect(pairs.elements.sorted() == expected.values.sorted())
            }
            expect(["a": 1, "b": 2])
            dictionary["a"] = nil
            dictionary["c"] = 1
            expect(["b": 2, "c": 1])
            #expect(doubles["a"] == nil && doubles["c"] == 2 && low["a"] == nil && low["c"] == 1)
            inTransaction {
                dictionary["d"] = 4
                dictionary["d"] = nil
            }
            expect(["b": 2, "c": 1])
        }

        @Test func aKeyOnAMergedRowThatIsUsedAgainIsADifferentKey() {
            let (first, second): (ObservableDictionary, ObservableDictionary) = (["a": 1, "b": 2], ["b": 3])
            let merged = first.live.merging(second.live) { $0 + $1 }
            let (doubles, keys) = (merged.mapValues { $0 * 2 }, merged.keys)
            #expect(doubles.elements == ["a": 2, "b": 10] && keys.count == 2)
            first["a"] = nil
            #expect(merged.count == 1)
            second["c"] = 1
            #expect(merged.count == 2)
            #expect(doubles.elements == ["b": 10, "c": 2] && keys.elements.sorted() == ["b", "c"])
            #expect(doubles["a"] == nil && doubles["c"] == 2)
            first["b"] = nil
            second["b"] = nil
            second["c"] = nil
            #expect(merged.count == 0)
            #expect(doubles.elements == [:] && keys.elements == [])
        }

        @Test func rowsOfMergedKeysAreUsedAgain() throws {
            let (first, second) = (ObservableDictionary<Int, Int>(), ObservableDictionary<Int, Int>([0: 0]))
            let merged = first.live.merging(second.live) { $0 + $1 }
            let view = try #require(merged.stage.view as? View<MergedState<Int, Int>>)
            for number in 0..<100 {
                first[number] = 1
                #expect(merged.count == (number == 0 ? 1 : 2))
                first[number] = nil
                #expect(merged.count == 1)
            }
            #expect(view.state.entries.count <= 2)
            second.removeAll()
            #expect(merged.count == 0 && view.state.entries.isEmpty)
        }

        @Test func mergedFollowsTwoSidesThatAreReplaced() {
            let (first, second): (ObservableDictionary, ObservableDictionary) = (["a": 1, "b": 2], ["b": 3, "c": 4])
            var calls = 0
            let merged = first.live.merging(second.live) { a, b in
                calls += 1
                return a + b
            }
            let doubles = merged.mapValues { $0 * 2 }
            let reactions = [
                autorun { _ = merged.elements }, autorun { _ = merged["b"] }, autorun { _ = merged["d"] },
                autorun { _ = doubles.elements },
            ]
            inTransaction {
                first.removeAll()
                second.removeAll()
                (first["b"], second["b"], second["d"]) = (7, 8, 9)
            }
            #expect(merged.elements == ["b": 15, "d": 9] && merged["b"] == 15 && merged["d"] == 9)
            #expect(doubles.elements == ["b": 30, "d": 18])
            #expect(reactions.map(\.runCount) == [2, 2, 2, 2] && calls == 2)
            second["d"] = 10
            #expect(reactions.map(\.runCount) == [3, 2, 3, 3])
            reactions.forEach { $0.cancel() }
        }

        @Test func closuresRunForKeysWhoseValuesChange() {
            let (first, second): (ObservableDictionary, ObservableDictionary) = (["a": 1, "b": 2], ["b": 30])
            let log = Log()
            let merged = first.live.merging(second.live) { a, b in
                log("merge \(a) \(b)")
                return a + b
            }
            let tens = merged.mapValues { value in
                log("map \(value)")
                return value / 10
            }
            let reaction = autorun { _ = tens.elements }
            #expect(Set(log.take()) == ["merge 2 30", "map 32", "map 1"])
            first["b"] = 3
            #expect(log.take() == ["merge 3 30", "map 33"] && reaction.runCount == 1)
            first["a"] = 2
            #expect(log.take() == ["map 2"] && reaction.runCount == 1)
            second["a"] = 5
            #expect(log.take() == ["merge 2 5", "map 7"] && reaction.runCount == 1)
            second["b"] = nil
            #expect(log.take() == ["map 3"] && reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func aKeyThatLeavesOneSideDependsOnNothing() {
            for isFirst in [true, false] {
                final class Flag { let isOn = Observable(true) }
                let (first, second) = (ObservableDictionary(["a": Flag()]), ObservableDictionary(["a": Flag()]))
                weak let isOn = (isFirst ? first : second)["a"]?.isOn
                let merged = first.live.merging(second.live) { $0.isOn.value && $1.isOn.value ? $0 : $1 }
                let reaction = autorun { _ = merged.count }
                if isFirst { first["a"] = nil } else { second["a"] = nil }
                #expect(isOn == nil)
                reaction.cancel()
            }
        }

        @Test func keysThatAreReplacedDependOnNothing() {
            final class Flag { let isOn = Observable(true) }
            let (first, second) = (ObservableDictionary(["a": Flag()]), ObservableDictionary(["a": Flag()]))
            weak let isOn = first["a"]?.isOn
            let merged = first.live.merging(second.live) { $0.isOn.value && $1.isOn.value ? $0 : $1 }
            let reaction = autorun { _ = merged.count }
            inTransaction {
                first.removeAll()
                second.removeAll()
            }
            #expect(isOn == nil)
            reaction.cancel()
        }

        @Test func aKeyThatLeavesDependsOnNothing() {
            final class Flag { let isOn = Observable(true) }
            let views: [(LiveDictionary<String, Flag>) -> () -> Int] = [
                { flags in
                    let view = flags.mapValues { $0.isOn.value }
                    return { view.count }
                },
                { flags in
                    let view = flags.filter { $0.value.isOn.value }
                    return { view.count }
                },
            ]
            for view in views {
                let flags = ObservableDictionary(["a": Flag(), "b": Flag()])
                weak let isOn = flags["a"]?.isOn
                let read = view(flags.live)
                let reaction = autorun { _ = read() }
                flags["a"] = nil
                #expect(isOn == nil && read() == 1)
                reaction.cancel()
            }
        }

        @Test func anIterationEndsEarly() {
            let (first, second): (ObservableDictionary, ObservableDictionary) = ([1: 1, 2: 2], [2: 2, 3: 3])
            let merged = first.live.merging(second.live) { a, _ in a }
            for view in [first.live.mapValues { $0 }, first.live.filter { _ in true }, merged] {
                var count = 0
                view.stage.withLock {
                    view.stage.refresh()
                    view.entries.forEach { _, _, _ in
                        count += 1
                        return false
                    }
                }
                #expect(count == 1)
            }
        }

        @Test func viewsOfKeysHaveTheNameOfTheirCollection() {
            let dictionary = ObservableDictionary(["a": 1], named: "prices")
            #expect(dictionary.live.keys.stage.node.displayName == "prices")
            #expect(ObservableSet([1], named: "numbers").live.stage.node.displayName == "numbers")
        }

        @Test func readersOfAFilterIgnoreKeysThatStay() {
            let limit = Observable(5)
            let dictionary: ObservableDictionary = ["a": 1, "b": 9]
            let low = dictionary.live.filter { $0.value < limit.value }
            let reactions = [autorun { _ = low.elements }, autorun { _ = low["a"] }]
            limit.value = 4
            #expect(reactions.map(\.runCount) == [1, 1])
            limit.value = 1
            #expect(low.isEmpty && reactions.map(\.runCount) == [2, 2])
            reactions.forEach { $0.cancel() }
        }

        @Test func changesOfOneSideAreNoLoop() {
            let (first, second) = (ObservableDictionary([1: 1]), ObservableDictionary([1: 1]))
            let factor = Observable(1)
            let merged = first.live.merging(second.live) { $0 + $1 * factor.value }
            let reported = issues {
                #expect(merged.elements == [1: 2])
                first[1] = 2
                #expect(merged.elements == [1: 3])
                second[1] = 3
                #expect(merged.elements == [1: 5])
                factor.value = 2
                #expect(merged.elements == [1: 8])
            }
            #expect(reported.isEmpty)
        }

        @Test func aClosureThatAlwaysWritesIsReported() {
            let (first, second) = (ObservableDictionary([1: 1]), ObservableDictionary([1: 1]))
            let merged = first.live.merging(second.live) { a, b in
                second[1] = b + 1
                return a + b
            }
            let reported = issues { _ = merged.count }
            #expect(reported.contains { $0.kind == .loop && $0.message.contains("A view updates in a loop") })
        }
    }
}
