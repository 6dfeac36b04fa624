// Operators to a value: how often closures and observers run, and the promises of sums.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

/// Counts calls, and acts as a closure.
private final class Calls {
    private(set) var count = 0

    func callAsFunction<Result>(_ result: Result) -> Result {
        count += 1
        return result
    }

    /// Returns the number of calls since the last call of this function.
    func take() -> Int {
        defer { count = 0 }
        return count
    }
}

extension ReactiveCollectionsTests {
    @Suite struct ValueOperatorTests {
        @Test func closuresRunForChangedElements() {
            let numbers = ObservableArray(0..<10)
            let calls = Calls()
            let sum = numbers.live.sum { calls($0) }
            #expect(calls.take() == 0)
            #expect(sum.value == 45)
            #expect(calls.take() == 10)
            numbers[3] = 13
            numbers[4] = 14
            numbers.append(100)
            numbers.remove(at: 0)
            #expect(calls.take() == 0)
            #expect(sum.value == 165)
            #expect(calls.take() == 3)
            numbers.swapAt(0, 5)
            numbers.reverse()
            numbers.sort()
            #expect(sum.value == 165)
            #expect(calls.take() == 0)
        }

        @Test func aReductionIgnoresMoves() {
            let numbers = ObservableArray(0..<10)
            let calls = Calls()
            let sum = numbers.live.reduce(0, add: { calls($0 + $1) }, remove: { calls($0 - $1) })
            #expect(sum.value == 45 && calls.take() == 10)
            numbers.swapAt(0, 5)
            numbers.move(from: 1, to: 8)
            numbers.reverse()
            #expect(sum.value == 45 && calls.take() == 0)
            numbers[3] = 100
            numbers.remove(at: 4)
            #expect(sum.value == numbers.reduce(0, +) && calls.take() == 3)
        }

        @Test func aFlipRunsOneClosure() {
            let flags = (0..<20).map { Observable($0 % 2 == 0) }
            let array = ObservableArray(flags)
            let calls = Calls()
            let count = array.live.count { calls($0.value) }
            var seen: [Int] = []
            let reaction = autorun { seen.append(count.value) }
            #expect(calls.take() == 20)
            flags[3].value = true
            #expect(calls.take() == 1)
            inTransaction {
                flags[3].value = false
                flags[4].value = false
                flags[5].value = true
            }
            #expect(calls.take() == 3)
            #expect(seen == [10, 11, 10])
            reaction.cancel()
        }

        @Test func observersRunWhenTheResultChanges() {
            let numbers = ObservableArray([1, 2, 3, 4])
            let hasEven = numbers.live.contains { $0 % 2 == 0 }
            let least = numbers.live.min()
            let first = numbers.live.first { $0 > 1 }
            var runs: [String] = []
            let reactions = [
                autorun { runs.append("hasEven \(hasEven.value)") },
                autorun { runs.append("least \(least.value ?? 0)") },
                autorun { runs.append("first \(first.value ?? 0)") },
            ]
            runs = []
            numbers[3] = 6
            numbers.append(7)
            numbers.swapAt(2, 3)
            #expect(runs == [])
            numbers.insert(1, at: 0)
            numbers.remove(at: 1)
            #expect(runs == [])
            numbers[0] = 3
            #expect(runs == ["least 2", "first 3"])
            runs = []
            numbers.removeAll { $0 % 2 == 0 }
            #expect(runs == ["hasEven false", "least 3"])
            reactions.forEach { $0.cancel() }
        }

        /// The elements have no `==`, so each change of the least one counts.
        @Test func readersOfALeastElementIgnoreTheOthers() {
            struct Entry { var value: Int }
            let flag = Observable(0)
            let array = ObservableArray([5, 3, 8].map { Entry(value: $0) })
            let calls = Calls()
            let least = array.live.min(by: { calls($0.value + ($0.value == 3 ? flag.value : 0)) })
            let reaction = autorun { _ = least.value }
            _ = calls.take()
            array[0] = Entry(value: 6)
            flag.value = 1
            #expect(calls.take() == 2 && reaction.runCount == 1)
            array.swapAt(0, 2)
            array.reverse()
            #expect(calls.take() == 0 && reaction.runCount == 1)
            array[1] = Entry(value: 2)
            #expect(least.value?.value == 2 && reaction.runCount == 2)
            array.append(Entry(value: 1))
            #expect(least.value?.value == 1 && reaction.runCount == 3)
            array.removeLast()
            #expect(least.value?.value == 2 && reaction.runCount == 4)
            array.removeAll()
            #expect(least.value == nil && reaction.runCount == 5)
            reaction.cancel()
        }

        @Test func aGreatestElementFollowsTheObservablesOfItsKey() {
            let offset = Observable(0)
            let greatest = ObservableArray([1, 2]).live.max(by: { $0 == 1 ? 1 + offset.value : $0 })
            #expect(greatest.value == 2)
            offset.value = 5
            #expect(greatest.value == 1)
        }

        @Test func aRollBackRunsNothing() throws {
            let numbers = ObservableArray(0..<10)
            let calls = Calls()
            let sum = numbers.live.sum { calls($0) }
            let greatest = numbers.live.max { calls($0) < $1 }
            var runs = 0
            let reaction = autorun {
                runs += 1
                _ = sum.value
                _ = greatest.value
            }
            #expect(throws: Refusal.self) {
                try inTransaction {
                    numbers[0] = 100
                    numbers.remove(at: 9)
                    #expect(sum.value == 136)
                    #expect(greatest.value == 100)
                    throw Refusal()
                }
            }
            _ = calls.take()
            #expect(sum.value == 45)
            #expect(greatest.value == 9)
            #expect(calls.take() == 0)
            #expect(runs == 1)
            reaction.cancel()
        }

