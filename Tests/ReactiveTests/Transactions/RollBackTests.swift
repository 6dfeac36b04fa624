// Writes of transactions whose body throws.

import Reactive
import Testing

private enum Refusal: Error { case first, second }

extension ReactiveTests {
    @Suite struct RollBackTests {
        @Test func everyWriteIsRolledBackAndNoReactionRuns() {
            let x = Observable(1), name = Observable("a"), list = Observable([1])
            let r = autorun { _ = (x.value, name.value, list.value) }
            #expect(throws: Refusal.first) {
                try inTransaction {
                    x.value = 2
                    name.value = "b"
                    list.value.append(2)
                    x.value = 3
                    throw Refusal.first
                }
            }
            #expect((x.value, name.value) == (1, "a"))
            #expect(list.value == [1])
            #expect(r.runCount == 1)
            x.value = 5
            #expect(r.runCount == 2)
            r.cancel()
        }

        @Test func theErrorKeepsItsType() {
            let x = Observable(1)
            var caught: Refusal?
            do {
                try inTransaction { () throws(Refusal) in
                    x.value = 2
                    throw .second
                }
            } catch {
                caught = error  // Compiles only if the type is known.
            }
            #expect(caught == .second)
            #expect(x.value == 1)
        }

        @Test func aBodyThatMayThrowAndDoesNotCommits() throws {
            let x = Observable(1)
            var log: [Int] = []
            let r = autorun { log.append(x.value) }
            let result = try inTransaction {
                x.value = 2
                if x.value == 0 { throw Refusal.first }
                return x.value
            }
            #expect(result == 2)
            #expect(log == [1, 2])
            r.cancel()
        }

