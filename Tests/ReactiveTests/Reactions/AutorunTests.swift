// `autorun`: runs immediately, and again after any change to a value that its last run read.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct AutorunTests {
        @Test func runsImmediatelyAndAfterEachChange() {
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun { log.append(x.value) }
            #expect(log == [0])
            x.value = 1
            #expect(log == [0, 1])
            x.value = 2
            #expect(log == [0, 1, 2])
            #expect(r.runCount == 3)
            r.cancel()
        }

        @Test func runsImmediatelyAlsoInsideATransaction() {
            let x = Observable(0)
            var log: [Int] = []
            let r = inTransaction {
                x.value = 1
                let r = autorun { log.append(x.value) }
                #expect(log == [1])
                x.value = 2
                #expect(log == [1])
                return r
            }
            #expect(log == [1, 2])
            r.cancel()
        }

        @Test func doesNotRunAgainForWritesThatItsFirstRunSaw() {
            let x = Observable(0)
            var log: [Int] = []
            let r = inTransaction {
                x.value = 1
                return autorun { log.append(x.value) }
            }
            #expect(log == [1])
            r.cancel()
        }

        @Test func equalWritesDoNotRunIt() {
            let x = Observable(0)
            let r = autorun { _ = x.value }
            x.value = 0
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func dependsOnlyOnTheReadsOfTheLastRun() {
            let usesFirst = Observable(true), first = Observable("a"), second = Observable("b")
            var log: [String] = []
            let r = autorun { log.append(usesFirst.value ? first.value : second.value) }
            second.value = "b2"
            #expect(log == ["a"])
            usesFirst.value = false
            first.value = "a2"
            #expect(log == ["a", "b2"])
            second.value = "b3"
            #expect(log == ["a", "b2", "b3"])
            r.cancel()
        }

        @Test func runsThatReadNothingAreNotRepeated() {
            let x = Observable(0)
            let r = autorun { untracked { _ = x.value } }
            x.value = 1
            #expect(r.runCount == 1)
            #expect(!r.isCancelled)
            r.cancel()
        }

        @Test func reactionsRunInTheOrderOfTheirCreationWhateverTheyRead() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let reactions = [
                autorun { log.append("1:\(y.value)") },
                autorun { log.append("2:\(x.value)") },
                autorun { log.append("3:\(y.value)") },
                autorun { log.append("4:\(x.value)") },
            ]
            log = []
            inTransaction {
                x.value = 1
                y.value = 1
            }
            #expect(log == ["1:1", "2:1", "3:1", "4:1"])
            reactions.forEach { $0.cancel() }
        }

        @Test func cancellingOneOfManyInTheRunOfAnotherSkipsIt() {
            let x = Observable(0)
            var log: [String] = []
            var last: Reaction?
            let first = autorun {
                log.append("first \(x.value)")
                if x.value == 1 { last?.cancel() }
            }
            last = autorun { log.append("last \(x.value)") }
            x.value = 1
            #expect(log == ["first 0", "last 0", "first 1"])
            #expect(last?.isCancelled == true)
            first.cancel()
        }

        @Test func cancellingInsideTheOwnRunIsSafe() {
            let x = Observable(0)
            var log: [Int] = []
            var r: Reaction?
            r = autorun {
                log.append(x.value)
                if x.value == 1 {
                    r?.cancel()
                    log.append(x.value + 10)
                }
            }
            x.value = 1
            x.value = 2
            #expect(log == [0, 1, 11])
            #expect(r?.isCancelled == true)
        }

        @Test func cancellingTwiceIsTheSameAsOnce() {
            let x = Observable(0)
            let r = autorun { _ = x.value }
            r.cancel()
            r.cancel()
            x.value = 1
            #expect(r.runCount == 1)
        }

        @Test func cancelledInsideATransactionItRunsNoMore() {
            let x = Observable(0)
            let r = autorun { _ = x.value }
            inTransaction {
                x.value = 1
                r.cancel()
            }
            #expect(r.runCount == 1)
        }

        @Test func aReactionMayBeCreatedOnAnotherThread() {
            let x = Observable(0)
            let log = Shared<[Int]>([])
            let r = Shared<Reaction?>(nil)
            onOtherThread { r.value = autorun { log.withLock { $0.append(x.value) } } }
            x.value = 1
            #expect(log.value == [0, 1])
            r.value?.cancel()
        }
    }
}
