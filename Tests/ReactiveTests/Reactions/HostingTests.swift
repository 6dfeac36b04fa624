// The engine's interface for modules that host rendering.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct HostingTests {
        @Test func aNotifyOnlyScopeReportsEachChangeAndRendersOnRead() {
            let a = Observable(1)
            var reports = 0
            var rendered = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) {
                rendered += 1
                return a.value
            }
            a.value = 2
            a.value = 3
            #expect((reports, rendered) == (2, 1))
            #expect(scope.output == 3)
            a.value = 4
            #expect((reports, rendered) == (3, 2))
            scope.cancel()
        }

        @Test func aNotifyOnlyScopeKnowsWhetherItIsStale() {
            let a = Observable(1)
            let isOdd = Computed { !a.value.isMultiple(of: 2) }
            let scope = ObserverScope(schedule: .notifyOnly {}) { isOdd.value }
            #expect(!scope.isStale)
            inTransaction {
                a.value = 3
                #expect(!scope.isStale)
                a.value = 2
                #expect(scope.isStale)
            }
            #expect(scope.isStale)
            #expect(!scope.output)
            #expect(!scope.isStale)
            scope.cancel()
        }

        @Test func aNotifyOnlyScopeRendersOnDemandWithoutReporting() {
            let a = Observable(1)
            var reports = 0
            var rendered = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) {
                rendered += 1
                _ = a.value
            }
            scope.render()
            #expect((reports, rendered) == (0, 2))
            inTransaction {
                a.value = 2
                scope.render()
            }
            #expect((reports, rendered) == (0, 3))
            scope.cancel()
            scope.render()
            #expect(rendered == 3)
        }

        /// The views of keys are brought up to date only when they are needed.
        @Test func aReaderOfAKeyKnowsInATransactionWhetherItIsStale() {
            let x = Observable(0)
            let groups = ToyGroups(ToyList([10])) { _, _ in x.value }
            var seen: [Int?] = []
            let reader = autorun { seen.append(groups[1]) }
            inTransaction {
                #expect(!reader.isStale)
                x.value = 1
                #expect(reader.isStale)
            }
            inTransaction {
                x.value = 2
                reader.catchUp()
                #expect(seen == [nil, 10, nil])
            }
            inTransaction {
                x.value = 1
                #expect(reader.forgetChanges())
            }
            #expect(seen == [nil, 10, nil])
            x.value = 3
            x.value = 1
            #expect(seen.last == .some(10))
            reader.cancel()
        }

        @Test func aCancelledReactionNeitherCatchesUpNorRuns() {
            let x = Observable(0)
            var runs = 0
            let reaction = autorun {
                _ = x.value
                runs += 1
            }
            inTransaction {
                x.value = 1
                reaction.cancel()
                reaction.catchUp()
                reaction.runNow()
            }
            #expect(runs == 1)
        }

        @Test func aReactionDoesNotRunInsideItsOwnRun() {
            let x = Observable(0)
            var (depth, deepest) = (0, 0)
            let own = Shared<Reaction?>(nil)
            let reaction = autorun {
                depth += 1
                deepest = max(deepest, depth)
                if x.value == 1 {
                    x.value = 2
                    own.value?.catchUp()
                    own.value?.runNow()
                }
                depth -= 1
            }
            own.value = reaction
            x.value = 1
            #expect(deepest == 1)
            #expect(reaction.runCount == 3)
            own.value = nil
            reaction.cancel()
        }

        @Test func aForgottenChangeIsNoReasonToRunLater() {
            let (a, b) = (Observable(1), Observable(1))
            let half = Computed { b.value / 10 }
            var reports = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) { a.value + half.value }
            scope.reaction.setHost()
            a.value = 2
            #expect(scope.reaction.forgetChanges())
            // An equal result of the computed is no change.
            b.value = 2
            #expect(!scope.isStale)
            #expect(reports == 1)
            b.value = 10
            #expect(scope.isStale)
            #expect(reports == 2)
            scope.cancel()
        }

        @Test func theChangeAfterAForgottenOneIsReported() {
            let a = Observable(1)
            let double = Computed { a.value * 2 }
            var reports = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) { double.value }
            scope.reaction.setHost()
            a.value = 2
            #expect(scope.reaction.forgetChanges())
            a.value = 3
            #expect(reports == 2)
            #expect(scope.output == 6)
            scope.cancel()
        }

        @Test func forgottenChangesAreNotRendered() {
            let a = Observable(1)
            var reports = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) { a.value }
            scope.reaction.setHost()
            #expect(scope.output == 1)
            a.value = 2
            #expect(scope.reaction.isUndisturbed)
            #expect(scope.reaction.forgetChanges())
            #expect(!scope.isStale)
            #expect(scope.output == 1)
            a.value = 3
            #expect(reports == 2)
            #expect(scope.output == 3)
            scope.cancel()
        }

        @Test func changesOfOtherThreadsAreNotForgotten() {
            let a = Observable(1)
            let scope = ObserverScope(schedule: .notifyOnly {}) { a.value }
            scope.reaction.setHost()
            onThreads(1) { _ in a.value = 2 }
            #expect(!scope.reaction.isUndisturbed)
            #expect(!scope.reaction.forgetChanges())
            #expect(scope.output == 2)
            // The next pass includes it.
            scope.reaction.setHost()
            a.value = 3
            #expect(scope.reaction.isUndisturbed)
            #expect(scope.reaction.forgetChanges())
            scope.cancel()
        }

        @Test func reactionsCreatedInUnobservedHaveNoOwner() {
            let a = Observable(1)
            let b = Observable(1)
            var log: [Int] = []
            var inner: Reaction?
            let outer = autorun {
                log.append(a.value)
                Hosting.unobserved {
                    _ = b.value
                    if inner == nil { inner = autorun { log.append(10 * b.value) } }
                }
            }
            a.value = 2
            b.value = 2
            #expect(log == [1, 10, 2, 20])
            outer.cancel()
            inner?.cancel()
        }

        @Test func anActionWaitsUntilTheGraphIsUnlocked() {
            var log: [String] = []
            inTransaction {
                GraphHandle.current.whenFree { log.append("action") }
                log.append("end")
            }
            GraphHandle.current.whenFree { log.append("at once") }
            #expect(log == ["end", "action", "at once"])
        }
    }
}
