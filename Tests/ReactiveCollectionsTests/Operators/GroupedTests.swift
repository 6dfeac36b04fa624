// Promises of views by key, one per test.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Entry: Equatable {
    var id: Int
    var owner: String
}

extension ReactiveCollectionsTests {
    @Suite struct GroupedTests {
        private func entries(_ owners: String...) -> ObservableArray<Entry> {
            ObservableArray(owners.enumerated().map { Entry(id: $0, owner: $1) })
        }

        @Test func aGroupIsTheSameObjectWhileItIsKept() {
            let array = entries("a", "b", "a")
            let groups = array.live.grouped(isolation: nil) { $0.owner }
            let group = groups["a"]
            #expect(group != nil && groups["a"] === group)
            array.removeAll { $0.owner == "a" }
            #expect(groups["a"] == nil)
            #expect(group?.isEmpty == true)
            array.append(Entry(id: 9, owner: "a"))
            #expect(groups["a"] === group)
            #expect(group?.elements.map(\.id) == [9])
        }

        @Test func keysRunOnceForEachElement() {
            let array = entries("a", "b", "a")
            var count = 0
            let groups = array.live.grouped(isolation: nil) {
                count += 1
                return $0.owner
            }
            _ = groups.elements
            #expect(count == 3)
            array.append(Entry(id: 3, owner: "c"))
            array.swapAt(0, 1)
            array[2] = Entry(id: 2, owner: "b")
            #expect(groups["b"]?.elements.map(\.id) == [1, 2])
            #expect(count == 5)
            array.remove(at: 0)
            #expect(groups["b"]?.elements.map(\.id) == [2])
            #expect(count == 5)
        }

        @Test func observersOfOtherGroupsDoNotRun() {
            let array = entries("a", "b", "c")
            let groups = array.live.grouped(isolation: nil) { $0.owner }
            let log = Log()
            let reactions = ["a", "b", "d"].map { key in
                autorun { log("\(key) \(groups[key]?.elements.map(\.id) ?? [])") }
            }
            #expect(log.take() == ["a [0]", "b [1]", "d []"])
            array[2] = Entry(id: 2, owner: "b")
            #expect(log.take() == ["b [1, 2]"])
            array.append(Entry(id: 3, owner: "d"))
            #expect(log.take() == ["d [3]"])
            array.remove(at: 3)
            #expect(log.take() == ["d []"])
            reactions.forEach { $0.cancel() }
        }

        @Test func aTransactionThatIsRolledBackRunsNoObserver() {
            let array = entries("a", "b", "a")
            var count = 0
            let groups = array.live.grouped(isolation: nil) {
                count += 1
                return $0.owner
            }
            let log = Log()
            let reaction = autorun { log("\(groups["a"]?.elements.map(\.id) ?? [])") }
            _ = log.take()
            struct Refusal: Error {}
            try? inTransaction {
                array[1] = Entry(id: 1, owner: "a")
                #expect(groups["a"]?.elements.map(\.id) == [0, 1, 2])
                #expect(groups["b"] == nil)
                throw Refusal()
            }
            #expect(log.take() == [])
            #expect(groups["b"]?.elements.map(\.id) == [1])
            #expect(count == 4)
            reaction.cancel()
        }

        @Test func theFirstOfSeveralElementsWithOneKeyCounts() {
            let array = entries("a", "b", "a", "a")
            let index = array.live.indexed(isolation: nil) { $0.owner }
            let reported = issues { #expect(index["a"]?.id == 0) }
            #expect(reported.count == 1)
            var seen: [Int?] = []
            let reaction = autorun { seen.append(index["a"]?.id) }
            array.remove(at: 3)
            array.remove(at: 0)
            array.remove(at: 1)
            reaction.cancel()
            #expect(seen == [0, 2, nil])
        }

        @Test func resultsLiveAsLongAsTheirKeys() {
            let dictionary: ObservableDictionary = ["a": 1, "b": 2]
            let log = Log()
            let view = dictionary.live.mapValues(isolation: nil) { value in
                onCleanup { log("end \(value)") }
                return value
            }
            #expect(view.elements == ["a": 1, "b": 2])
            dictionary["a"] = 3
            #expect(view["a"] == 3)
            #expect(log.take() == ["end 1"])
            dictionary["b"] = nil
            #expect(view.count == 1)
            #expect(log.take() == ["end 2"])
        }

        @Test func aViewIsFreedWithItsLastReader() {
            let tracker = LifetimeTracker()
            let array = entries("a", "b")
            weak var leaked: LiveDictionary<String, LiveArray<Entry>>?
            do {
                let token = tracker.token()
                let groups = array.live.grouped(isolation: nil) { entry in
                    _ = token
                    return entry.owner
                }
                leaked = groups
                let lengths = groups.mapValues(isolation: nil) { $0.count }
                let first = groups["a"].map { $0.map(isolation: nil) { $0.id } }
                let reaction = autorun {
                    _ = groups["a"]?.count
                    _ = groups["c"]?.elements
                    _ = lengths["b"]
                    _ = first?.elements
                }
                array.append(Entry(id: 2, owner: "c"))
                array.remove(at: 0)
                reaction.cancel()
            }
            #expect(leaked == nil)
            #expect(tracker.alive == 0)
        }
    }
}
