// Misuse of arrays stops the program with a message that names the array.

import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

func expectMessage(_ result: ExitTest.Result?, _ part: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains(part), "\(message)", sourceLocation: sourceLocation)
}

@Suite(.ownGraph, .timeLimit) struct ArrayMisuseTests {
    @Test func anIndexOutOfBounds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObservableArray([1, 2], named: "numbers")[2]
        }
        expectMessage(result, "index 2 is out of bounds: numbers has 2 elements")
    }

    @Test func aRangeOutOfBounds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObservableArray([1, 2], named: "numbers").removeSubrange(1..<4)
        }
        expectMessage(result, "range 1..<4 is out of bounds: numbers has 2 elements")
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

    #if DEBUG
    @Test func writingInAComputedIsReported() {
        let numbers = ObservableArray([1], named: "numbers")
        let found = issues { _ = Computed(named: "sum") { numbers.append(1) }.value }
        #expect(found.map(\.kind) == [.writeInComputed])
        #expect(found.first?.message.contains("numbers is written inside computed sum") == true)
    }
    #endif
}