        // MARK: - Sums

        @Test func integerSumsOverflowInBetween() {
            let numbers = ObservableArray<Int8>([100, 27])
            let sum = numbers.live.sum()
            #expect(sum.value == 127)
            inTransaction {
                numbers.append(100)
                numbers.append(-100)
            }
            #expect(sum.value == 127)
            numbers[0] = -128
            numbers[1] = 0
            #expect(sum.value == -128)
            numbers.append(-1)
            numbers.append(1)
            #expect(sum.value == -128)
            #expect(ObservableArray<UInt8>([255, 1]).live.sum { Int($0) }.value == 256)
        }

        @Test func integerSumsAreExactInTwiceTheWidth() {
            func check<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) {
                var random = SplitMix64(seed: 1)
                var sum = IntegerSum<Value>()
                var plain: [Row: Int] = [:]
                for _ in 0..<500 {
                    let row = Row(random.below(6))
                    let (mark, total) = (sum.mark, plain.values.reduce(0, +))
                    if random.oneIn(4) {
                        sum.remove(row)
                        plain[row] = nil
                    } else {
                        let value = random.pick([Value.min, .max, 0, 1, Value(random.below(128))])
                        sum.set(value, at: row)
                        plain[row] = Int(value)
                    }
                    #expect(Int(sum.low) + 256 * sum.high == plain.values.reduce(0, +))
                    #expect((sum.mark == mark) == (plain.values.reduce(0, +) == total))
                }
            }
            check(Int8.self)
            check(UInt8.self)
            var sum = IntegerSum<UInt8>()
            sum.set(10, at: 0)
            let mark = sum.mark
            sum.set(128, at: 1)
            sum.set(128, at: 2)
            #expect(sum.low == 10 && sum.mark != mark)
        }

        #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
        @Test func reductionsOnOtherThreadsStopTheProgram() async {
            let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let numbers = ObservableArray([1, 2])
                await MainActor.run {
                    let sum = numbers.live.reduce(0, named: "total", add: +, remove: -)
                    onOtherThread { print(sum.value) }
                }
            }
            expectMessage(first, "main actor")
            let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let numbers = ObservableArray([1, 2])
                await MainActor.run {
                    let sum = numbers.live.reduce(0, named: "total", add: +, remove: -)
                    print(sum.value)
                    onOtherThread {
                        numbers.append(3)
                        print(sum.value)
                    }
                }
            }
            expectMessage(second, "main actor")
        }

        @Test func anIntegerSumThatDoesNotFitStopsTheProgram() async {
            await #expect(processExitsWith: .failure) {
                let sum = ObservableArray<UInt8>([255, 1]).live.sum()
                print(sum.value)
            }
        }
        #endif

        @Test func floatingPointSumsRecover() {
            let numbers = ObservableArray([0.1, 0.2, 0.3])
            let sum = numbers.live.sum()
            let start = sum.value
            var runs = 0
            let reaction = autorun {
                runs += 1
                _ = sum.value
            }
            numbers.append(.infinity)
            #expect(sum.value == .infinity)
            numbers.append(-.infinity)
            #expect(sum.value.isNaN)
            #expect(runs == 3)
            // From NaN to NaN: no change.
            numbers.append(.nan)
            #expect(runs == 3)
            numbers.removeLast(3)
            #expect(sum.value == start)
            for step in 0..<1000 {
                numbers[step % 3] = Double(step) * 1e15
                _ = sum.value
            }
            (numbers[0], numbers[1], numbers[2]) = (0.1, 0.2, 0.3)
            #expect(sum.value == start)
            reaction.cancel()
        }

        @Test func emptyArraysHaveValues() {
            let numbers = ObservableArray<Int>([])
            #expect(numbers.live.sum().value == 0)
            #expect(numbers.live.sum { Double($0) }.value == 0)
            #expect(numbers.live.min().value == nil)
            #expect(numbers.live.first { _ in true }.value == nil)
            #expect(numbers.live.allSatisfy { _ in false }.value)
            #expect(!numbers.live.contains(1).value)
            #expect(numbers.live.reduce(3, add: +, remove: -).value == 3)
        }

        // MARK: - Lifetimes

        @Test func removedElementsAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let array = ObservableArray((0..<4).map { _ in tracker.token() })
            var least: Computed<LifetimeTracker.Token?>? = array.live.min { $0.number < $1.number }
            var all: Computed<Int>? = array.live.reduce(0, add: { $0 + $1.number }, remove: { $0 - $1.number })
            _ = (least?.value, all?.value)
            let other = Observable(0)
            array.append(tracker.token { other.value += 1 })
            #expect(all?.value == 15)
            _ = least?.value
            array.removeLast()
            _ = (least?.value, all?.value)
            #expect(other.value == 1)
            #expect(tracker.alive == 4)
            array.removeAll()
            _ = (least?.value, all?.value)
            #expect(tracker.alive == 0)
            array.append(tracker.token())
            _ = (least?.value, all?.value)
            (least, all) = (nil, nil)
            array.removeAll()
            #expect(tracker.alive == 0)
        }

        @Test func valuesKeepTheirCollection() {
            var array: ObservableArray<Int>? = ObservableArray([1, 2, 3])
            weak let weakArray = array
            var sum = array?.live.sum()
            array = nil
            #expect(sum?.value == 6)
            #expect(weakArray != nil)
            sum = nil
            #expect(weakArray == nil)
        }
    }
}
