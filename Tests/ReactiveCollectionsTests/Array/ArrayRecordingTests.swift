// The differences between values of an array that recorders have read.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct ArrayRecordingTests {
        /// The first read starts the log, although no view follows the array.
        @Test func theFirstReadOfAValueStartsTheLog() throws {
            let array: ObservableArray = [1, 2, 3]
            let before = array.value
            array[0] = 7
            array.append(4)
            let difference = try #require(array.value.difference(from: before))
            #expect(difference.replaced.count == 1 && difference.inserted.count == 1)
            #expect(difference.removed.isEmpty && difference.moved.isEmpty)
        }

        @Test func aValueThatWasRolledBackHasNoDifference() throws {
            let array: ObservableArray = [1, 2, 3]
            let before = array.value
            var inside: ArrayValue<Int>?
            #expect(throws: Refused.once) {
                try inTransaction {
                    array.append(4)
                    inside = array.value
                    throw Refused.once
                }
            }
            array[0] = 7
            let rolledBack = try #require(inside)
            #expect(array.value.difference(from: rolledBack) == nil)
            #expect(rolledBack.difference(from: before) == nil)
            #expect(try #require(array.value.difference(from: before)).replaced.count == 1)
        }
    }
}
