// Runs that change their own input: they end, or are suspended with an issue that names the loop.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LoopTests {
        @Test func aRunThatChangesItsInputRunsAgainUntilNothingChanges() {
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun {
                log.append(x.value)
                if x.value % 5 != 0 { x.value += 1 }
            }
            x.value = 2
            #expect(log == [0, 2, 3, 4, 5])
            r.cancel()
        }

        @Test func aFirstRunThatChangesItsInputRunsAgainToo() {
            let x = Observable(3)
            var log: [Int] = []
            let r = autorun {
                log.append(x.value)
                if x.value > 0 { x.value -= 1 }
            }
            #expect(log == [3, 2, 1, 0])
            r.cancel()
        }

        @Test func ninetyNineTurnsAreNoLoop() {
            let x = Observable(0)
            let reported = issues {
                let r = autorun { if (1..<100).contains(x.value) { x.value += 1 } }
                x.value = 1
                #expect(x.value == 100)
                r.cancel()
            }
            #expect(reported.isEmpty)
        }

        @Test func aReactionIsSuspendedAfterAHundredRunsThatChangeItsInput() {
            let x = Observable(0), isEndless = Observable(false)
            let reported = issues {
                let r = autorun(named: "endless") { if isEndless.value { x.value += 1 } }
                isEndless.value = true
                #expect(r.runCount == 101)
                #expect(!r.isCancelled)
                r.cancel()
            }
            #expect(reported.map(\.kind) == [.loop])
            #expect(reported.first?.message.contains("endless runs in a loop: endless → ") == true)
        }

        @Test func theIssueNamesTheWholeLoopThroughComputeds() {
            let x = Observable(0, named: "x"), y = Observable(0, named: "y"), isOn = Observable(false, named: "isOn")
            let next = Computed(named: "next") { x.value + 1 }
            let reported = issues {
                let a = autorun(named: "A") { if isOn.value { x.value = y.value + 1 } }
                let b = autorun(named: "B") { y.value = next.value }
                isOn.value = true
                a.cancel()
                b.cancel()
            }
            let paths = ["A → x → next → B → y → A", "B → y → A → x → next → B"]
            #expect(!reported.isEmpty)
            #expect(
                reported.allSatisfy { issue in paths.contains { issue.message.contains("runs in a loop: \($0).") } })
        }

        @Test func writesInEffectsAreNamedToo() {
            let x = Observable(0, named: "x")
            let reported = issues {
                let r = reaction(named: "R") {
                    x.value
                } onChange: {
                    x.value = $0 + 1
                }
                x.value = 1
                r.cancel()
            }
            #expect(reported.count == 1)
            #expect(reported.first?.message.contains("R runs in a loop: R → x → R.") == true)
        }

        @Test func allOtherReactionsStillRun() {
            let x = Observable(0), y = Observable(0)
            var log: [Int] = []
            let reported = issues {
                let before = autorun { log.append(y.value) }
                let loop = autorun { if y.value == 1 { x.value += 1 } }
                let after = autorun { log.append(y.value * 10) }
                let last = autorun { if x.value > 0 { log.append(-1) } }
                log = []
                y.value = 1
                #expect(Array(log.prefix(2)) == [1, 10])
                #expect(log.last == -1)
                [before, loop, after, last].forEach { $0.cancel() }
            }
            #expect(reported.count == 1)
        }

        @Test func aReactionThatOnlyReadsALoopSeesTheLastValue() {
            let x = Observable(0), isOn = Observable(false)
            let next = Computed { x.value + 1 }
            let reported = issues {
                var seen: [Int] = []
                let older = autorun(named: "older") { seen.append(x.value) }
                let indirect = reaction(named: "indirect") {
                    next.value
                } onChange: {
                    seen.append(-$0)
                }
                let loop = autorun(named: "loop") { if isOn.value { x.value += 1 } }
                let younger = autorun(named: "younger") { seen.append(x.value) }
                isOn.value = true
                #expect(Set(seen.suffix(3)) == [x.value, -next.value])
                #expect(older.runCount == x.value + 1)
                x.value = -5
                #expect(Set(seen.suffix(3)) == [x.value, -next.value])
                [older, indirect, loop, younger].forEach { $0.cancel() }
            }
            #expect(reported.count == 2)
            #expect(reported.allSatisfy { $0.message.hasPrefix("loop runs in a loop: loop → ") })
        }

        @Test func aReactionThatReadsALoopAndWritesElsewhereIsNoPartOfIt() {
            let x = Observable(0), y = Observable(0), isOn = Observable(false)
            let reported = issues {
                let older = autorun(named: "older") { y.value = x.value }
                let loop = autorun(named: "loop") { if isOn.value { x.value += 1 } }
                isOn.value = true
                #expect(y.value == x.value)
                [older, loop].forEach { $0.cancel() }
            }
            #expect(reported.count == 1)
        }

        @Test func aSuspendedReactionResumesOnTheNextOutsideChange() {
            let x = Observable(0), isEndless = Observable(false)
            let reported = issues {
                let r = autorun { if isEndless.value { x.value += 1 } }
                isEndless.value = true
                let runs = r.runCount
                isEndless.value = false
                #expect(r.runCount == runs + 1)
                isEndless.value = true
                #expect(r.runCount > runs + 90)
                r.cancel()
            }
            #expect(reported.count == 2)
        }

        @Test func aReactionResumedByAWriteToItsLoopSeesTheNewValue() {
            let x = Observable(0)
            var last = 0
            let reported = issues {
                let r = autorun {
                    last = x.value
                    if last > 0 { x.value = last + 1 }
                }
                x.value = 1
                #expect(last > 90)
                x.value = -5
                #expect(last == -5)
                r.cancel()
            }
            #expect(reported.count == 1)
        }

        @Test func aSuspendedReactionMayBeCancelled() {
            let x = Observable(0)
            let reported = issues {
                let r = autorun { x.value += 1 }
                r.cancel()
                let value = x.value
                x.value = 0
                #expect(value > 90)
                #expect(x.value == 0)
            }
            #expect(reported.count == 1)
        }

        @Test(.alone) func theHandlerOfTheIssueMayBreakTheLoop() {
            let x = Observable(0)
            let reaction = Shared<Reaction?>(nil)
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { _ in reaction.value?.cancel() }
            defer { Diagnostics.onIssue = before }
            reaction.value = autorun { if x.value > 0 { x.value += 1 } }
            x.value = 1
            #expect(reaction.value?.isCancelled == true)
        }

        @Test func manyWritesInOneOutsideLoopAreNoLoop() {
            let x = Observable(0)
            let reported = issues {
                let r = autorun { _ = x.value }
                for value in 1...500 { x.value = value }
                #expect(r.runCount == 501)
                r.cancel()
            }
            #expect(reported.isEmpty)
        }

        @Test func aScopeThatChangesItsInputIsSuspendedToo() {
            let x = Observable(0)
            let reported = issues {
                let s = ObserverScope {
                    x.value
                } onRender: {
                    if $0 > 0 { x.value = $0 + 1 }
                }
                x.value = 1
                s.cancel()
            }
            #expect(reported.count == 1)
        }

        @Test func anImmediateScheduleDoesNotHideTheLoop() {
            let x = Observable(0)
            let reported = issues {
                let r = autorun(schedule: .custom { $0() }) { if x.value > 0 { x.value += 1 } }
                x.value = 1
                r.cancel()
            }
            #expect(reported.count == 1)
        }

        @Test func aRunThatRestoresItsInputInATransactionIsNoLoop() {
            let x = Observable(0)
            let r = autorun {
                inTransaction {
                    x.value = x.value + 1; x.value = 0
                }
            }
            #expect(r.runCount == 1)
            r.cancel()
        }

        @Test func aRunThatChangesAnUntrackedInputIsNoLoop() {
            let x = Observable(0)
            var runs = 0
            let r = autorun {
                runs += 1; untracked { x.value += 1 }
            }
            #expect(runs == 1)
            x.value = 10
            #expect(runs == 1)
            r.cancel()
        }
    }
}
