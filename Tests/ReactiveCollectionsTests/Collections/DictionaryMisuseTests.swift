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
        private static func expect(
            _ result: ExitTest.Result?, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            for part in parts {
                #expect(message.contains(part), "\(message)", sourceLocation: sourceLocation)
            }
        }

        @Test func aKeyThatMutatesItsDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary<CurlyKey, Int>(named: "stock")
                d[CurlyKey(1)] = 1
                d[CurlyKey(1) { d[CurlyKey(2)] = 1 }] = 2
            }
            Self.expect(result, "stock is mutated by code that it calls")
        }

        @Test func aKeyThatMutatesItsDictionaryDuringARead() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary<CurlyKey, Int>(named: "stock")
                d[CurlyKey(1)] = 1
                _ = d[CurlyKey(1) { d[CurlyKey(5)] = 1 }]
            }
            Self.expect(result, "stock is mutated by code that it calls")
        }

        @Test func aPredicateThatMutatesItsDictionary() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1, 2: 2], named: "stock")
                d.removeAll {
                    d[$0.key + 5] = 1
                    return false
                }
            }
            Self.expect(result, "stock is mutated by code that it calls", "apply them afterwards")
        }

        @Test func readingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1]?.withUnsafeMutableBufferPointer { $0[0] = d.count }
            }
            Self.expect(result, "stock is read while it is being modified in place")
        }

        @Test func writingDuringAMutationInPlace() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: [1]], named: "stock")
                d[1, default: []].withUnsafeMutableBufferPointer { _ in d[2] = [] }
            }
            Self.expect(result, "stock is written while it is being modified in place")
        }

        @Test func anIndexOfAnEntryThatIsGone() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let d = ObservableDictionary([1: 1], named: "stock")
                let index = d.startIndex
                d[1] = nil
                _ = d[index]
            }
            Self.expect(result, "an index of stock is out of bounds")
        }

        @Test func equalKeysInALiteral() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = ObservableDictionary(uniqueKeysWithValues: [(1, 1), (1, 2)])
            }
            Self.expect(result, "an ObservableDictionary is created with two equal keys")
        }
    }
}
#endif
