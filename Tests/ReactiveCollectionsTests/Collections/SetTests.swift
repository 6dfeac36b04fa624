// The interface of a set, and its dependencies.

import Foundation
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct SetTests {
        @Test func insertingAndRemoving() {
            let set: ObservableSet = [Named(1, "a")]
            #expect(set.insert(Named(2, "b")).inserted)
            let again = set.insert(Named(1, "z"))
            #expect(!again.inserted && again.memberAfterInsert.name == "a")
            #expect(set.update(with: Named(1, "y"))?.name == "a")
            #expect(set.update(with: Named(3, "c")) == nil)
            #expect(set.remove(Named(1, ""))?.name == "y")
            #expect(set.remove(Named(1, "")) == nil)
            #expect(set.count == 2)
            #expect(set.remove(at: set.firstIndex(of: Named(2, ""))!).name == "b")
            #expect(set.popFirst()?.name == "c")
            #expect(set.popFirst() == nil)
        }

        @Test func algebra() {
            let set: ObservableSet = [1, 2, 3, 4]
            #expect(set.union([4, 5]) == [1, 2, 3, 4, 5])
            #expect(set.intersection([4, 5, 1]) == [1, 4])
            #expect(set.subtracting([4, 5]) == [1, 2, 3])
            #expect(set.symmetricDifference([4, 5]) == [1, 2, 3, 5])
            #expect(set.isSubset(of: 0...4) && !set.isSubset(of: [1]) && set.isStrictSubset(of: 0...4))
            #expect(set.isSuperset(of: [1, 2]) && set.isStrictSuperset(of: [1]) && !set.isStrictSuperset(of: 1...4))
            #expect(set.isDisjoint(with: [7]) && !set.isDisjoint(with: [4]))
            set.formUnion([4, 5, 5])
            #expect(set.elements == [1, 2, 3, 4, 5])
            set.formIntersection([1, 2, 3, 9])
            #expect(set.elements == [1, 2, 3])
            set.subtract([3, 8])
            #expect(set.elements == [1, 2])
            set.formSymmetricDifference([2, 7, 7])
            #expect(set.elements == [1, 7])
            #expect(set == ObservableSet([7, 1]) && set != ObservableSet([7]))
            set.removeAll { $0 == 1 }
            #expect(set.filter { $0 > 0 } == [7])
            set.removeAll()
            #expect(set.isEmpty && set.first == nil)
        }

        @Test func eachKindOfObserverRunsForItself() {
            let set: ObservableSet = [1, 2]
            var log: [String] = []
            let reactions = [
                autorun { log.append("1: \(set.contains(1))") }, autorun { log.append("3: \(set.contains(3))") },
                autorun { log.append("count: \(set.count)") }, autorun { log.append("elements: \(set.sorted())") },
            ]
            func since() -> [String] {
                defer { log = [] }
                return log
            }
            _ = since()
            set.insert(1)
            set.remove(7)
            set.update(with: 2)
            set.formUnion([1, 2])
            #expect(since() == [])
            set.insert(3)
            #expect(since() == ["3: true", "count: 3", "elements: [1, 2, 3]"])
            inTransaction {
                set.remove(2)
                set.insert(5)
            }
            #expect(since() == ["elements: [1, 3, 5]"])
            inTransaction {
                set.removeAll()
                set.formUnion([5, 3, 1])
            }
            try? inTransaction {
                set.subtract([1, 3])
                throw Refused.once
            }
            #expect(since() == [])
            set.removeAll()
            #expect(since() == ["1: false", "3: false", "count: 0", "elements: []"])
            reactions.forEach { $0.cancel() }
        }

        @Test func iteratorsAndSlicesAreSnapshots() {
            let set = ObservableSet(0..<10)
            for element in set { set.remove(element) }
            #expect(set.isEmpty)
            set.formUnion(0..<10)
            let (slice, snapshot) = (set[set.startIndex..<set.endIndex], set.snapshot)
            set.removeAll()
            #expect(slice.sorted() == Array(0..<10) && snapshot.contains(3) && !snapshot.contains(10))
        }

        @Test func codingAndPrinting() throws {
            let set: ObservableSet = ["a"]
            #expect(try JSONEncoder().encode(set) == JSONEncoder().encode(Set(["a"])))
            let decoded = try JSONDecoder().decode(ObservableSet<Int>.self, from: Data("[1,2,2]".utf8))
            #expect(decoded.elements == [1, 2])
            #expect("\(set)" == "\(Set(["a"]))")
            #expect(Mirror(reflecting: set).displayStyle == .set)
            #expect(try Set(JSONDecoder().decode(SetSnapshot<Int>.self, from: Data("[1,2,2]".utf8))) == [1, 2])
        }

        @Test func encodingSubscribes() {
            let set: ObservableSet = [1]
            var encoded: [String] = []
            let reaction = autorun {
                encoded.append(String(decoding: (try? JSONEncoder().encode(set)) ?? Data(), as: UTF8.self))
            }
            defer { reaction.cancel() }
            set.insert(2)
            #expect(encoded == ["[1]", "[1,2]"])
        }
    }
}
