// Arrays in transactions.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

private struct Item: Identifiable, Equatable {
    var id: Int
    var value = 0
}

@Suite(.ownGraph, .timeLimit) struct ArrayTransactionTests {
    @Test func observersSeeTheEndOfATransaction() {
        let array: ObservableArray = [1]
        var seen: [[Int]] = []
        let reaction = autorun { seen.append(array.elements) }
        defer { reaction.cancel() }
        inTransaction {
            array.append(2)
            array[0] = 5
            #expect(array == [5, 2])
        }
        #expect(seen == [[1], [5, 2]])
    }

    @Test func aThrowingTransactionIsRolledBack() throws {
        let array = ObservableArray((0..<500).map { Item(id: $0) })
        let before = array.elements
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = (array.elements, array.count, array[id: 3])
        }
        defer { reaction.cancel() }
        inTransaction {
            array.append(Item(id: 1_000))
            #expect(throws: Refusal.self) {
                try inTransaction {
                    array.removeAll()
                    array.append(Item(id: 3, value: 4))
                    throw Refusal()
                }
            }
            #expect(array.count == 501 && array[id: 3]?.value == 0)
        }
        #expect(runs == 2)
        #expect(throws: Refusal.self) {
            try inTransaction {
                array.sort { $0.id > $1.id }
                array.remove(id: 3)
                #expect(array[id: 3] == nil)
                throw Refusal()
            }
        }
        #expect(array.dropLast() == ObservableArray(before).snapshot)
        #expect(array[id: 3] == Item(id: 3) && runs == 2)
    }

    @Test func aTransactionWithoutNetEffectRunsNoObserver() {
        let array = ObservableArray((0..<50).map { Item(id: $0) })
        var runs = 0
        let reactions = [
            autorun {
                runs += 1
                _ = array.elements
            },
            autorun {
                runs += 1
                _ = array.count
            },
            autorun {
                runs += 1
                _ = array[id: 7]
            },
        ]
        defer { reactions.forEach { $0.cancel() } }
        runs = 0
        inTransaction {
            let item = array.remove(at: 7)
            #expect(array[id: 7] == nil)
            array.insert(item, at: 7)
        }
        inTransaction {
            array[7].value = 5
            array[7].value = 0
        }
        inTransaction {
            array.reverse()
            array.reverse()
        }
        #expect(runs == 0)
        inTransaction {
            array.removeFirst()
            array.append(Item(id: 0))
        }
        #expect(runs == 1)
    }

    @Test func aCountThatARollBackRestoresIsTheSame() {
        let array: ObservableArray = [1, 2]
        let reaction = autorun { _ = array.count }
        defer { reaction.cancel() }
        inTransaction {
            array.append(3)
            array.removeLast()
            try? inTransaction {
                array.append(4)
                throw Refusal()
            }
        }
        #expect(reaction.runCount == 1)
        array.append(3)
        #expect(reaction.runCount == 2)
    }

    /// A view that was read in between must find its earlier rows.
    @Test func aViewSurvivesATransactionWithoutNetEffect() throws {
        let array = ObservableArray(0..<20)
        let even = array.live.filter { $0 % 2 == 0 }
        let reaction = autorun { _ = even.elements }
        defer { reaction.cancel() }
        for isRead in [false, true] {
            inTransaction {
                let element = array.remove(at: 4)
                array.append(77)
                if isRead { #expect(even.count == 9) }
                array.insert(element, at: 4)
                array.removeLast()
            }
            #expect(even.elements == Array(stride(from: 0, to: 20, by: 2)))
            array[4] = 5
            array[4] = 4
            #expect(even[2] == 4)
        }
        #expect(throws: Refusal.self) {
            try inTransaction {
                array.replaceSubrange(0..<15, with: [2, 4])
                #expect(even.elements == [2, 4, 16, 18])
                throw Refusal()
            }
        }
        #expect(even.elements == Array(stride(from: 0, to: 20, by: 2)))
    }

    /// The first view creates the rows in a transaction that is rolled back.
    @Test func rowsAreCreatedInATransactionThatFails() {
        let array = ObservableArray(0..<20)
        var even: LiveArray<Int>?
        var follower = RowFollower<Int>()
        #expect(throws: Refusal.self) {
            try inTransaction {
                array.removeFirst(5)
                even = array.live.filter { $0 % 2 == 0 }
                #expect(even?.count == 7)
                array.removeFirst(5)
                #expect(even?.count == 5)
                #expect(follower.differences(from: array.live, by: ==) == [])
                throw Refusal()
            }
        }
        // It is not rolled back with the array.
        #expect(follower.differences(from: array.live, by: ==) == [])
        #expect(even?.elements == Array(stride(from: 0, to: 20, by: 2)))
        array.append(20)
        #expect(even?.count == 11)
    }

    @Test func aRollBackCreatesNoRows() {
        let array = ObservableArray(0..<20)
        #expect(throws: Refusal.self) {
            try inTransaction {
                array.removeFirst(5)
                throw Refusal()
            }
        }
        #expect(array.count == 20 && !array.hasRows)
    }

    @Test func anArrayBelongsToTheGraphThatItWasCreatedIn() {
        let graph = IndependentGraph(named: "other")
        let array = graph.run { ObservableArray([1, 2, 3]) }
        var seen: [Int] = []
        let reaction = graph.run { autorun { seen.append(array.count) } }
        defer { reaction.cancel() }
        array.append(4)
        graph.run { inTransaction { array.removeAll() } }
        #expect(seen == [3, 4, 0])
        inTransaction {
            #expect("\(array)".contains("of graph other"))
            #expect(Mirror(reflecting: array).children.isEmpty)
        }
    }
}
