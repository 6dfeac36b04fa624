// Views of two stages, one of which is replaced as a whole: closures run only for that one.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct TwoSidesTests {
        /// All methods that replace the whole content of an array.
        private static let replacements: [@Sendable (ObservableArray<Int>) -> Void] = [
            { $0.removeAll() },
            { $0.replaceSubrange(0..<$0.count, with: 110..<115) },
            { array in
                array.removeAll()
                array.append(contentsOf: [101, 102])
            },
            { $0.replaceSubrange(0..<$0.count, with: 200..<300) },
        ]

        @Test(arguments: replacements.indices, [false, true])
        func concatenatedKeepsTheOtherSide(replacement: Int, isFirst: Bool) {
            let (first, second) = (ObservableArray(0..<20), ObservableArray(20..<50))
            let log = Log()
            let view = first.live.concatenated(with: second.live).map { number in
                log("\(number)")
                return number
            }
            let evens = first.live.concatenated(with: second.live).filter { $0 % 2 == 0 }
            var changes: [Int] = []
            var followed = view.elements
            let reaction = reaction(to: view) { new in
                followed = followed.applying(new.difference) ?? []
                changes.append(new.count)
            }
            _ = log.take()
            let (replaced, other) = isFirst ? (first, second) : (second, first)
            Self.replacements[replacement](replaced)
            let expected = first.elements + second.elements
            #expect(view.elements == expected)
            #expect(evens.elements == expected.filter { $0 % 2 == 0 })
            #expect(followed == expected)
            #expect(Set(log.take()).isDisjoint(with: other.elements.map(String.init)))
            other[3] = 77
            replaced.append(5)
            #expect(view.elements == first.elements + second.elements)
            #expect(followed == first.elements + second.elements)
            reaction.cancel()
        }

        @Test(arguments: replacements.indices, [false, true])
        func joinedKeepsTheOtherSide(replacement: Int, isFirst: Bool) {
            let (first, second) = (ObservableArray(0..<20), ObservableArray(5..<30))
            let log = Log()
            let pairs = first.live.joined(with: second.live) { number in
                log("first \(number)")
                return number % 7
            } equals: { number in
                log("second \(number)")
                return number % 5
            }
            let sums = pairs.map { (pair: (Int, Int)) in 1_000 * pair.0 + pair.1 }
            func expected() -> [Int] {
                first.elements.flatMap { left in
                    second.elements.filter { $0 % 5 == left % 7 }.map { 1_000 * left + $0 }
                }
            }
            #expect(sums.elements == expected())
            _ = log.take()
            Self.replacements[replacement](isFirst ? first : second)
            #expect(sums.elements == expected())
            let prefix = isFirst ? "first" : "second"
            #expect(log.take().allSatisfy { $0.hasPrefix(prefix) })
            first.append(6)
            second.append(6)
            #expect(sums.elements == expected())
            #expect(log.take() == ["first 6", "second 6"])
        }

        @Test(arguments: [false, true]) func mergingKeepsTheOtherSide(isFirst: Bool) {
            let first = ObservableDictionary(uniqueKeysWithValues: (0..<20).map { ($0, $0) })
            let second = ObservableDictionary(uniqueKeysWithValues: (10..<30).map { ($0, 100 * $0) })
            let log = Log()
            let merged = first.live.merging(second.live) { $0 + $1 }
            let texts = merged.mapValues { value in
                log("\(value)")
                return "\(value)"
            }
            func expected() -> [Int: String] {
                first.snapshot.reduce(into: [:]) { $0[$1.key] = $1.value }
                    .merging(second.snapshot.map { ($0.key, $0.value) }) { $0 + $1 }.mapValues { "\($0)" }
            }
            #expect(texts.elements == expected())
            _ = log.take()
            let (replaced, other) = isFirst ? (first, second) : (second, first)
            replaced.removeAll()
            #expect(texts.elements == expected())
            // Keys that only the other side has keep their results.
            #expect(log.take().count == 10)
            for key in 25..<28 { replaced[key] = 1 }
            #expect(texts.elements == expected())
            inTransaction {
                replaced.removeAll()
                other[40] = 4
                replaced[40] = 3
            }
            #expect(texts.elements == expected())
        }

        @Test func aReplacementThatIsRolledBack() {
            let (first, second) = (ObservableArray(0..<20), ObservableArray(20..<50))
            let log = Log()
            let view = first.live.concatenated(with: second.live).map { number in
                log("\(number)")
                return number
            }
            let before = view.elements
            _ = log.take()
            try? inTransaction {
                first.removeAll()
                #expect(view.elements == second.elements)
                first.append(1)
                #expect(view.elements == [1] + second.elements)
                throw CancellationError()
            }
            #expect(view.elements == before)
            #expect(log.take() == ["1"])
        }
    }
}
