// A run owns the reactions created in it: they are cancelled before the next run, and with the owner.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct OwnershipTests {
        @Test func anOwnedReactionIsCancelledBeforeTheOwnersNextRun() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let owner = autorun {
                let round = x.value
                autorun { log.append("\(round): \(y.value)") }
            }
            y.value = 1
            #expect(log == ["0: 0", "0: 1"])
            x.value = 1
            y.value = 2
            #expect(log == ["0: 0", "0: 1", "1: 1", "1: 2"])
            owner.cancel()
        }

        @Test func anOwnedReactionIsCancelledWithItsOwner() {
            let y = Observable(0)
            var inner: Reaction?
            let owner = autorun { inner = autorun { _ = y.value } }
            owner.cancel()
            y.value = 1
            #expect(inner?.isCancelled == true)
            #expect(inner?.runCount == 1)
        }

        @Test func cancellingAnOwnerCancelsAllReactionsBelowIt() {
            let y = Observable(0)
            var reactions: [Reaction] = []
            let owner = autorun {
                reactions.append(autorun { reactions.append(autorun { _ = y.value }) })
            }
            #expect(reactions.count == 2)
            owner.cancel()
            #expect(reactions.allSatisfy { $0.isCancelled })
        }

        @Test func readsOfAnOwnedReactionAreNoDependenciesOfTheOwner() {
            let y = Observable(0)
            let owner = autorun { autorun { _ = y.value } }
            y.value = 1
            #expect(owner.runCount == 1)
            owner.cancel()
        }

        @Test func theOwnerRunsBeforeItsOwnedReactions() {
            let x = Observable(0)
            var log: [String] = []
            let owner = autorun {
                log.append("owner \(x.value)")
                autorun { log.append("owned \(x.value)") }
            }
            log = []
            x.value = 1
            #expect(log == ["owner 1", "owned 1"])
            owner.cancel()
        }

        @Test func aReactionThatTheOwnersNextRunDoesNotCreateNeverRunsAgain() {
            let isOpen = Observable(true)
            let content = Observable<String?>("a")
            var log: [String] = []
            let owner = autorun {
                guard isOpen.value else { return }
                autorun { log.append(content.value!) }
            }
            inTransaction {
                content.value = nil
                isOpen.value = false
            }
            #expect(log == ["a"])
            owner.cancel()
        }

        @Test func aReactionCreatedInAnEffectLivesUntilItsNextRun() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let owner = reaction {
                x.value / 10
            } onChange: { tens in
                autorun { log.append("\(tens): \(y.value)") }
            }
            x.value = 10
            x.value = 11
            y.value = 1
            #expect(log == ["1: 0", "1: 1"])
            x.value = 20
            y.value = 2
            #expect(log == ["1: 0", "1: 1", "2: 1", "2: 2"])
            owner.cancel()
            y.value = 3
            #expect(log.count == 4)
        }

        @Test func everyKindOfReactionIsOwned() {
            let x = Observable(0)
            var owned: [Reaction] = []
            let owner = autorun {
                owned = [
                    autorun { _ = x.value },
                    reaction {
                        x.value
                    } onChange: { _ in
                    },
                    when {
                        x.value == 1
                    } effect: {
                    },
                    autorun(onError: { _ in }) { _ = x.value },
                ]
            }
            owner.cancel()
            #expect(owned.allSatisfy { $0.isCancelled })
        }

        @Test func aReactionCreatedInUntrackedIsOwnedToo() {
            let y = Observable(0)
            var inner: Reaction?
            let owner = autorun { untracked { inner = autorun { _ = y.value } } }
            owner.cancel()
            #expect(inner?.isCancelled == true)
        }

        @Test func aDetachedReactionContinues() {
            let x = Observable(0), y = Observable(0)
            var log: [Int] = []
            var inner: [Reaction] = []
            let owner = autorun {
                _ = x.value
                inner.append(detached { autorun { log.append(y.value) } })
            }
            x.value = 1
            owner.cancel()
            log = []
            y.value = 1
            #expect(log == [1, 1])
            inner.forEach { $0.cancel() }
        }

        @Test func detachedPassesResultsErrorsAndReadsThrough() {
            struct Failure: Error {}
            let x = Observable(1)
            var seen: [Int] = []
            let r = autorun { seen.append(detached { x.value }) }
            x.value = 2
            #expect(seen == [1, 2])
            #expect(throws: Failure.self) { try detached { () throws(Failure) in throw Failure() } }
            r.cancel()
        }

        @Test func ownershipContinuesAfterDetached() {
            let y = Observable(0)
            var inner: Reaction?
            let owner = autorun {
                detached {}
                inner = autorun { _ = y.value }
            }
            owner.cancel()
            #expect(inner?.isCancelled == true)
        }

        @Test func aComputedCreatedInARunIsNotCancelled() {
            let x = Observable(1)
            var double: Computed<Int>?
            let owner = autorun { double = double ?? Computed { x.value * 2 } }
            owner.cancel()
            x.value = 4
            #expect(double?.value == 8)
        }

        @Test func aReactionCreatedInAComputedHasNoOwner() {
            let x = Observable(0), y = Observable(0)
            var inner: Reaction?
            let c = Computed {
                if inner == nil { inner = autorun { _ = y.value } }
                return x.value
            }
            let owner = autorun { _ = c.value }
            x.value = 1
            owner.cancel()
            #expect(inner?.isCancelled == false)
            inner?.cancel()
        }

        @Test func ownedReactionsEndNewestFirst() {
            let x = Observable(0)
            var log: [String] = []
            let owner = autorun {
                _ = x.value
                onCleanup { log.append("cleanup 1") }
                autorun { onCleanup { log.append("inner") } }
                onCleanup { log.append("cleanup 2") }
            }
            x.value = 1
            #expect(log == ["cleanup 2", "inner", "cleanup 1"])
            owner.cancel()
            #expect(log == ["cleanup 2", "inner", "cleanup 1", "cleanup 2", "inner", "cleanup 1"])
        }

        @Test func cancellingTheOwnerInTheRunOfTheOwnedIsSafe() {
            let y = Observable(0)
            var log: [Int] = []
            var owner: Reaction?
            owner = autorun {
                autorun {
                    log.append(y.value)
                    if y.value == 1 { owner?.cancel() }
                }
            }
            y.value = 1
            y.value = 2
            #expect(log == [0, 1])
            #expect(owner?.isCancelled == true)
        }

        @Test func anOwnedReactionMayTriggerItsOwner() {
            let x = Observable(0)
            var log: [String] = []
            let owner = autorun {
                let value = x.value
                log.append("owner \(value)")
                autorun { if value == 1 { x.value = 2 } }
            }
            x.value = 1
            #expect(log == ["owner 0", "owner 1", "owner 2"])
            owner.cancel()
        }

        @Test func anOwnedReactionCancelledAheadIsNotCancelledTwice() {
            let x = Observable(0)
            var log: [String] = []
            let owner = autorun {
                _ = x.value
                let inner = autorun { onCleanup { log.append("inner") } }
                inner.cancel()
            }
            x.value = 1
            owner.cancel()
            #expect(log == ["inner", "inner"])
        }

        @Test func aReactionCreatedInATransactionInARunIsOwnedToo() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let owner = autorun {
                let v = x.value
                inTransaction { autorun { log.append("\(v) \(y.value)") } }
            }
            x.value = 1
            y.value = 1
            #expect(log == ["0 0", "1 0", "1 1"])
            owner.cancel()
        }

        @Test func anOwnedWhenDoesNotFireAfterItsOwnersEnd() {
            let x = Observable(false)
            var fired = 0
            let owner = autorun {
                when {
                    x.value
                } effect: {
                    fired += 1
                }
            }
            owner.cancel()
            x.value = true
            #expect(fired == 0)
        }

        @Test func anOwnedReactionNeverSeesTheStateThatEndsIt() {
            let x = Observable(0)
            let even = Computed { x.value % 2 == 0 }
            var log: [String] = []
            let o = autorun {
                if even.value { autorun { log.append("inner \(x.value)") } } else { log.append("odd") }
            }
            x.value = 1
            x.value = 2
            #expect(log == ["inner 0", "odd", "inner 2"])
            o.cancel()
        }

        @Test func aReactionCreatedInACleanupHasNoOwner() {
            let x = Observable(0)
            var made: Reaction?
            let r = autorun {
                _ = x.value; onCleanup { made = autorun { _ = x.value } }
            }
            r.cancel()
            #expect(made?.isCancelled == false)
            made?.cancel()
        }

        @Test func aReactionCreatedInAnErrorHandlerEndsBeforeTheNextRun() {
            struct Failure: Error {}
            let x = Observable(0)
            var inner: Reaction?
            let owner = autorun(onError: { _ in inner = autorun { _ = x.value } }) {
                if x.value == 1 { throw Failure() }
            }
            x.value = 1
            #expect(inner?.isCancelled == false)
            x.value = 2
            #expect(inner?.isCancelled == true)
            owner.cancel()
        }

        @Test func aSequenceOfValuesCreatedInARunContinuesAfterIt() async {
            let x = Observable(0)
            var sequence: ObservedValues<Int>?
            let owner = autorun { sequence = values(of: { x.value }) }
            owner.cancel()
            x.value = 1
            var iterator = sequence?.makeAsyncIterator()
            #expect(await iterator?.next() == 1)
        }
    }
}
