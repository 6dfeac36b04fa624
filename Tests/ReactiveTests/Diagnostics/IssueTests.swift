// `Diagnostics.onIssue`: which issues are reported, to which handler, and when.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct IssueTests {
        @Test func theHandlerGetsEveryIssueAlsoOfTheSameSite() {
            let reported = issues { for _ in 1...3 { onCleanup {} } }
            #expect(reported.map(\.kind) == [.misuse, .misuse, .misuse])
        }

        @Test func anIssuePrintsItsMessage() {
            let reported = issues { onCleanup {} }
            #expect(reported.map { "\($0)" } == reported.map(\.message))
        }

        @Test func aLoopsSiteIsWhereTheReactionWasCreated() {
            let x = Observable(0)
            let reported = issues { autorun(named: "named") { x.value += 1 }.cancel() }
            let line = #line - 1
            #expect(reported.map(\.site) == ["IssueTests.swift:\(line)"])
        }

        @Test(.alone) func anIssueInATransactionIsReportedWhenItEnds() {
            var countInside = 0
            let count = Shared(0)
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { _ in count.withLock { $0 += 1 } }
            defer { Diagnostics.onIssue = before }
            inTransaction {
                onCleanup {}
                countInside = count.value
            }
            #expect(countInside == 0)
            #expect(count.value == 1)
        }

        @Test(.alone) func theHandlerMayReadAndWriteAndIsUntracked() {
            let x = Observable(0), seen = Observable(0)
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { _ in seen.value += x.value }
            defer { Diagnostics.onIssue = before }
            var log: [Int] = []
            let r = autorun { log.append(seen.value) }
            x.value = 5
            onCleanup {}
            x.value = 6
            #expect(log == [0, 5])
            r.cancel()
        }

        #if DEBUG
        @Test func aChangeOfASourceInsideAComputedIsReported() {
            let source = Source(named: "source")
            let computed = Computed(named: "c") { source.changed() }
            let reported = issues { computed.value }
            #expect(reported.map(\.kind) == [.writeInComputed])
        }

        @Test func aWriteInsideAComputedIsReportedAndTakesEffect() {
            let x = Observable(1, named: "x"), y = Observable(0, named: "y")
            var log: [String] = []
            let reported = issues {
                let c = Computed(named: "c") {
                    y.value = x.value * 10
                    return x.value
                }
                let r = autorun { log.append("\(c.value) \(y.value)") }
                x.value = 2
                r.cancel()
            }
            #expect(log == ["1 10", "2 20"])
            #expect(reported.map(\.kind) == [.writeInComputed, .writeInComputed])
            #expect(reported.first?.message.hasPrefix("y is written inside computed c.") == true)
        }

        @Test func anInPlaceMutationInsideAComputedIsReportedToo() {
            let list = Observable([1], named: "list")
            let reported = issues {
                let c = Computed(named: "c") { list.value.append(2) }
                _ = c.value
            }
            #expect(reported.map(\.kind) == [.writeInComputed])
            #expect(list.value == [1, 2])
        }

        @Test func aWriteInAReactionIsNotReported() {
            let x = Observable(1), y = Observable(0)
            let c = Computed { x.value }
            let reported = issues {
                let reactions = [
                    autorun { y.value = c.value },
                    reaction {
                        c.value
                    } onChange: {
                        y.value = $0 * 2
                    },
                ]
                x.value = 2
                reactions.forEach { $0.cancel() }
            }
            #expect(reported.isEmpty)
            #expect(y.value == 4)
        }
        #endif
    }
}
