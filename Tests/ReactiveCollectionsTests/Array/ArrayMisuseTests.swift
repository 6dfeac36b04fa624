// Misuse of arrays stops the program with a message that names the array.

import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

@Suite(.ownGraph, .timeLimit) struct ArrayMisuseTests {
    @Test func anIndexOutOfBounds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObservableArray([1, 2], named: "numbers")[2]
        }
        expectMessage(result, "index 2 is out of bounds: numbers has 2 elements")
    }

    @Test func aMutationInPlaceThatOutlivesItsThread() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2], named: "numbers")
            await onChangingThreads { await changeAndSuspend(&numbers[1]) }
        }
        expectMessage(result, "numbers was modified in place across an `await`")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableDictionary(["a": 1], named: "numbers")
            await onChangingThreads { await changeAndSuspend(&numbers["a", default: 0]) }
        }
        expectMessage(result, "numbers was modified in place across an `await`")
    }

    @Test func aRangeOutOfBounds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").removeSubrange(1..<4)
        }
        expectMessage(result, "range 1..<4 is out of bounds: numbers has 2 elements")
    }

    @Test func indicesOutOfBoundsInEachMethod() async {
        func expect(_ result: ExitTest.Result?, _ index: String, _ location: SourceLocation = #_sourceLocation) {
            expectMessage(result, "\(index) is out of bounds: numbers has 2 elements", sourceLocation: location)
        }
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObservableArray([1, 2], named: "numbers")[-1]
        }
        expect(result, "index -1")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers")[2] = 3
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers")[2] += 3
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").insert(3, at: 3)
        }
        expect(result, "range 3..<3")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").remove(at: 2)
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").remove(atOffsets: [0, 2])
        }
        expect(result, "range 0..<3")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").removeSubrange(-1..<1)
        }
        expect(result, "range -1..<1")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").removeLast(3)
        }
        expect(result, "range 0..<3")
    }

    @Test func indicesOutOfBoundsInMutationsOfTheOrder() async {
        func expect(_ result: ExitTest.Result?, _ index: String, _ location: SourceLocation = #_sourceLocation) {
            expectMessage(result, "\(index) is out of bounds: numbers has 2 elements", sourceLocation: location)
        }
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").swapAt(2, 0)
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").swapAt(0, 2)
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").move(from: 2, to: 0)
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").move(from: 0, to: 2)
        }
        expect(result, "index 2")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").move(fromOffsets: [1, 2], toOffset: 0)
        }
        expect(result, "range 1..<3")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").move(fromOffsets: [0, 1], toOffset: 3)
        }
        expect(result, "range 3..<3")
    }

    @Test func removingANegativeNumberOfElements() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2]).removeFirst(-1)
        }
        expectMessage(result, "a negative number of elements cannot be removed")
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2]).removeLast(-1)
        }
        expectMessage(result, "a negative number of elements cannot be removed")
    }

    @Test func removingFromAnEmptyArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray<Int>(named: "numbers").removeLast()
        }
        expectMessage(result, "index -1 is out of bounds: numbers has 0 elements")
    }

    @Test func aPredicateThatMutatesTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2], named: "numbers")
            numbers.removeAll {
                numbers.append($0)
                return true
            }
        }
        expectMessage(result, "numbers is written while it is being modified in place")
    }

    @Test func aClosureOfAViewThatRemovesElements() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2, 3], named: "numbers")
            let view = numbers.live.filter { _ in true }.map { number in
                if number == 7 { numbers.removeAll { $0 != 7 } }
                return number
            }
            _ = view.count
            inTransaction {
                numbers[0] = 7
                numbers[2] = 8
            }
            _ = view.count
        }
        expectMessage(result, "has removed elements of numbers")
    }

    @Test func aPredicateThatReadsTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2], named: "numbers")
            numbers.sort { $0 + numbers[0] < $1 }
        }
        expectMessage(result, "numbers is read while it is being modified in place")
    }

    @Test func overlappingMutationsInPlace() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = ObservableArray([1, 2], named: "numbers")
            swap(&numbers[0], &numbers[1])
        }
        expectMessage(result, "numbers is written while it is being modified in place")
    }

    @Test func readingAnElementByIDDuringAMutation() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Item: Identifiable {
                var id: Int
                var number = 0
            }
            func add(_ value: inout Int, _ amount: () -> Int) { value += amount() }
            let items = ObservableArray([Item(id: 1)], named: "items")
            add(&items[0].number) { items[id: 1]?.number ?? 0 }
        }
        expectMessage(result, "items is read while it is being modified in place")
    }

    @Test func anObserverThatReadsAnElementByIDDuringAMutation() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Item: Identifiable {
                var id: Int
                var number = 0
            }
            func add(_ value: inout Int, _ amount: () -> Int) { value += amount() }
            let items = ObservableArray([Item(id: 1)], named: "items")
            _ = items[id: 1]
            autorun { add(&items[0].number) { items[id: 1]?.number ?? 0 } }
        }
        expectMessage(result, "items is read while it is being modified in place")
    }

    @Test func assigningAnElementByIDDuringAMutation() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Item: Identifiable, Equatable {
                var id: Int
                var name = ""
            }
            func change(_ value: inout String, _ body: () -> String) { value = body() }
            let items = ObservableArray([Item(id: 1)], named: "items")
            change(&items[0].name) {
                items[id: 2] = Item(id: 2)
                return "x"
            }
        }
        expectMessage(result, "items is read while it is being modified in place")
    }

    @Test func aComparisonThatUsesTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            nonisolated(unsafe) var array: ObservableArray<String>?
            array = ObservableArray(["a"], equals: { _, _ in array?.first == nil }, named: "names")
            array?[0] = "b"
        }
        expectMessage(result, "names is read while it is being modified in place")
    }

    @Test func aComparisonOfPlainElementsThatUsesTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            arrayThatComparisonsEmpty()[0] = 2
        }
        expectMessage(result, "numbers is written while it is being modified in place")
    }

    @Test func aComparisonAfterAMutationInPlaceThatUsesTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            arrayThatComparisonsEmpty()[0] += 1
        }
        expectMessage(result, "numbers is written while it is being modified in place")
    }

    @Test func aComparisonAtTheEndOfATransactionThatUsesTheArray() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            nonisolated(unsafe) var array: ObservableArray<Int>?
            nonisolated(unsafe) var isEnding = false
            let equals: @Sendable (Int, Int) -> Bool = { a, b in
                if isEnding { array?.removeAll() }
                return a == b
            }
            array = ObservableArray([1, 2], equals: equals, named: "numbers")
            let reaction = autorun { _ = array?.first }
            inTransaction {
                array?[0] = 2
                array?[0] = 1
                isEnding = true
            }
            reaction.cancel()
        }
        expectMessage(result, "numbers is written while it is being modified in place")
    }

    #if DEBUG
    @Test func writingInAComputedIsReported() {
        let numbers = ObservableArray([1], named: "numbers")
        let found = issues { _ = Computed(named: "sum") { numbers.append(1) }.value }
        #expect(found.map(\.kind) == [.writeInComputed])
        #expect(found.first?.message.contains("numbers is written inside computed sum") == true)
    }

    @Test func anEmptyMoveInAComputedIsReported() {
        let numbers = ObservableArray([1], named: "numbers")
        let found = issues { _ = Computed { numbers.move(fromOffsets: [], toOffset: 0) }.value }
        #expect(found.map(\.kind) == [.writeInComputed])
    }
    #endif
}

/// An array of the number 1 whose comparison removes all elements.
private func arrayThatComparisonsEmpty() -> ObservableArray<Int> {
    nonisolated(unsafe) weak var array: ObservableArray<Int>?
    let numbers = ObservableArray(
        [1],
        equals: { a, b in
            array?.removeAll()
            return a == b
        }, named: "numbers")
    array = numbers
    return numbers
}
