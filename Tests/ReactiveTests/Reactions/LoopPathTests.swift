// Which loop an issue names, when a reaction that is no part of the named loop is suspended, and what is left behind.

#if DEBUG
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct LoopPathTests {
        private let x = Observable(0, named: "x")
        private let y = Observable(0, named: "y")
        private let z = Observable(0, named: "z")

        private func path(in issue: Diagnostics.Issue?) -> String? {
            let parts = issue?.message.components(separatedBy: " runs in a loop: ")
            return parts?.last?.components(separatedBy: ". ").first
        }

        /// Writes that no record names: they have no owner.
        private func writeUnnamed(_ value: Int, to source: Observable<Int>) {
            Hosting.unobserved { source.value = value }
        }

        // MARK: - The path

        /// The last recorded writer of `x` is part of a different loop, which has ended.
        @Test func aReactionIsSuspendedAtTwiceTheLimitInAnyCase() {
            let reported = issues {
                let other = autorun(named: "other") {
                    guard y.value == 1 else { return }
                    if z.value == 0 { z.value = 1 }
                    untracked { x.value += 1 }
                }
                let endless = autorun(named: "endless") {
                    let value = x.value
                    guard value > 0 else { return }
                    if value == 85 { y.value = 1 }
                    writeUnnamed(value + 1, to: x)
                }
                x.value = 1
                #expect(endless.runCount == 201 && other.runCount == 3)
                [endless, other].forEach { $0.cancel() }
            }
            #expect(reported.count == 1)
        }

        @Test func aPathThatEndsAtAnUnknownWriterCountsAsTheLoop() {
            let reported = issues {
                let first = autorun(named: "first") {
                    let value = x.value
                    if value > 0 { writeUnnamed(value, to: y) }
                }
                let second = autorun(named: "second") { if y.value > 0 { x.value = y.value + 1 } }
                x.value = 1
                #expect(first.runCount == 101)
                [first, second].forEach { $0.cancel() }
            }
            #expect(reported.map { path(in: $0) } == ["second → x → first"])
        }

        /// The run before was caused by `y` as well, which is read first.
        @Test func aLoopBeginsWithTheSourceThatMadeTheReactionDue() {
            let reported = issues {
                let isLate = Computed { x.value == 100 }
                let other = autorun(named: "other") { if isLate.value { y.value = 1 } }
                let endless = autorun(named: "endless") {
                    _ = y.value
                    if x.value > 0 { x.value += 1 }
                }
                x.value = 1
                #expect(y.value == 1)
                [other, endless].forEach { $0.cancel() }
            }
            #expect(reported.map { path(in: $0) } == ["endless → x → endless"])
        }

        // MARK: - Afterwards

        @Test func noWriterIsRecordedAfterALoop() {
            let reported = issues {
                let loop = autorun { if x.value > 0 { x.value += 1 } }
                x.value = 1
                #expect(x.graph.pointee.tracing == nil && x.graph.details.writers.isEmpty)
                #expect(GraphHandle.current.brokenInvariants == [])
                loop.cancel()
            }
            #expect(reported.count == 1)
        }

        @Test func aSuspendedReactionResumesForAChangeOfAComputedThatItsLoopChanges() {
            let next = Computed { x.value + 1 }
            var seen = 0
            let reported = issues {
                let loop = autorun {
                    seen = next.value
                    if seen > 1 { untracked { x.value += 1 } }
                }
                x.value = 1
                #expect(GraphHandle.current.brokenInvariants == [])
                x.value = -5
                #expect(seen == -4)
                loop.cancel()
            }
            #expect(reported.count == 1)
        }

        // MARK: - Several threads

        /// Another thread's flush ends each time between a write of the loop and the run that it makes due.
        @Test func aFlushOfADifferentThreadDoesNotEndTheRecordOfALoop() {
            let (entered, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (x, y) = (x, y)
            let hasEnded = Shared(false)
            let reader = autorun { _ = y.value }
            let reported = Shared<[Diagnostics.Issue]>([])
            let end = inBackground {
                let issues = issues {
                    let loop = reaction(named: "loop", { x.value }) { value in
                        x.value = value + 1
                        entered.signal()
                        mayContinue.wait()
                    }
                    x.value = 1
                    loop.cancel()
                }
                reported.value = issues
                hasEnded.value = true
                entered.signal()
            }
            while true {
                entered.wait()
                if hasEnded.value { break }
                y.value += 1
                mayContinue.signal()
            }
            end()
            #expect(reported.value.map { path(in: $0) } == ["loop → x → loop"])
            reader.cancel()
        }

        /// A reaction that was suspended, taken over and made due again waits for its schedule when its first thread
        /// resumes what it has suspended.
        @Test func aSuspendedReactionThatWasTakenOverAndWaitsAgainIsNotLost() {
            let (trigger, isLooping) = (Observable(0), Shared(false))
            let (entered, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let pending = Shared<[@Sendable () -> Void]>([])
            let seen = Shared<[Int]>([])
            let (x, y) = (x, y)
            _ = issues {
                let schedule = Schedule.custom(isolation: nil) { run in
                    if isLooping.value { run() } else { pending.withLock { $0.append(run) } }
                }
                let loop = autorun(named: "loop", schedule: schedule) {
                    _ = trigger.value
                    let value = y.value
                    seen.withLock { $0.append(value) }
                    if isLooping.value { x.value += 1 }
                }
                let blocking = reaction({ trigger.value }) { _ in
                    entered.signal()
                    mayEnd.wait()
                    y.value = 2
                }
                isLooping.value = true
                let end = inBackground { trigger.value = 1 }
                entered.wait()
                isLooping.value = false
                seen.value = []
                y.value = 1
                pending.withLock { $0.popLast() }?()
                #expect(seen.value == [1])
                mayEnd.signal()
                end()
                pending.withLock { $0.popLast() }?()
                #expect(seen.value == [1, 2])
                [loop, blocking].forEach { $0.cancel() }
            }
        }
    }
}
#endif
