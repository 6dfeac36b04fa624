// The order of a recorded set, in transactions that end with the same elements.

import Reactive
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct SetOrderTests {
        private func order(of set: ObservableSet<Int>) -> [Int] {
            var elements: [Int] = []
            set.value.forEachElement { elements.append($1) }
            return elements
        }

        /// Returns the orders that an observer sees, the first one included.
        private func orders(of set: ObservableSet<Int>, _ body: () throws -> Void) rethrows -> [[Int]] {
            var seen: [[Int]] = []
            let reaction = autorun { seen.append(order(of: set)) }
            defer { reaction.cancel() }
            try body()
            #expect(order(of: set) == seen.last)
            return seen
        }

        @Test func movesAreChanges() {
            let set = ObservableSet([1, 2, 3])
            let seen = orders(of: set) {
                inTransaction {
                    set.moveElement(from: 0, to: 2)
                    set.moveElement(from: 0, to: 1)
                }
            }
            #expect(seen == [[1, 2, 3], [3, 2, 1]])
        }

        @Test func movesThereAndBackAreNoChange() {
            let set = ObservableSet([1, 2, 3])
            let seen = orders(of: set) {
                inTransaction {
                    set.moveElement(from: 0, to: 2)
                    set.moveElement(from: 2, to: 0)
                }
            }
            #expect(seen == [[1, 2, 3]])
        }

        @Test func anElementThatIsRemovedAndAppendedIsNoChange() {
            let set = ObservableSet([1, 2, 3])
            let seen = orders(of: set) {
                inTransaction {
                    set.remove(1)
                    set.insert(1)
                }
                inTransaction {
                    set.remove(2)
                    set.insertElements([2], at: 2)
                }
            }
            #expect(seen == [[1, 2, 3]])
        }

        @Test func anOrderThatWasReadInTheTransactionStays() {
            let set = ObservableSet([1, 2, 3])
            let seen = orders(of: set) {
                inTransaction {
                    set.remove(1)
                    set.insert(1)
                    #expect(order(of: set) == [2, 3, 1])
                }
            }
            #expect(seen == [[1, 2, 3], [2, 3, 1]])
        }

        @Test func readsThatWereRolledBackDoNotCount() {
            let set = ObservableSet([1, 2, 3])
            let seen = orders(of: set) {
                try? inTransaction {
                    set.insert(4)
                    set.insert(5)
                    #expect(order(of: set) == [1, 2, 3, 4, 5])
                    throw Refused.once
                }
                inTransaction {
                    set.remove(1)
                    set.insert(1)
                }
            }
            #expect(seen.last == [1, 2, 3])
        }

        @Test func anEmptySetThatIsReadInBetweenIsTheSame() {
            let set = ObservableSet<Int>()
            let seen = orders(of: set) {
                inTransaction {
                    set.insert(1)
                    #expect(order(of: set) == [1])
                    set.remove(1)
                }
            }
            #expect(seen == [[]])
        }
    }
}