        @Test func aNestedBodyRollsBackToItsOwnStart() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let r = autorun { log.append("\(x.value) \(y.value)") }
            inTransaction {
                x.value = 1
                try? inTransaction {
                    x.value = 2
                    y.value = 2
                    throw Refusal.first
                }
                #expect((x.value, y.value) == (1, 0))
                y.value = 3
            }
            #expect(log == ["0 0", "1 3"])
            r.cancel()
        }

        @Test func anOuterBodyRollsBackTheCommitsOfNestedOnes() {
            let x = Observable(0), y = Observable(0)
            let r = autorun { _ = (x.value, y.value) }
            try? inTransaction {
                x.value = 1
                try inTransaction {
                    x.value = 2
                    if y.value == 9 { throw Refusal.second }
                }
                inTransaction { y.value = 2 }
                throw Refusal.first
            }
            #expect((x.value, y.value) == (0, 0))
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func threeLevelsRollBackEachToItsStart() {
            let x = Observable(0)
            var seen: [Int] = []
            try? inTransaction {
                x.value = 1
                try? inTransaction {
                    x.value = 2
                    try? inTransaction {
                        x.value = 3
                        throw Refusal.first
                    }
                    seen.append(x.value)
                    throw Refusal.first
                }
                seen.append(x.value)
                throw Refusal.first
            }
            #expect(seen == [2, 1])
            #expect(x.value == 0)
        }

        @Test func aNestedRollBackToTheOriginalRunsNoReaction() {
            let x = Observable(0)
            let r = autorun { _ = x.value }
            inTransaction {
                try? inTransaction {
                    x.value = 1
                    throw Refusal.first
                }
            }
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func resultsCachedInATransactionAreRolledBack() {
            let x = Observable(1)
            let double = Computed { x.value * 2 }
            let unobserved = Computed { double.value + 1 }
            var log: [Int] = []
            let r = autorun { log.append(double.value) }
            try? inTransaction {
                x.value = 2
                #expect(double.value == 4)
                #expect(unobserved.value == 5)
                throw Refusal.first
            }
            #expect(double.value == 2)
            #expect(unobserved.value == 3)
            #expect(log == [2])
            x.value = 2
            #expect(unobserved.value == 5)
            #expect(log == [2, 4])
            r.cancel()
        }

        /// The transaction evaluates `sum` twice, after a change outside that `sum` has not seen before.
        @Test func aResultThatWasOutdatedBeforeTheBodyIsOutdatedAfterwards() {
            let (x, y) = (Observable(1), Observable(1))
            let sum = Computed { x.value + y.value }
            #expect(sum.value == 2)
            y.value = 10
            #expect(throws: Refusal.first) {
                try inTransaction {
                    for value in 2...3 {
                        x.value = value
                        #expect(sum.value == value + 10)
                    }
                    throw Refusal.first
                }
            }
            #expect(sum.value == 11)
        }

        @Test func dependenciesFoundInATransactionThatIsRolledBackAreNotKept() {
            let usesX = Observable(false), x = Observable(1), y = Observable(1)
            let chosen = Computed { usesX.value ? x.value : y.value }
            var log: [Int] = []
            let r = autorun { log.append(chosen.value) }
            try? inTransaction {
                usesX.value = true
                x.value = 7
                #expect(chosen.value == 7)
                throw Refusal.first
            }
            x.value = 8
            #expect(log == [1])
            y.value = 2
            #expect(log == [1, 2])
            r.cancel()
        }

        @Test func aReactionCreatedInTheBodySeesTheOriginalAfterwards() {
            let x = Observable(1)
            var log: [Int] = []
            var r: Reaction?
            try? inTransaction {
                x.value = 2
                r = autorun { log.append(x.value) }
                throw Refusal.first
            }
            #expect(log == [2, 1])
            r?.cancel()
        }

        @Test func aRunThatIsRolledBackLeavesTheEffectItsOldValue() {
            let x = Observable(0)
            var log: [[Int]] = []
            let follower = reaction({ x.value }) { new, old in log.append([old, new]) }
            inTransaction {
                x.value = 2
                try? inTransaction {
                    x.value = 3
                    follower.catchUp()
                    throw Refusal.first
                }
            }
            #expect(log == [[0, 2]])
            follower.cancel()
        }

        @Test func writesOfARunInTheBodyAreRolledBack() {
            let x = Observable(0), copy = Observable(0)
            var r: Reaction?
            try? inTransaction {
                x.value = 5
                r = autorun { copy.value = x.value }
                #expect(copy.value == 5)
                throw Refusal.first
            }
            #expect(x.value == 0)
            #expect(copy.value == 0)
            r?.cancel()
        }

        @Test func objectsWrittenInTheBodyAreRolledBackByIdentity() {
            final class Box {}
            let first = Box()
            let x = Observable(first)
            try? inTransaction {
                x.value = Box()
                throw Refusal.first
            }
            #expect(x.value === first)
        }

        @Test func throwingInARunRollsBackOnlyItsOwnTransaction() {
            let trigger = Observable(0), x = Observable(0), y = Observable(0)
            let r = autorun {
                let value = trigger.value
                y.value = value
                try? inTransaction {
                    x.value = value
                    if value > 0 { throw Refusal.first }
                }
            }
            trigger.value = 3
            #expect((x.value, y.value) == (0, 3))
            r.cancel()
        }

        // MARK: - Committing in spite of an error

        @Test func commitKeepsTheWritesAndRethrows() {
            let x = Observable(1)
            var log: [Int] = []
            let r = autorun { log.append(x.value) }
            #expect(throws: Refusal.first) {
                try inTransaction(onError: .commit) {
                    x.value = 2
                    x.value = 3
                    throw Refusal.first
                }
            }
            #expect(log == [1, 3])
            r.cancel()
        }

        @Test func reactionsHaveRunWhenACommittedErrorArrives() {
            let x = Observable(1)
            var log: [String] = []
            let r = autorun { log.append("ran \(x.value)") }
            do {
                try inTransaction(onError: .commit) {
                    x.value = 2
                    throw Refusal.first
                }
            } catch {
                log.append("caught")
            }
            #expect(log == ["ran 1", "ran 2", "caught"])
            r.cancel()
        }

        @Test func rollBackMayBeSpelledOut() {
            let x = Observable(1)
            try? inTransaction(onError: .rollBack) {
                x.value = 2
                throw Refusal.first
            }
            #expect(x.value == 1)
        }

        @Test func anOuterRollBackIncludesTheWritesOfAnInnerCommit() {
            let x = Observable(1)
            try? inTransaction {
                try inTransaction(onError: .commit) {
                    x.value = 2
                    throw Refusal.first
                }
            }
            #expect(x.value == 1)
        }

        @Test func anInnerRollBackInACommitRestoresOnlyItsOwnWrites() {
            let x = Observable(1), y = Observable(1)
            try? inTransaction(onError: .commit) {
                x.value = 2
                try inTransaction {
                    y.value = 2
                    throw Refusal.first
                }
            }
            #expect((x.value, y.value) == (2, 1))
        }

        @Test func commitKeepsTheErrorsType() {
            var caught: Refusal?
            do {
                try inTransaction(onError: .commit) { () throws(Refusal) in throw .second }
            } catch {
                caught = error
            }
            #expect(caught == .second)
        }
    }
}
