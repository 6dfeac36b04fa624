// What values of collections that recorders read know about each other: identity, rows and differences.

#if DEBUG
import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct ValueDifferenceTests {
        private func elements<Value: OrderedValue>(of value: Value) -> [Value.Element] {
            (0..<value.elementCount).map { value.element(at: $0) }
        }

        // MARK: - Identity

        @Test func valuesOfArraysThatShareTheirElementsAreDistinct() {
            let array = ObservableArray([1, 2])
            let copy = array.creator(array.value, .decoded)
            #expect(copy.elements == [1, 2])
            #expect(!copy.value.isIdentical(to: array.value))
        }

        @Test func anArrayThatWasRolledBackHasItsEarlierValue() {
            let array = ObservableArray([1, 2])
            let before = array.value
            try? inTransaction {
                array.append(3)
                throw Refused.once
            }
            #expect(array.value.isIdentical(to: before))
            #expect((0..<2).allSatisfy { array.value.row(at: $0) == before.row(at: $0) })
        }

        @Test func aValueThatWasEmptyIsDistinctFromLaterOnes() {
            let dictionary = ObservableDictionary<Int, Int>()
            let empty = dictionary.value
            dictionary[1] = 1
            #expect(!empty.isIdentical(to: dictionary.value))
        }

        @Test func emptyValuesOfASetAreTheSame() {
            #expect(ObservableSet<Int>().areSame(SetValue([]), SetValue([])))
        }

        // MARK: - Edits

        @Test func anArrayBecomesItsOwnValueAfterEachEdit() {
            let edits: [((inout ArrayValue<Int>) -> Void, [Int])] = [
                ({ $0.insertElements([9], at: 1) }, [1, 9, 2, 3]), ({ $0.removeElements(0..<1) }, [2, 3]),
                ({ $0.moveElement(from: 0, to: 2) }, [2, 3, 1]), ({ $0.replaceElement(at: 1, by: 9) }, [1, 9, 3]),
            ]
            for (edit, result) in edits {
                let array = ObservableArray([1, 2, 3])
                var value = array.value
                edit(&value)
                array.value = value
                #expect(array.elements == result)
            }
        }

        @Test func aSetBecomesItsOwnValueAfterEachEdit() {
            let edits: [((inout SetValue<Int>) -> Void, [Int])] = [
                ({ $0.insertElements([9], at: 1) }, [1, 9, 2, 3]), ({ $0.removeElements(0..<1) }, [2, 3]),
                ({ $0.moveElement(from: 0, to: 2) }, [2, 3, 1]), ({ $0.replaceElement(at: 1, by: 9) }, [1, 9, 3]),
            ]
            for (edit, result) in edits {
                let set = ObservableSet([1, 2, 3])
                var value = set.value
                edit(&value)
                set.value = value
                #expect(elements(of: set.value) == result)
            }
        }

        @Test func aSetThatWasNeverReadCanBeEditedAtPositions() {
            let sets = (0..<3).map { _ in ObservableSet([1, 2, 3]) }
            sets[0].insertElements([9], at: 1)
            sets[1].removeElements(0..<1)
            sets[2].moveElement(from: 0, to: 2)
            #expect(sets.map { elements(of: $0.value) } == [[1, 9, 2, 3], [2, 3], [2, 3, 1]])
        }

        @Test func theValueOfASetHasEqualElementsOnce() {
            #expect(elements(of: SetValue([1, 2, 1, 3])) == [1, 2, 3])
        }

        @Test func aNewElementOfAValueGetsTheRowThatWasReleasedLast() {
            func check(_ original: some OrderedValue<Int>) {
                var value = original
                let row = value.row(at: 1)
                value.removeElements(1..<2)
                #expect(value.position(of: row) == nil)
                value.insertElements([4], at: 0)
                #expect(value.row(at: 0) == row && value.position(of: row) == 0)
            }
            check(ArrayValue([1, 2, 3]))
            check(SetValue([1, 2, 3]))
        }

        // MARK: - Differences

        @Test func elementsThatHaveTheirOldBitsAgainAreNotReplaced() throws {
            let array = ObservableArray([1, 2, 3])
            let before = array.value
            array[0] = 7
            array[0] = 1
            array[2] = 4
            let difference = try #require(array.value.difference(from: before))
            #expect(difference.replaced == [before.row(at: 2)])
        }

        @Test func anElementThatIsRemovedAndAppendedHasMoved() throws {
            let (array, set) = (ObservableArray([1, 2, 3]), ObservableSet([1, 2, 3]))
            let (before, setBefore) = (array.value, set.value)
            array.remove(at: 1)
            array.append(2)
            set.remove(2)
            set.insert(2)
            for difference in [array.value.difference(from: before), set.value.difference(from: setBefore)] {
                let difference = try #require(difference)
                #expect(difference.moved == [1] && difference.removed == [] && difference.inserted == [])
            }
        }

        /// Its log starts with the first read, which was rolled back.
        @Test func aFirstValueThatWasRolledBackHasNoDifference() throws {
            let set: ObservableSet = [1]
            var inside: SetValue<Int>?
            try? inTransaction {
                set.insert(2)
                inside = set.value
                throw Refused.once
            }
            #expect(try set.value.difference(from: #require(inside)) == nil)
        }

        @Test func aSetThatBecomesAnEarlierValueHasItsElements() {
            let set: ObservableSet = [Named(1, "a")]
            let before = set.value
            set.update(with: Named(1, "b"))
            set.insert(Named(2, "c"))
            set.value = before
            #expect(set.map(\.name) == ["a"])
        }

        @Test func aSetKeepsTheRowsOfElementsThatAForeignValueHas() throws {
            let set: ObservableSet = [1, 2]
            let before = set.value
            set.value = SetValue([1, 2, 3])
            let difference = try #require(set.value.difference(from: before))
            #expect(difference.inserted == [2] && difference.removed == [] && difference.moved == [])
        }

        /// Entries are compared in chunks of rows.
        @Test func onlyEntriesThatWereWrittenAreReplaced() {
            let dictionary = ObservableDictionary(uniqueKeysWithValues: (0..<5_000).map { ($0, 0) })
            let before = dictionary.value
            dictionary[0] = 1
            dictionary[4_999] = 1
            #expect(dictionary.value.difference(from: before).replaced == [0, 4_999])
        }
    }
}
#endif
