// An observer depends on the reads of its last run.

import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct DynamicDependencyTests {
        @Test func abandonedBranchesDoNotRunTheObserver() {
            let useA = Observable(true), a = Observable(1), b = Observable(10)
            var log: [Int] = []
            let r = autorun { log.append(useA.value ? a.value : b.value) }
            defer { r.cancel() }
            b.value = 11
            useA.value = false
            a.value = 2
            b.value = 12
            useA.value = true
            #expect(log == [1, 11, 12, 2])
        }

        @Test func anAbandonedComputedIsNotRun() {
            let useA = Observable(true), a = Observable(1)
            var runs = 0
            let expensive = Computed {
                runs += 1
                return a.value
            }
            let r = autorun { _ = useA.value ? expensive.value : 0 }
            defer { r.cancel() }
            useA.value = false
            a.value = 2
            #expect(runs == 1)
            inTransaction {
                a.value = 3
                useA.value = true
            }
            #expect(runs == 2)
        }

        // Both change together: the computed that is no longer read would fail if it ran.
        @Test func aGuardedComputedIsNotEvaluatedOnceItsGuardIsFalse() {
            let items = Observable([1, 2, 3])
            let index = Observable(2)
            let item = Computed { items.value[index.value] }
            var log: [Int] = []
            let r = autorun { log.append(items.value.count > index.value ? item.value : -1) }
            defer { r.cancel() }
            items.value = [1]
            items.value = [4, 5, 6]
            #expect(log == [3, -1, 6])
        }

        @Test func aComputedGuardedByAComputedIsNotEvaluatedAheadOfIt() {
            let list = Observable([1])
            let isEmpty = Computed { list.value.isEmpty }
            let first = Computed { list.value[0] }
            let text = Computed { isEmpty.value ? "none" : "\(first.value)" }
            var log: [String] = []
            let r = autorun { log.append(text.value) }
            defer { r.cancel() }
            list.value = []
            list.value = [2]
            #expect(log == ["1", "none", "2"])
        }

        @Test func dependenciesOfComputedsAreDynamicAlsoUnobserved() {
            let useA = Observable(true), a = Observable(1), b = Observable(10)
            var runs = 0
            let c = Computed {
                runs += 1
                return useA.value ? a.value : b.value
            }
            #expect(c.value == 1)
            b.value = 11
            #expect(c.value == 1)
            #expect(runs == 1)
            useA.value = false
            #expect(c.value == 11)
            a.value = 2
            #expect(c.value == 11)
            #expect(runs == 2)
        }

        @Test func manyDependenciesMayBeAddedAndRemoved() {
            let count = Observable(1)
            let sources = (0..<100).map { Observable($0) }
            var sum = 0
            let r = autorun { sum = sources[..<count.value].reduce(0) { $0 + $1.value } }
            defer { r.cancel() }
            for size in [100, 3, 50, 0, 99, 1] {
                count.value = size
                #expect(sum == (0..<size).reduce(0, +))
                let before = r.runCount
                for x in sources[size...] { x.value += 0 }
                for (index, x) in sources.enumerated().dropFirst(size) {
                    x.value = -1
                    x.value = index
                }
                #expect(r.runCount == before)
            }
        }

        @Test func theOrderOfReadsMayChange() {
            let reversed = Observable(false)
            let a = Observable("a"), b = Observable("b"), c = Observable("c")
            var text = ""
            let r = autorun {
                let order = reversed.value ? [c, b, a] : [a, b, c]
                text = order.map(\.value).joined()
            }
            defer { r.cancel() }
            for flag in [true, false, true] {
                reversed.value = flag
                let before = r.runCount
                a.value += "!"
                b.value += "!"
                c.value += "!"
                #expect(r.runCount == before + 3)
            }
            #expect(text == "c!!!b!!!a!!!")
        }

        /// `middle` is being checked when a source of it writes, and makes it read something else.
        @Test func aSourceThatWasDroppedDuringTheCheckIsNotEvaluated() {
            let (isClosed, source, other) = (Observable(false), Observable(0), Observable(0))
            var (isArmed, evaluations) = (false, 0)
            var middle: Computed<Int>?
            let writer = Computed {
                guard source.value == 1, isArmed else { return 0 }
                isArmed = false
                isClosed.value = true
                return untracked { middle!.value } - 5
            }
            let last = Computed {
                evaluations += 1
                return other.value
            }
            middle = Computed { isClosed.value ? 5 : writer.value + last.value }
            defer { middle = nil }
            #expect(middle!.value == 0)
            isArmed = true
            (source.value, other.value) = (1, 1)
            _ = issues { #expect(middle!.value == 5) }
            #expect(evaluations == 1)
        }

        @Test func readingTwiceSubscribesOnce() {
            let x = Observable(1)
            let c = Computed { x.value + x.value }
            let r = autorun { _ = x.value + c.value + x.value + c.value }
            defer { r.cancel() }
            x.value = 2
            #expect(r.runCount == 2)
            #expect(c.value == 4)
        }

        // The reaction stops reading b; the change that follows must not run b.
        @Test func aComputedThatIsNoLongerReadIsUnobserved() {
            let on = Observable(true), x = Observable(1)
            var runs = 0
            let b = Computed {
                runs += 1
                return x.value
            }
            let r = autorun { if on.value { _ = b.value } }
            defer { r.cancel() }
            on.value = false
            for value in 2..<10 { x.value = value }
            #expect(runs == 1)
            on.value = true
            #expect(runs == 2)
        }

        @Test func readsInsideUntrackedAreNotDependencies() {
            let x = Observable(1), y = Observable(1)
            let c = Computed { y.value * 10 }
            var log: [Int] = []
            let r = autorun { log.append(x.value + untracked { c.value + y.value }) }
            defer { r.cancel() }
            y.value = 2
            #expect(r.runCount == 1)
            x.value = 2
            #expect(log == [12, 24])
        }

        @Test func trackingContinuesAfterUntracked() {
            let x = Observable(1), y = Observable(1), z = Observable(1)
            var log: [Int] = []
            let r = autorun { log.append(x.value + untracked { y.value } + z.value) }
            defer { r.cancel() }
            z.value = 2
            y.value = 5
            x.value = 2
            #expect(log == [3, 4, 9])
        }

        @Test func aComputedReadUntrackedStillTracksForItself() {
            let x = Observable(1)
            let c = Computed { x.value }
            let r = autorun { _ = untracked { c.value } }
            defer { r.cancel() }
            x.value = 2
            #expect(r.runCount == 1)
            #expect(c.value == 2)
        }

        @Test func untrackedPassesResultsAndErrorsThrough() {
            struct Failure: Error {}
            #expect(untracked { 5 } == 5)
            #expect(throws: Failure.self) { try untracked { throw Failure() } }
        }
    }
}
