// Pairs: rows that are used again, what reruns readers, and what leaves with an element.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct JoinStateTests {
        /// The pairs of numbers with equal tens, as texts.
        private func texts(_ left: ObservableArray<Int>, _ right: ObservableArray<Int>) -> LiveArray<String> {
            let pairs = left.live.joined(with: right.live) {
                $0 / 10
            } equals: {
                $0 / 10
            }
            return pairs.map { (pair: (Int, Int)) in "\(pair.0)-\(pair.1)" }
        }

        private func expected(_ left: ObservableArray<Int>, _ right: ObservableArray<Int>) -> [String] {
            left.elements.flatMap { number in
                right.elements.filter { $0 / 10 == number / 10 }.map { "\(number)-\($0)" }
            }
        }

        @Test func rowsThatAreUsedAgainHaveNewPairs() {
            let (left, right) = (ObservableArray([10, 20, 11]), ObservableArray([20, 12, 10]))
            let view = texts(left, right)
            #expect(view.elements == expected(left, right))
            for (array, number) in [(left, 15), (right, 16), (left, 25), (right, 27), (left, 17), (right, 18)] {
                inTransaction {
                    array.remove(at: 0)
                    array.append(number)
                }
                #expect(view.elements == expected(left, right))
            }
            for index in 0..<3 {
                for array in [left, right] {
                    inTransaction {
                        array.remove(at: index)
                        array.insert(13 + index, at: index)
                        array.swapAt(0, 2)
                    }
                    #expect(view.elements == expected(left, right))
                }
            }
        }

        @Test func readersOfPairsIgnoreKeysThatStay() {
            let (left, right) = (ObservableArray([1, 2]), ObservableArray([2, 1, 2]))
            let (leftFlag, rightFlag) = (Observable(0), Observable(0))
            let pairs = left.live.joined(with: right.live) {
                $0 + leftFlag.value / 5
            } equals: {
                $0 + rightFlag.value / 5
            }
            let reaction = autorun { _ = pairs.elements.count }
            leftFlag.value = 1
            rightFlag.value = 1
            inTransaction {
                leftFlag.value = 2
                rightFlag.value = 2
            }
            #expect(reaction.runCount == 1)
            leftFlag.value = 5
            #expect(reaction.runCount == 2 && pairs.count == 2)
            rightFlag.value = 5
            #expect(reaction.runCount == 3 && pairs.count == 3)
            reaction.cancel()
        }

        @Test func readersOfPairsIgnoreOrdersThatKeepTheirPairs() {
            let (left, right) = (ObservableArray([10, 20]), ObservableArray([20, 12, 31, 10, 30]))
            let view = texts(left, right)
            let reaction = autorun { _ = view.elements }
            right.sort { $0 / 10 < $1 / 10 }
            #expect(right.elements == [12, 10, 20, 31, 30] && reaction.runCount == 1)
            right.reverse()
            #expect(view.elements == ["10-10", "10-12", "20-20"] && reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func pairsRunNoClosuresForElementsThatStay() {
            let (left, right) = (ObservableArray([10, 20, 11]), ObservableArray([20, 12, 10]))
            var evaluated: [String] = []
            let pairs = left.live.joined(with: right.live) {
                $0 / 10
            } equals: {
                $0 / 10
            }
            let view = pairs.map { (pair: (Int, Int)) -> String in
                evaluated.append("\(pair.0)-\(pair.1)")
                return evaluated.last!
            }
            #expect(view.elements == expected(left, right))
            evaluated = []
            left.swapAt(0, 2)
            right.move(from: 2, to: 0)
            left.reverse()
            right.reverse()
            #expect(view.elements == expected(left, right) && evaluated.isEmpty)
            left[0] = 13
            #expect(view.elements == expected(left, right))
            #expect(Set(evaluated) == Set(expected([13], right)))
            evaluated = []
            right.append(21)
            #expect(view.elements == expected(left, right) && evaluated == ["20-21"])
            evaluated = []
            right[right.firstIndex(of: 21)!] = 22
            #expect(view.elements == expected(left, right) && evaluated == ["20-22"])
            evaluated = []
            right.reverse()
            #expect(view.elements == expected(left, right) && evaluated.isEmpty)
            right[right.firstIndex(of: 10)!] = 15
            #expect(view.elements == expected(left, right))
            #expect(Set(evaluated) == ["13-15", "11-15"])
            right.remove(at: right.firstIndex(of: 12)!)
            #expect(view.elements == expected(left, right))
        }

        // MARK: - Elements that have left

        private final class Flag {
            let isOn = Observable(true)
            let token: AnyObject
            init(_ token: AnyObject) { self.token = token }
        }

        /// Returns two flags with tokens of a tracker.
        private func flags(_ tracker: LifetimeTracker) -> ObservableArray<Flag> {
            ObservableArray([Flag(tracker.token()), Flag(tracker.token())])
        }

        private func pairs(
            of left: ObservableArray<Flag>, with right: ObservableArray<Flag>
        ) -> LiveArray<(Flag, Flag)> {
            left.live.joined(with: right.live) {
                $0.isOn.value
            } equals: {
                $0.isOn.value
            }
        }

        @Test func pairsKeepNothingOfElementsThatHaveLeft() {
            let tracker = LifetimeTracker()
            let (left, right) = (flags(tracker), flags(tracker))
            let pairs = pairs(of: left, with: right)
            let sum = left.live.sum { $0.isOn.value ? 1 : 0 }
            let reaction = autorun { _ = (pairs.count, sum.value) }
            #expect(pairs.count == 4)
            weak let leftFlag = left[0].isOn
            weak let rightFlag = right[1].isOn
            left.removeFirst()
            right.removeLast()
            #expect(pairs.count == 1 && sum.value == 1)
            #expect(tracker.alive == 2 && leftFlag == nil && rightFlag == nil)
            left[0].isOn.value = false
            #expect(pairs.isEmpty && sum.value == 0)
            reaction.cancel()
        }

        @Test func pairsKeepNothingOfElementsThatWereAllReplaced() {
            let tracker = LifetimeTracker()
            let (left, right) = (flags(tracker), flags(tracker))
            let pairs = pairs(of: left, with: right)
            let reaction = autorun { _ = pairs.count }
            #expect(pairs.count == 4)
            weak let leftFlag = left[0].isOn
            weak let rightFlag = right[1].isOn
            inTransaction {
                left.removeAll()
                right.removeAll()
            }
            #expect(pairs.count == 0 && tracker.alive == 0 && leftFlag == nil && rightFlag == nil)
            reaction.cancel()
        }
    }
}
