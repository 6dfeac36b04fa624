// Views with several rows for each source row, and compactMap: how often closures run, and which elements stay.

import TestSupport
import Testing

@testable import ReactiveCollections

/// An object that an upstream view creates for an element.
private final class Model {
    let number: Int

    init(_ number: Int) { self.number = number }
}

extension ReactiveCollectionsTests {
    @Suite struct FlatMapTests {
        @Test func anInnerChangeRunsNoOuterClosure() {
            let inners = (0..<5).map { ObservableArray([$0 * 10, $0 * 10 + 1]) }
            let outer = ObservableArray(inners)
            var (outerCalls, innerCalls) = (0, 0)
            let flat = outer.live.flatMap {
                outerCalls += 1
                return $0
            }.map {
                innerCalls += 1
                return $0 + 1000
            }
            let reaction = autorun { _ = flat.elements }
            #expect(flat.elements == [1000, 1001, 1010, 1011, 1020, 1021, 1030, 1031, 1040, 1041])
            #expect(outerCalls == 5 && innerCalls == 10)
            inners[2].append(22)
            inners[4].remove(at: 0)
            inners[0][1] = 7
            #expect(flat.elements == [1000, 1007, 1010, 1011, 1020, 1021, 1022, 1030, 1031, 1041])
            #expect(outerCalls == 5 && innerCalls == 12)
            outer.swapAt(0, 2)
            outer.remove(at: 1)
            inners[2].move(from: 0, to: 2)
            #expect(flat.elements == [1021, 1022, 1020, 1000, 1007, 1030, 1031, 1041])
            #expect(outerCalls == 5 && innerCalls == 12)
            inners[1].append(0)
            #expect(innerCalls == 12)
            reaction.cancel()
        }

        @Test func elementsThatStayKeepTheirResults() {
            let source = ObservableArray([[1, 2, 3], [4]])
            let models = source.live.flatMap { $0 }.map { Model($0) }
            let before = models.elements
            source[0] = [0, 1, 2, 3]
            source[1] = [4, 5]
            let after = models.elements
            #expect(after.map(\.number) == [0, 1, 2, 3, 4, 5])
            #expect(after[1] === before[0] && after[3] === before[2] && after[4] === before[3])
            source.swapAt(0, 1)
            #expect(models.elements.map(\.number) == [4, 5, 0, 1, 2, 3])
            #expect(models.elements[0] === before[3])
        }

        @Test func joinedPairsKeepTheirResults() {
            let left = ObservableArray([1, 2, 3, 11])
            let right = ObservableArray([101, 1, 2])
            var (leftCalls, rightCalls) = (0, 0)
            let models = left.live.joined(
                with: right.live,
                on: {
                    leftCalls += 1
                    return $0 % 10
                },
                equals: {
                    rightCalls += 1
                    return $0 % 10
                }
            ).map { Model($0.0 * 1000 + $0.1) }
            #expect(models.elements.map(\.number) == [1101, 1001, 2002, 11101, 11001])
            #expect(leftCalls == 4 && rightCalls == 3)
            let before = models.elements
            right.swapAt(0, 1)
            left.move(from: 3, to: 0)
            let after = models.elements
            #expect(after.map(\.number) == [11001, 11101, 1001, 1101, 2002])
            #expect(after[0] === before[4] && after[3] === before[0] && after[4] === before[2])
            #expect(leftCalls == 4 && rightCalls == 3)
            right.append(3)
            left[0] = 13
            #expect(models.elements.map(\.number) == [13003, 1001, 1101, 2002, 3003])
            #expect(leftCalls == 5 && rightCalls == 4)
        }

        @Test func joinedFollowsTwoSidesThatAreReplaced() {
            let (left, right): (ObservableArray, ObservableArray) = ([1, 2], [1, 2, 2])
            let view = left.live.joined(with: right.live, on: { $0 % 10 }, equals: { $0 % 10 })
            let sums = view.map { (pair: (Int, Int)) in 100 * pair.0 + pair.1 }
            let reaction = autorun { _ = sums.elements }
            #expect(sums.elements == [101, 202, 202])
            inTransaction {
                left.removeAll()
                right.removeAll()
                left += [12, 3]
                right += [3, 13, 2]
            }
            #expect(sums.elements == [1202, 303, 313] && reaction.runCount == 2)
            right.append(12)
            #expect(sums.elements == [1202, 1212, 303, 313])
            reaction.cancel()
        }

        @Test func observersRunForChangesThatReachThem() {
            let numbers = ObservableArray([1, 2, 3])
            let even = numbers.live.compactMap { $0 % 2 == 0 ? $0 / 2 : nil }
            var runs = 0
            let reaction = autorun {
                runs += 1
                _ = even.elements
            }
            numbers[0] = 5
            numbers.append(7)
            numbers.remove(at: 0)
            numbers.swapAt(0, 1)
            #expect(runs == 1 || even.elements == [1])
            numbers.append(8)
            #expect(even.elements == [1, 4])
            reaction.cancel()
        }

        @Test func compactMapEndsReactionsOfItsClosure() {
            let numbers = ObservableArray([1, 2, 3])
            var ended: [Int] = []
            let view = numbers.live.compactMap { number -> Int? in
                onCleanup { ended.append(number) }
                return number == 2 ? nil : number
            }
            #expect(view.elements == [1, 3])
            numbers.remove(at: 1)
            numbers[0] = 4
            numbers.swapAt(0, 1)
            #expect(view.elements == [3, 4])
            #expect(ended.sorted() == [1, 2])
        }

        @Test func equalResultsAreNoChange() {
            let numbers = ObservableArray([1.0, 2.0])
            let roots = numbers.live.map { ($0 - 5).squareRoot() }
            let compact = numbers.live.compactMap { Optional(($0 - 5).squareRoot()) }
            let flat = numbers.live.flatMap { [($0 - 5).squareRoot()] }
            let close = numbers.live.map(equals: { abs($0 - $1) < 10 }) { $0 }
            let objects = Model(1)
            let same = numbers.live.map { _ in objects }
            var runs = 0
            let reactions = [
                autorun { _ = (runs += 1, roots.elements) }, autorun { _ = (runs += 1, compact.elements) },
                autorun { _ = (runs += 1, flat.elements) }, autorun { _ = (runs += 1, close.elements) },
                autorun { _ = (runs += 1, same.elements) },
            ]
            #expect(runs == 5)
            numbers[0] = 3
            #expect(runs == 5)
            reactions.forEach { $0.cancel() }
        }
    }
}
