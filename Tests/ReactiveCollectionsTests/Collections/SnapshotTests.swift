// Comparing and hashing snapshots, and positions that a snapshot does not have.

import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct SnapshotTests {
        @Test func snapshotsOfArraysAreEqualIfTheirElementsAre() {
            let array: ObservableArray = [1, 2, 1, 2, 3]
            let snapshot = array.snapshot
            #expect(snapshot[0..<2] == snapshot[2..<4])
            #expect(snapshot[0..<2] != snapshot[1..<3])
            #expect(snapshot[0..<2] != snapshot[0..<3])
            #expect(snapshot[2..<5] != snapshot[3..<5])
            array[4] = 4
            #expect(array.snapshot != snapshot)
            array[4] = 3
            #expect(array.snapshot == snapshot)
        }

        /// As with a plain array, the elements are not compared.
        @Test func aSnapshotEqualsItself() {
            let snapshot = ObservableArray([Double.nan]).snapshot
            let copy = snapshot
            #expect(copy == snapshot)
        }

        @Test func hashesDependOnTheElementsAndTheirNumber() {
            func hash(_ arrays: [Int]...) -> Int { arrays.map { ObservableArray($0).snapshot }.hashValue }
            #expect(hash([1, 2]) == hash([1, 2]))
            #expect(hash([1, 2]) != hash([1, 3]))
            #expect(hash([1], [2, 3]) != hash([1, 2], [3]))
        }

        @Test func aSnapshotOfADictionaryKnowsWhetherItIsEmpty() {
            let dictionary = ObservableDictionary<Int, Int>()
            #expect(dictionary.snapshot.isEmpty && dictionary.keys.isEmpty && dictionary.values.isEmpty)
            dictionary[1] = 1
            #expect(!dictionary.snapshot.isEmpty && !dictionary.keys.isEmpty && !dictionary.values.isEmpty)
        }

        @Test func dictionariesAreComparedInAnyOrder() {
            let one = ObservableDictionary(uniqueKeysWithValues: [(1, 1), (2, 2)])
            let two = ObservableDictionary(uniqueKeysWithValues: [(2, 2), (1, 1)])
            #expect(one == two && one.keys == two.keys)
            two[1] = 5
            #expect(one != two && one.keys == two.keys)
            two[1] = nil
            two[3] = 1
            #expect(one != two && one.keys != two.keys)
        }
    }
}

#if os(Linux) || os(macOS) || os(Windows)
extension ReactiveCollectionsTests {
    @Suite struct SnapshotMisuseTests {
        @Test func anIndexBeforeASlice() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableArray([1, 2, 3, 4]).snapshot[1..<3][0]
            }
            expectMessage(result, "index 0 is out of bounds: the snapshot has the indices 1..<3")
        }

        @Test func theEndOfASlice() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableArray([1, 2, 3, 4]).snapshot[1..<3][3]
            }
            expectMessage(result, "index 3 is out of bounds: the snapshot has the indices 1..<3")
        }

        @Test func aRangeThatBeginsBeforeASlice() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableArray([1, 2, 3, 4]).snapshot[1..<3][0..<2]
            }
            expectMessage(result, "range 0..<2 is out of bounds: the snapshot has the indices 1..<3")
        }

        @Test func aRangeThatEndsBehindASlice() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableArray([1, 2, 3, 4]).snapshot[1..<3][2..<4]
            }
            expectMessage(result, "range 2..<4 is out of bounds: the snapshot has the indices 1..<3")
        }

        @Test func theEntryAtTheEnd() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let snapshot = ObservableDictionary([1: 1]).snapshot
                _ = snapshot[snapshot.endIndex]
            }
            expectMessage(result, "the snapshot has no entry at the index")
        }

        @Test func theKeyAtTheEnd() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let keys = ObservableDictionary([1: 1]).keys
                _ = keys[keys.endIndex]
            }
            expectMessage(result, "the snapshot has no entry at the index")
        }

        @Test func theValueAtTheEnd() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let values = ObservableDictionary([1: 1]).values
                _ = values[values.endIndex]
            }
            expectMessage(result, "the snapshot has no entry at the index")
        }

        @Test func theIndexAfterTheEnd() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let snapshot = ObservableDictionary([1: 1]).snapshot
                _ = snapshot.index(after: snapshot.endIndex)
            }
            expectMessage(result, "there is no entry at the index")
        }
    }
}
#endif
