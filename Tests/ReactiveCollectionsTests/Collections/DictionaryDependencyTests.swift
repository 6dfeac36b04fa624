// The dependencies of a dictionary: keys, count, membership and values are separate.

import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct DictionaryDependencyTests {
        /// Observers of each kind of dependency of a dictionary, and their numbers of runs.
        private final class Observers {
            private var reactions: [(name: String, reaction: Reaction, before: Int)] = []

            init(_ dictionary: ObservableDictionary<String, Int>, keys: [String]) {
                for key in keys { add(key) { _ = dictionary[key] } }
                add("count") { _ = dictionary.count }
                add("isEmpty") { _ = dictionary.isEmpty }
                add("keys") { _ = dictionary.keys }
                add("values") { _ = dictionary.values }
                add("iteration") { for _ in dictionary {} }
            }

            private func add(_ name: String, _ body: @escaping () -> Void) {
                reactions.append((name, autorun(body), 1))
            }

            /// Returns the observers that ran since the last call. Fails if one of them ran more than once.
            func woken() -> [String] {
                reactions.indices.compactMap { index in
                    let count = reactions[index].reaction.runCount
                    defer { reactions[index].before = count }
                    #expect(count - reactions[index].before <= 1)
                    return count > reactions[index].before ? reactions[index].name : nil
                }
            }

            deinit { reactions.forEach { $0.reaction.cancel() } }
        }

        private let all = ["values", "iteration"]
        private let membership = ["count", "isEmpty", "keys", "values", "iteration"]

        @Test func eachKindChangesAlone() {
            let d: ObservableDictionary = ["a": 1, "b": 2]
            let observers = Observers(d, keys: ["a", "b", "absent"])
            d["a"] = 5
            #expect(observers.woken() == ["a"] + all)
            d["a"] = 5
            d["other"] = nil
            #expect(observers.woken() == [])
            d["c"] = 3
            #expect(observers.woken() == membership)
            d["absent"] = 4
            #expect(observers.woken() == ["absent"] + membership)
            d["b"] = nil
            #expect(observers.woken() == ["b"] + membership)
            d["b", default: 0] += 0
            #expect(observers.woken() == ["b"] + membership)
            d["b", default: 0] += 0
            #expect(observers.woken() == [])
            d["b", default: 0] += 1
            #expect(observers.woken() == ["b"] + all)
            d["b"]? += 0
            d["nowhere"]? += 1
            #expect(observers.woken() == [])
            inTransaction {
                d["c"] = nil
                d["e"] = 1
            }
            #expect(observers.woken() == ["keys"] + all)
            d.removeAll()
            #expect(observers.woken() == ["a", "b", "absent"] + membership)
            d.removeAll()
            d.removeAll { _ in true }
            d.merge([:]) { $1 }
            #expect(observers.woken() == [])
            d.merge(["a": 1, "x": 2]) { $1 }
            #expect(observers.woken() == ["a"] + membership)
        }

        @Test func aTransactionWithoutNetEffectRunsNoObserver() {
            let d: ObservableDictionary = ["a": 1, "b": 2, "c": 3]
            let observers = Observers(d, keys: ["a", "b", "c", "absent"])
            inTransaction {
                d["a"] = 5
                d["a"] = 1
            }
            inTransaction {
                d["absent"] = 5
                d["absent"] = nil
            }
            inTransaction {
                d["a"] = nil
                d["a"] = 1
            }
            inTransaction {
                d.removeAll()
                d["c"] = 3
                d["b"] = 2
                d["a"] = 1
            }
            inTransaction {
                for key in ["a", "b"] { d[key] = nil }
                for key in ["a", "b"] { d[key, default: 0] += key == "a" ? 1 : 2 }
            }
            #expect(observers.woken() == [])
            inTransaction {
                d["a"] = nil
                d["b"] = 7
                d["a"] = 1
            }
            #expect(observers.woken() == ["b"] + all)
        }

        @Test func aRollBackRestoresEverythingAndRunsNoObserver() {
            let d: ObservableDictionary = ["a": 1, "b": 2]
            let observers = Observers(d, keys: ["a", "b", "absent"])
            try? inTransaction {
                d["a"]? += 1
                d["absent"] = 5
                d["b"] = nil
                try? inTransaction {
                    d.removeAll()
                    #expect(d.count == 0)
                    throw Refused.once
                }
                #expect(d.elements == ["a": 2, "absent": 5])
                throw Refused.once
            }
            #expect(d.elements == ["a": 1, "b": 2])
            #expect(observers.woken() == [])
            d["absent"] = 1
            #expect(observers.woken() == ["absent"] + membership)
        }

        @Test func computedsOfKeysFollow() {
            let d: ObservableDictionary = ["a": 1]
            let sum = Computed { (d["a"] ?? 0) + (d["b"] ?? 0) }
            #expect(sum.value == 1)
            d["b"] = 5
            #expect(sum.value == 6)
            try? inTransaction {
                d["b"] = 10
                #expect(sum.value == 11)
                throw Refused.once
            }
            #expect(sum.value == 6)
            var log: [Int] = []
            let r = autorun { log.append(sum.value) }
            inTransaction {
                d["a"] = 6
                d["b"] = 0
                _ = sum.value
            }
            d["c"] = 5
            d["b"] = nil
            d["a"] = nil
            #expect(log == [6, 0])
            r.cancel()
        }

        @Test func aKeyThatWasCreatedInATransactionIsRolledBack() {
            let d = ObservableDictionary<String, Int>()
            let value = Computed { d["a"] }
            try? inTransaction {
                d["a"] = 1
                #expect(value.value == 1)
                throw Refused.once
            }
            #expect(value.value == nil)
            d["a"] = 2
            #expect(value.value == 2)
        }

        @Test func aMutationInPlaceReadsPlainValuesOnly() {
            let counts: ObservableDictionary = ["a": 1]
            let lists: ObservableDictionary = ["a": [1]]
            let trigger = Observable(0)
            let r = autorun {
                _ = trigger.value
                lists["a"]?.append(trigger.value)
            }
            lists["a"] = []
            #expect(r.runCount == 1)
            trigger.value = 4
            #expect(lists["a"] == [4])
            r.cancel()
            let s = autorun { if trigger.value < 10 { counts["a", default: 0] += 0 } }
            counts["a"] = 7
            #expect(s.runCount == 2)
            s.cancel()
        }

        @Test func rulesOfEquality() {
            let byParity = ObservableDictionary(["a": 1], equals: { $0 % 2 == $1 % 2 })
            let nan = ObservableDictionary(["a": Double.nan])
            final class Object {}
            let object = Object()
            let objects = ObservableDictionary(["a": object])
            struct Plain { var x = 1 }
            let never = ObservableDictionary(["a": Plain()])
            var log: [String] = []
            let reactions = [
                autorun { log.append("parity \(byParity["a"]!)") }, autorun { log.append("nan \(nan["a"]!)") },
                autorun { log.append(objects["a"]! === object ? "same" : "other") },
                autorun { log.append("plain \(never["a"]!.x)") },
            ]
            log = []
            byParity["a"] = 3
            nan["a"] = .nan
            objects["a"] = object
            never["a"] = Plain()
            #expect(log == ["plain 1"])
            #expect(byParity["a"] == 1)
            objects["a"] = Object()
            byParity["a"] = 2
            #expect(log == ["plain 1", "other", "parity 2"])
            reactions.forEach { $0.cancel() }
        }
    }
}
