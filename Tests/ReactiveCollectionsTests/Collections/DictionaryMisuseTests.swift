// Keys and values whose code uses the calling collection, and overlapping accesses.

import Foundation
import ReactiveCollections
import TestSupport
import Testing

/// A key that runs code when it is compared.
struct CurlyKey: Hashable, @unchecked Sendable {
    // Sendable because a test uses it on one thread.
    var number: Int
    var onComparison: () -> Void = {}

    init(_ number: Int, _ onComparison: @escaping () -> Void = {}) {
        self.number = number
        self.onComparison = onComparison
    }

    static func == (a: CurlyKey, b: CurlyKey) -> Bool {
        a.onComparison()
        b.onComparison()
        return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
        onComparison()
        hasher.combine(number & 1)
    }
}

/// A value that runs code when it is compared.
private struct CurlyValue: Equatable {
    var number: Int
    var onComparison: () -> Void

    static func == (a: CurlyValue, b: CurlyValue) -> Bool {
        a.onComparison()
        return a.number == b.number
    }
}

extension ReactiveCollectionsTests {
    @Suite struct KeyCodeTests {
        @Test func keysThatReadObservablesSubscribeNobody() {
            let observable = Observable(0)
            let d = ObservableDictionary<CurlyKey, Int>()
            func key(_ number: Int) -> CurlyKey { CurlyKey(number) { _ = observable.value } }
            for number in 0..<8 { d[key(number)] = number }
            let r = autorun { _ = (d[key(3)], d[key(9)], d.keys) }
            observable.value = 1
            #expect(r.runCount == 1)
            d[key(3)] = 4
            #expect(r.runCount == 2)
            d[key(9)] = 4
            #expect(r.runCount == 3)
            r.cancel()
        }

        @Test func valuesThatReadObservablesSubscribeNobody() {
            let (observable, trigger) = (Observable(0), Observable(0))
            func value(_ number: Int) -> CurlyValue { CurlyValue(number: number) { _ = observable.value } }
            let d = ObservableDictionary([1: value(0)])
            let r = autorun { d[1] = value(trigger.value) }
            observable.value = 1
            #expect(r.runCount == 1)
            trigger.value = 1
            #expect(r.runCount == 2 && d[1]?.number == 1)
            r.cancel()
        }

        /// While a read compares its key with another one that has observers, that key may get its first observer.
        @Test func aComparisonMayCreateTheObserverOfTheSameKey() {
            let d = ObservableDictionary<CurlyKey, Int>()
            var onComparison = {}
            let other = autorun { _ = d[CurlyKey(1) { onComparison() }] }
            let inner = Computed { d[CurlyKey(3)] }
            onComparison = {
                onComparison = {}
                #expect(inner.value == nil)
            }
            let outer = autorun { _ = d[CurlyKey(3)] }
            d[CurlyKey(3)] = 5
            #expect(inner.value == 5)
            #expect(outer.runCount == 2 && other.runCount == 1)
            outer.cancel()
            other.cancel()
        }

        @Test func aComparisonMayEndTheObserverOfTheSameKey() {
            let d = ObservableDictionary<CurlyKey, Int>()
            var onComparison = {}
            let ending = autorun { _ = d[CurlyKey(3) { onComparison() }] }
            onComparison = {
                onComparison = {}
                ending.cancel()
            }
            let r = autorun { _ = d[CurlyKey(3)] }
            d[CurlyKey(3)] = 5
            #expect(r.runCount == 2 && ending.runCount == 1)
            r.cancel()
        }

        @Test func aComparisonMayCreateAnObserverWhileEverythingIsRemoved() {
            let d = ObservableDictionary<CurlyKey, Int>()
            var onComparison = {}
            d[CurlyKey(1) { onComparison() }] = 1
            d[CurlyKey(2)] = 5
            let r = autorun { _ = d[CurlyKey(1)] }
            let inner = Computed { d[CurlyKey(2)] }
            onComparison = {
                onComparison = {}
                #expect(inner.value == 5)
            }
            d.removeAll()
            #expect(inner.value == nil && r.runCount == 2)
            r.cancel()
        }

        @Test func keysMayReadTheDictionaryThatContainsThem() {
            let d = ObservableDictionary<CurlyKey, Int>()
            let size = Computed { d.count + d.keys.count }
            func key(_ number: Int) -> CurlyKey { CurlyKey(number) { _ = size.value } }
            for number in 0..<8 { d[key(number)] = number }
            let r = autorun { _ = (d[key(3)], d[key(9)]) }
            for number in 0..<8 { d[key(number)] = number + 1 }
            d[key(2)] = nil
            d.removeAll { $0.key.number == 4 }
            #expect(size.value == 12)
            #expect(d[CurlyKey(3)] == 4)
            #expect(r.runCount == 2)
            r.cancel()
        }

        @Test func keysMayWriteOtherState() {
            let comparisons = Observable(0)
            let d = ObservableDictionary<CurlyKey, Int>()
            func key(_ number: Int) -> CurlyKey { CurlyKey(number) { comparisons.value += 1 } }
            var log: [Int?] = []
            let r = autorun { log.append(d[key(1)]) }
            d[key(1)] = 1
            d[key(3)] = 3
            #expect(log == [nil, 1])
            #expect(comparisons.value > 4)
            r.cancel()
        }
    }
}

