// Independent graphs: parallel, separate, connected only by effects, and freed.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite(.inDefaultGraph) struct IndependentGraphTests {
        /// State of a session.
        private final class Session {
            @Observable var number = 0
            @Observable var text = ""
            let token: LifetimeTracker.Token?

            init(_ token: LifetimeTracker.Token? = nil) { self.token = token }
        }

        // MARK: - Waiting

        @Test func aWaitOfAGraphReadsStateOfThatGraph() async throws {
            let graph = IndependentGraph(named: "session")
            let number = graph.run { Observable(0) }
            let waiting = Task { try await graph.when(named: "waiting") { number.value == 2 } }
            await eventually { graph.run { Diagnostics.liveReactions.contains { $0.name == "waiting" } } }
            number.value = 2
            try await waiting.value
            #expect(graph.run { Diagnostics.liveReactions.isEmpty })
        }

        @Test @MainActor func aWaitOfAGraphRunsInTheIsolationOfItsCaller() async throws {
            let graph = IndependentGraph(named: "session")
            let number = graph.run { Observable(0) }
            Task.detached { number.value = 2 }
            try await graph.when {
                MainActor.assertIsolated()
                return number.value == 2
            }
            #expect(graph.run { Diagnostics.liveReactions.isEmpty })
        }

        @Test func aWaitKeepsItsGraphAlive() async throws {
            let number: Observable<Int>
            let waiting: Task<Void, any Error>
            do {
                let graph = IndependentGraph(named: "session")
                let state = graph.run { Observable(0) }
                number = state
                waiting = Task { try await graph.when { state.value == 2 } }
            }
            number.value = 2
            try await waiting.value
        }

        @Test func aWaitOfAGraphEndsWithItsTimeoutOrItsTask() async {
            let graph = IndependentGraph(named: "session")
            let number = graph.run { Observable(0) }
            let clock = ManualClock()
            let timed = Task { try await graph.when(timeout: .seconds(5), clock: clock) { number.value == 2 } }
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(5))
            await #expect(throws: WhenTimeoutError.self) { try await timed.value }

            let cancelled = Task { try await graph.when { number.value == 2 } }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(graph.run { Diagnostics.liveReactions.isEmpty })
        }

        // MARK: - Which graph state belongs to

        @Test func reactionsComputedsAndTransactionsWorkInAGraphOfTheirOwn() {
            let graph = IndependentGraph(named: "session")
            var seen: [String] = []
            let session = graph.run { Session() }
            let reaction = graph.run {
                let line = Computed { "\(session.text) \(session.number)" }
                return autorun { seen.append(line.value) }
            }
            session.number = 1
            session.text = "a"
            graph.run {
                inTransaction {
                    session.number = 2
                    session.text = "b"
                }
            }
            session.number += 1
            #expect(seen == [" 0", " 1", "a 1", "b 2", "b 3"])
            reaction.cancel()
        }

        @Test func aTransactionOfAnIndependentGraphRollsBack() {
            struct Failure: Error {}
            let graph = IndependentGraph()
            let session = graph.run { Session() }
            #expect(throws: Failure.self) {
                try graph.run {
                    try inTransaction {
                        session.number = 1
                        session.text = "long enough to need memory of its own"
                        throw Failure()
                    }
                }
            }
            #expect(session.number == 0 && session.text.isEmpty)
        }

        @Test func stateCreatedInAReactionBelongsToItsGraph() {
            let graph = IndependentGraph()
            let session = graph.run { Session() }
            var made: [Session] = []
            // They run again outside the scope: their graph is known.
            let reactions = graph.run {
                [
                    autorun { if session.number == 1 { made.append(Session()) } },
                    reaction({ session.number }) { _ in made.append(Session()) },
                ]
            }
            session.number = 1
            #expect(made.count == 2)
            let sum = graph.run { Computed { made.reduce(0) { $0 + $1.number } } }
            for session in made { session.number = 2 }
            #expect(sum.value == 4)
            for reaction in reactions { reaction.cancel() }
        }

        @Test func aScopeEndsWithItsBodyAndNests() {
            let (outer, inner) = (IndependentGraph(named: "outer"), IndependentGraph(named: "inner"))
            outer.run {
                autorun(named: "a") {}
                inner.run { _ = autorun(named: "b") {} }
                autorun(named: "c") {}
                #expect(Diagnostics.liveReactions.map(\.name) == ["a", "c"])
                #expect(inner.run { Diagnostics.graph().nodes.map(\.name) } == ["b"])
            }
            #expect(Diagnostics.liveReactions.allSatisfy { !["a", "b", "c"].contains($0.name) })
            outer.cancelReactions()
            inner.cancelReactions()
            #expect(outer.run { Diagnostics.liveReactions }.isEmpty)
        }

        // MARK: - From one graph to another

        @Test func effectsWriteToOtherGraphs() {
            let (left, right) = (IndependentGraph(), IndependentGraph())
            let (source, target) = (left.run { Session() }, right.run { Session() })
            let total = Observable(0)
            var seen: [Int] = []
            left.run { _ = reaction({ source.number }) { target.number = $0 } }
            right.run { _ = reaction({ target.number }) { total.value += $0 } }
            let reader = autorun { seen.append(total.value) }
            source.number = 1
            source.number = 2
            #expect(seen == [0, 1, 3])
            reader.cancel()
            left.cancelReactions()
            right.cancelReactions()
        }

        // left ⇄ right
        @Test func graphsThatWriteToEachOtherReachAFixedPoint() {
            let (left, right) = (IndependentGraph(), IndependentGraph())
            let (a, b) = (left.run { Session() }, right.run { Session() })
            left.run { _ = reaction({ a.number }) { b.number = min($0 + 1, 50) } }
            right.run { _ = reaction({ b.number }) { a.number = min($0 + 1, 50) } }
            a.number = 1
            #expect(a.number == 50 && b.number == 50)
            left.cancelReactions()
            right.cancelReactions()
        }

        @Test func aLoopOfTwoGraphsIsReportedAndResumesLater() {
            let (left, right) = (IndependentGraph(), IndependentGraph())
            let (a, b) = (left.run { Session() }, right.run { Session() })
            var isLooping = true
            left.run { _ = reaction(named: "forth", { a.number }) { if isLooping { b.number = $0 + 1 } } }
            right.run { _ = reaction(named: "back", { b.number }) { if isLooping { a.number = $0 + 1 } } }
            let issues = issues { a.number = 1 }
            #expect(issues.map(\.kind) == [.loop])
            isLooping = false
            var seen: [Int] = []
            let reader = left.run { autorun { seen.append(a.number) } }
            a.number = -1
            #expect(seen.last == -1)
            reader.cancel()
            left.cancelReactions()
            right.cancelReactions()
        }

        @Test func stateThatCannotBeReadIsPrintedByItsName() {
            let graph = IndependentGraph(named: "session")
            let count = graph.run { Observable(1, named: "count") }
            let double = graph.run { computed(named: "double") { 2 * count.value } }
            let half = graph.run { ThrowingComputed<Int>(named: "half") { count.value / 2 } }
            let reaction = graph.run { autorun(named: "reaction") {} }
            #expect("\(count) \(double) \(half) \(reaction)" == "1 2 0 Reaction(reaction, ran 1 times)")
            inTransaction {
                #expect("\(count) \(half)" == "count of graph session half of graph session")
                #expect(String(reflecting: double) == "double of graph session")
                #expect("\(reaction)" == String(reflecting: reaction))
                var text = ""
                for thing in [count, double, half, reaction] as [Any] { dump(thing, to: &text) }
                #expect(text.contains("double of graph session"))
            }
            reaction.cancel()
        }

        // MARK: - Threads

        @Test func twoThreadsLockTwoGraphsAtTheSameTime() {
            let (left, right) = (IndependentGraph(), IndependentGraph())
            let (a, b) = (Unchecked(left.run { Session() }), Unchecked(right.run { Session() }))
            let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // Each transaction waits until the other one has begun.
            onThreads(2) { thread in
                (thread == 0 ? left : right).run {
                    inTransaction {
                        (thread == 0 ? a : b).value.number = 1
                        (thread == 0 ? first : second).signal()
                        (thread == 0 ? second : first).wait()
                        (thread == 0 ? a : b).value.number = 2
                    }
                }
            }
            #expect(a.value.number == 2 && b.value.number == 2)
        }

        @Test func manyThreadsWithGraphsOfTheirOwnEachSeeTheirOwnOrder() {
            let results = Shared<[Int: [Int]]>([:])
            onThreads(8) { thread in
                let graph = IndependentGraph(named: "\(thread)")
                graph.run {
                    let sources = (0..<10).map { Observable($0) }
                    let sum = Computed { sources.reduce(0) { $0 + $1.value } }
                    var seen: [Int] = []
                    let reaction = autorun { seen.append(sum.value) }
                    for i in 0..<500 { inTransaction { for source in sources { source.value = i + thread } } }
                    reaction.cancel()
                    results.withLock { $0[thread] = seen }
                }
            }
            for thread in 0..<8 {
                let expected = [45] + (0..<500).map { ($0 + thread) * 10 }
                #expect(results.value[thread] == expected)
            }
        }

        @Test func oneGraphIsSafeForManyThreads() {
            let graph = IndependentGraph()
            let session = Unchecked(graph.run { Session() })
            let runs = Shared(0)
            let reaction = graph.run {
                autorun {
                    _ = session.value.number
                    runs.withLock { $0 += 1 }
                }
            }
            onThreads(4) { _ in
                for _ in 0..<500 { graph.run { inTransaction { session.value.number += 1 } } }
            }
            #expect(session.value.number == 2000)
            #expect(runs.value == 2001)
            reaction.cancel()
        }

        // MARK: - Lifetimes

        @Test func stateOutlivesTheHandle() {
            let tracker = LifetimeTracker()
            do {
                let session = IndependentGraph(named: "gone").run { Session(tracker.token()) }
                session.number = 1
                let next = Computed { session.number + 1 }
                _ = next
                #expect(session.number == 1)
            }
            #expect(tracker.alive == 0)
        }

        @Test func aComputedMayBeReleasedInATransactionOfAnotherGraph() {
            let tracker = LifetimeTracker()
            var count: Computed<Int>? = IndependentGraph(named: "session").run {
                let held = Observable([tracker.token()])
                return Computed { held.value.count }
            }
            #expect(count?.value == 1)
            inTransaction {
                count = nil
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
        }

        @Test func aReactionMayBeCancelledInATransactionOfAnotherGraph() {
            let graph = IndependentGraph(named: "session")
            let session = graph.run { Session() }
            var log: [String] = []
            let reaction = graph.run {
                autorun {
                    log.append("\(session.number)")
                    onCleanup { log.append("end") }
                }
            }
            var bag: Set<AnyCancellable> = []
            graph.run { autorun { log.append(session.text) } }.store(in: &bag)
            inTransaction {
                reaction.cancel()
                reaction.cancel()
                bag = []
                #expect(log == ["0", ""])
            }
            #expect(log == ["0", "", "end"])
            session.number = 1
            session.text = "a"
            #expect(log.count == 3)
        }

        // left → right: the effect of left's reaction triggers right's, whose effect cancels left's other reaction.
        @Test func aCleanupIsInTheScopeOfItsReactionWhereverThatIsCancelled() {
            let (left, right) = (IndependentGraph(named: "left"), IndependentGraph(named: "right"))
            let (source, target) = (left.run { Session() }, right.run { Session() })
            let cancelled = left.run {
                autorun {
                    onCleanup { inTransaction { source.text = "cleaned up" } }
                }
            }
            right.run { _ = reaction({ target.number }) { _ in cancelled.cancel() } }
            left.run { _ = reaction({ source.number }) { target.number = $0 } }
            source.number = 1
            #expect(source.text == "cleaned up")
            left.cancelReactions()
            right.cancelReactions()
        }

        @Test func anEffectOwnsReactionsThatItCreatesInOtherGraphs() {
            let (left, right) = (IndependentGraph(named: "left"), IndependentGraph(named: "right"))
            let (source, target) = (left.run { Session() }, right.run { Session() })
            var log: [String] = []
            let owner = left.run {
                reaction({ source.number }) { number in
                    right.run {
                        inTransaction {
                            autorun { log.append("\(number): \(target.number)") }
                            onCleanup { log.append("end \(number)") }
                        }
                    }
                }
            }
            source.number = 1
            target.number = 1
            source.number = 2
            target.number = 2
            owner.cancel()
            target.number = 3
            #expect(log == ["1: 0", "1: 1", "end 1", "2: 1", "2: 2", "end 2"])
            #expect(right.run { Diagnostics.liveReactions.isEmpty })
        }

        @Test func endingTheReactionsFreesASession() {
            let tracker = LifetimeTracker()
            for _ in 0..<100 {
                let graph = IndependentGraph()
                graph.run {
                    let session = Session(tracker.token())
                    var seen = 0
                    autorun { seen += session.number }
                    session.number = 1
                    inTransaction { session.text = "x" }
                }
                #expect(tracker.alive == 1)
                graph.cancelReactions()
                #expect(tracker.alive == 0)
            }
        }
    }
}
