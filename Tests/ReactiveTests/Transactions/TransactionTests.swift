// `inTransaction`: several writes as one change.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct TransactionTests {
        @Test func reactionsRunOnceWhenTheTransactionEnds() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let r = autorun { log.append("\(x.value) \(y.value)") }
            inTransaction {
                x.value = 1
                y.value = 1
                x.value = 2
                #expect(log == ["0 0"])
            }
            #expect(log == ["0 0", "2 1"])
            r.cancel()
        }

        @Test func nestedTransactionsEndWithTheOutermost() {
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun { log.append(x.value) }
            inTransaction {
                inTransaction {
                    inTransaction { x.value = 1 }
                    x.value = 2
                }
                #expect(log == [0])
                x.value = 3
            }
            #expect(log == [0, 3])
            r.cancel()
        }

        @Test func resultsArePassedThrough() {
            let x = Observable(1)
            let sum = inTransaction {
                x.value += 1
                return x.value + 10
            }
            #expect(sum == 12)
        }

        @Test func readsInsideSeeTheWrites() {
            let x = Observable(1)
            var runs = 0
            let double = Computed {
                runs += 1
                return x.value * 2
            }
            let four = Computed { double.value * 2 }
            var log: [Int] = []
            let r = autorun { log.append(four.value) }
            inTransaction {
                x.value = 2
                #expect(double.value == 4)
                #expect(four.value == 8)
                x.value = 3
                #expect(four.value == 12)
                #expect(log == [4])
            }
            #expect(log == [4, 12])
            #expect(runs == 3)
            r.cancel()
        }

        @Test func readingAComputedInsideDoesNotSwallowTheChange() {
            let x = Observable(1)
            let double = Computed { x.value * 2 }
            var log: [Int] = []
            let r = reaction {
                double.value
            } onChange: {
                log.append($0)
            }
            inTransaction {
                x.value = 2
                _ = double.value
            }
            #expect(log == [4])
            r.cancel()
        }

        // MARK: - Restored values

        @Test func aRestoredValueRunsNoReaction() {
            let x = Observable(1)
            let r = autorun { _ = x.value }
            inTransaction {
                x.value = 2
                x.value = 1
            }
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func aRestoredValueRunsNoReactionAlsoIfComputedsReadTheChange() {
            let x = Observable(1)
            let double = Computed { x.value * 2 }
            let r = autorun { _ = double.value }
            inTransaction {
                x.value = 2
                #expect(double.value == 4)
                x.value = 1
                #expect(double.value == 2)
            }
            #expect(r.runCount == 1)
            #expect(double.value == 2)
            r.cancel()
        }

        @Test func aResultThatIsReadInBetweenAndThenRestoredRunsItsReaders() {
            let x = Observable(1)
            let isOdd = Computed { x.value % 2 == 1 }
            let r = autorun { _ = isOdd.value }
            defer { r.cancel() }
            inTransaction {
                x.value = 2
                x.value = 3
            }
            #expect(r.runCount == 1)
            inTransaction {
                x.value = 4
                #expect(!isOdd.value)
                x.value = 5
            }
            #expect(r.runCount == 2)
            inTransaction {
                x.value = 6
                #expect(!isOdd.value)
                x.value = 5
            }
            #expect(r.runCount == 2)
        }

        @Test func aValueRestoredAcrossNestedTransactionsRunsNoReaction() {
            let x = Observable(1)
            let r = autorun { _ = x.value }
            inTransaction {
                inTransaction { x.value = 2 }
                inTransaction { x.value = 1 }
            }
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func onlyTheReadersOfChangedValuesRun() {
            let x = Observable(1), y = Observable(1)
            var log: [String] = []
            let ofX = autorun { log.append("x\(x.value)") }
            let ofY = autorun { log.append("y\(y.value)") }
            log = []
            inTransaction {
                x.value = 2
                y.value = 2
                x.value = 1
            }
            #expect(log == ["y2"])
            ofX.cancel()
            ofY.cancel()
        }

        @Test func aReactionCreatedBeforeAValueIsRestoredRunsAgain() {
            let x = Observable(1)
            var log: [Int] = []
            let r = inTransaction {
                x.value = 2
                let r = autorun { log.append(x.value) }
                x.value = 1
                return r
            }
            #expect(log == [2, 1])
            r.cancel()
        }

        @Test func aValueThatCannotBeComparedRunsItsReadersAlsoIfRestored() {
            struct Opaque {}
            let x = Observable(Opaque())
            let r = autorun { _ = x.value }
            inTransaction {
                x.value = Opaque()
                x.value = Opaque()
            }
            #expect(r.runCount == 2)
            r.cancel()
        }

        @Test func anEmptyTransactionRunsNoReaction() {
            let x = Observable(1)
            let r = autorun { _ = x.value }
            inTransaction {}
            inTransaction { _ = x.value }
            #expect(r.runCount == 1)
            r.cancel()
        }

        // MARK: - In reactions

        @Test func aTransactionInARunIsSeenWhenTheRunEnds() {
            let x = Observable(0), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let writer = autorun {
                let value = x.value
                inTransaction {
                    y.value = value
                    z.value = value
                }
                log.append("writer ends")
            }
            let reader = autorun { log.append("\(y.value) \(z.value)") }
            x.value = 1
            #expect(log == ["writer ends", "0 0", "writer ends", "1 1"])
            writer.cancel()
            reader.cancel()
        }

        @Test func aTransactionInAnEffectIsPartOfTheEffectsChange() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let reader = autorun { log.append("y\(y.value)") }
            let r = reaction {
                x.value
            } onChange: { value in
                inTransaction { y.value = value }
                log.append("effect ends")
            }
            x.value = 1
            #expect(log == ["y0", "effect ends", "y1"])
            r.cancel()
            reader.cancel()
        }
    }
}