#if os(Linux) || os(macOS) || os(Windows)
extension ReactiveCollectionsTests {
    @Suite struct DictionaryMisuseTests {
        @Test func aKeyThatMutatesItsDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary<CurlyKey, Int>(named: "stock")
                d[CurlyKey(1)] = 1
                d[CurlyKey(1) { d[CurlyKey(2)] = 1 }] = 2
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aKeyThatMutatesItsDictionaryDuringARead() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary<CurlyKey, Int>(named: "stock")
                d[CurlyKey(1)] = 1
                _ = d[CurlyKey(1) { d[CurlyKey(5)] = 1 }]
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aPredicateThatMutatesItsDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1, 2: 2], named: "stock")
                d.removeAll {
                    d[$0.key + 5] = 1
                    return false
                }
            }
            expectMessage(result, "stock is mutated by code that it calls", "apply them afterwards")
        }

        @Test func aPredicateThatInsertsIntoItsSetAtAPosition() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set = ObservableSet([1, 2], named: "stock")
                set.removeAll { _ in
                    set.insertElements([3], at: 0)
                    return false
                }
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aPredicateThatRemovesFromItsSetAtAPosition() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set = ObservableSet([1, 2], named: "stock")
                set.removeAll { _ in
                    if !set.isEmpty { set.removeElements(0..<1) }
                    return false
                }
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aPredicateThatMovesElementsOfItsSet() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let set = ObservableSet([1, 2], named: "stock")
                set.removeAll { _ in
                    set.moveElement(from: 0, to: 1)
                    return false
                }
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aComparisonOfPlainValuesThatMutatesTheDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var stock: ObservableDictionary<Int, Int>?
                let equals: @Sendable (Int, Int) -> Bool = { a, b in
                    stock?.removeAll()
                    return a == b
                }
                stock = ObservableDictionary([1: 1], equals: equals, named: "stock")
                stock?[1] = 2
            }
            expectMessage(result, "stock is mutated by code that it calls")
        }

        @Test func aComparisonAfterAMutationInPlaceThatReadsTheDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var stock: ObservableDictionary<Int, Int>?
                stock = ObservableDictionary([1: 1], equals: { a, b in stock?[1] == 1 && a == b }, named: "stock")
                stock?[1]? += 1
            }
            expectMessage(result, "stock is read while it is being modified in place")
        }

        @Test func readingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { $0[0] = d.count }
            }
            expectMessage(result, "stock is read while it is being modified in place")
        }

        @Test func writingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1, default: []].withUnsafeMutableBufferPointer { _ in d[2] = [] }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func readingAKeyDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1], 2: [2]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { $0[0] = d[2]?.count ?? 0 }
            }
            expectMessage(result, "stock is read while it is being modified in place")
        }

        @Test func readingTheKeysDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { $0[0] = d.keys.count }
            }
            expectMessage(result, "stock is read while it is being modified in place")
        }

        @Test func readingEverythingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { $0[0] = d.snapshot.count }
            }
            expectMessage(result, "stock is read while it is being modified in place")
        }

        @Test func mutatingInPlaceDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { _ in d[2, default: []].append(1) }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func removingAKeyDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1], 2: []], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { _ in _ = d.removeValue(forKey: 2) }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func removingAtAnIndexDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1], 2: []], named: "stock")
                let index = d.index(forKey: 2)!
                d[1]?.withUnsafeMutableBufferPointer { _ in _ = d.remove(at: index) }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func removingTheFirstEntryDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary(uniqueKeysWithValues: [(1, [1]), (2, [])], named: "stock")
                d[2]?.withUnsafeMutableBufferPointer { _ in _ = d.popFirst() }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func removingEverythingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { _ in d.removeAll() }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func removingByAPredicateDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary<Int, [Int]>(named: "stock")
                d[1, default: []].withUnsafeMutableBufferPointer { _ in d.removeAll { _ in false } }
            }
            expectMessage(result, "stock is written while it is being modified in place")
        }

        @Test func anIndexOfAnEntryThatIsGoneBesidesOthers() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1, 2: 2], named: "stock")
                let index = d.index(forKey: 1)!
                d[1] = nil
                _ = d[index]
            }
            expectMessage(result, "an index of stock is out of bounds")
        }

        @Test func removingAtAnIndexOfAnEntryThatIsGone() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1], named: "stock")
                let index = d.startIndex
                d[1] = nil
                d.remove(at: index)
            }
            expectMessage(result, "an index of stock is out of bounds")
        }

        @Test func anIndexOfAnEntryThatIsGone() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1], named: "stock")
                let index = d.startIndex
                d[1] = nil
                _ = d[index]
            }
            expectMessage(result, "an index of stock is out of bounds")
        }

        @Test func equalKeysInALiteral() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableDictionary(uniqueKeysWithValues: [(1, 1), (1, 2)])
            }
            expectMessage(result, "an ObservableDictionary is created with two equal keys")
        }
    }
}
#endif
