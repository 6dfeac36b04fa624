// `reaction`: the first closure is tracked, the second runs after changes to its value.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct ReactionTests {
        @Test func tracksOnlyTheFirstClosure() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let r = reaction {
                x.value
            } onChange: {
                log.append("\($0) \(y.value)")
            }
            #expect(log == [])
            y.value = 1
            #expect(log == [])
            x.value = 1
            #expect(log == ["1 1"])
            r.cancel()
        }

        @Test func theSecondClosureRunsOnlyWhenTheValueChanged() {
            let x = Observable(0)
            var log: [Bool] = []
            let r = reaction {
                x.value > 1
            } onChange: {
                log.append($0)
            }
            x.value = 1
            #expect(log == [])
            x.value = 2
            x.value = 3
            #expect(log == [true])
            #expect(r.runCount == 4)
            r.cancel()
        }

        @Test func theSecondClosureIsBatched() {
            let x = Observable(0), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let observer = autorun { log.append("\(y.value) \(z.value)") }
            let r = reaction {
                x.value
            } onChange: {
                y.value = $0
                log.append("between")
                z.value = $0
            }
            x.value = 1
            #expect(log == ["0 0", "between", "1 1"])
            r.cancel()
            observer.cancel()
        }

        @Test func theSecondClosureReadsItsOwnWritesThroughComputeds() {
            let x = Observable(0), y = Observable(0)
            let double = Computed { y.value * 2 }
            var seen: [Int] = []
            let r = reaction {
                x.value
            } onChange: {
                y.value = $0
                seen.append(double.value)
            }
            x.value = 4
            #expect(seen == [8])
            r.cancel()
        }

        @Test func theSecondClosureGetsTheNewAndTheOldValue() {
            let x = Observable("a")
            var log: [String] = []
            let r = reaction {
                x.value
            } onChange: {
                log.append("\($1) → \($0)")
            }
            x.value = "b"
            x.value = "c"
            #expect(log == ["a → b", "b → c"])
            r.cancel()
        }

        @Test func theOldValueIsTheLastReportedOne() {
            let x = Observable(0)
            var log: [String] = []
            let r = reaction {
                x.value
            } onChange: {
                log.append("\($1) → \($0)")
            }
            inTransaction {
                x.value = 1
                x.value = 2
            }
            #expect(log == ["0 → 2"])
            r.cancel()
        }

        @Test func aClosureWithoutParametersRunsForChangesToo() {
            let x = Observable(0)
            var changes = 0
            let r = reaction {
                x.value
            } onChange: {
                changes += 1
            }
            x.value = 1
            x.value = 1
            #expect(changes == 1)
            r.cancel()
        }

        @Test func bothClosuresMayBeWrittenInTheParentheses() {
            let x = Observable(0)
            var log: [String] = []
            let reactions = [
                reaction({ x.value }, { log.append("\($0)") }),
                reaction({ x.value }, { log.append("\($1)→\($0)") }),
                reaction({ x.value }, { log.append("changed") }),
                reaction(equals: .never, { x.value }, { log.append("never \($0)") }),
                reaction(equals: { $0 / 10 == $1 / 10 }, { x.value }, { log.append("tens \($0)") }),
            ]
            x.value = 1
            x.value = 10
            #expect(log == ["1", "0→1", "changed", "never 1", "10", "1→10", "changed", "never 10", "tens 10"])
            reactions.forEach { $0.cancel() }
        }

        // MARK: - The first value

        @Test func fireImmediatelyReportsTheFirstValueToo() {
            let x = Observable(1)
            var log: [Int] = []
            let r = reaction(fireImmediately: true) {
                x.value
            } onChange: {
                log.append($0)
            }
            #expect(log == [1])
            x.value = 2
            #expect(log == [1, 2])
            r.cancel()
        }

        @Test func fireImmediatelyReportsTheFirstValueAsNewAndOld() {
            let x = Observable(1)
            var log: [String] = []
            let r = reaction(fireImmediately: true) {
                x.value
            } onChange: {
                log.append("\($1) → \($0)")
            }
            x.value = 2
            #expect(log == ["1 → 1", "1 → 2"])
            r.cancel()
        }

        @Test func fireImmediatelyInATransactionFiresOnceWithItsResultWhenItEnds() {
            let x = Observable(1)
            var log: [Int] = []
            let r = inTransaction {
                let r = reaction(fireImmediately: true) {
                    x.value
                } onChange: {
                    log.append($0)
                }
                x.value = 2
                #expect(log == [])
                return r
            }
            #expect(log == [2])
            r.cancel()
        }

        @Test func theFirstFireInATransactionThatIsRolledBackHasTheOriginalValue() {
            let x = Observable(1)
            var log: [Int] = []
            var r: Reaction?
            try? inTransaction {
                x.value = 2
                r = reaction(fireImmediately: true) {
                    x.value
                } onChange: {
                    log.append($0)
                }
                throw CancellationError()
            }
            #expect(log == [1])
            r?.cancel()
        }

        // MARK: - Changes

        @Test func neverReportsEveryChangeOfTheSources() {
            let x = Observable(0)
            var log: [Bool] = []
            let r = reaction(equals: .never) {
                x.value > 10
            } onChange: {
                log.append($0)
            }
            x.value = 1
            x.value = 1
            x.value = 2
            #expect(log == [false, false])
            r.cancel()
        }

        @Test func valuesThatCannotBeComparedAreReportedForEveryChange() {
            struct Opaque { var number: Int }
            let x = Observable(0)
            var log: [Int] = []
            let r = reaction {
                Opaque(number: x.value / 10)
            } onChange: {
                log.append($0.number)
            }
            x.value = 1
            x.value = 1
            x.value = 2
            #expect(log == [0, 0])
            r.cancel()
        }

        @Test func trackingVoidMeansEveryChange() {
            let x = Observable(0), y = Observable(0)
            var changes = 0
            let r = reaction {
                _ = (x.value, y.value)
            } onChange: {
                changes += 1
            }
            x.value = 1
            y.value = 1
            #expect(changes == 2)
            r.cancel()
        }

        @Test func aCustomRuleComparesWithTheLastReportedValue() {
            let x = Observable(0)
            var log: [Int] = []
            let r = reaction(equals: { abs($0 - $1) < 5 }) {
                x.value
            } onChange: {
                log.append($0)
            }
            for value in [3, 6, 8, 11, 12] { x.value = value }
            #expect(log == [6, 11])
            r.cancel()
        }

        @Test func objectsAreComparedByIdentity() {
            final class Box {}
            let first = Box(), second = Box()
            let x = Observable(0)
            var changes = 0
            let r = reaction {
                x.value < 2 ? first : second
            } onChange: {
                changes += 1
            }
            x.value = 1
            #expect(changes == 0)
            x.value = 2
            #expect(changes == 1)
            r.cancel()
        }

        @Test func notANumberIsNoChangeFromItself() {
            let x = Observable(0)
            var changes = 0
            let r = reaction {
                x.value < 0 ? 1.0 : Double.nan
            } onChange: {
                changes += 1
            }
            x.value = 1
            #expect(changes == 0)
            r.cancel()
        }

        // MARK: - Cancelling

        @Test func aReactionCancelledInItsEffectRunsNoMore() {
            let x = Observable(0)
            var log: [Int] = []
            var r: Reaction?
            r = reaction {
                x.value
            } onChange: {
                log.append($0)
                r?.cancel()
                x.value += 10
            }
            x.value = 1
            x.value = 2
            #expect(log == [1])
        }

        @Test func aReactionCancelledBeforeItsEffectDoesNotRunIt() {
            let x = Observable(0)
            var log: [String] = []
            var second: Reaction?
            let first = reaction {
                x.value
            } onChange: { _ in
                log.append("first")
                second?.cancel()
            }
            second = reaction {
                x.value
            } onChange: { _ in
                log.append("second")
            }
            x.value = 1
            #expect(log == ["first"])
            first.cancel()
        }

        @Test func anEffectThatChangesTheTrackedValueRunsAgainAfterItsEnd() {
            let x = Observable(0)
            var log: [String] = []
            let r = reaction {
                x.value
            } onChange: { v in
                log.append("in \(v)")
                if v == 1 { x.value = 2 }
                log.append("out \(v)")
            }
            x.value = 1
            #expect(log == ["in 1", "out 1", "in 2", "out 2"])
            r.cancel()
        }

        @Test func anEffectThatRestoresTheTrackedValueDoesNotRunAgain() {
            let x = Observable(0)
            var log: [Int] = []
            let r = reaction {
                x.value
            } onChange: { v in
                log.append(v)
                if v == 1 { x.value = 0; x.value = 1 }
            }
            x.value = 1
            #expect(log == [1])
            r.cancel()
        }

        @Test func aWhenCreatedInAnEffectFiresAfterTheEffect() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let r = reaction {
                x.value
            } onChange: { v in
                y.value = v
                when {
                    y.value == v
                } effect: {
                    log.append("fired")
                }
                log.append("effect ends")
            }
            x.value = 1
            #expect(log == ["effect ends", "fired"])
            r.cancel()
        }
    }
}
