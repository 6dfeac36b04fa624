// `GraphHandle`: which graph a node, a closure or a call belongs to.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite(.inDefaultGraph) struct GraphHandleTests {
        let session = IndependentGraph(named: "session")

        @Test func aHandleBelongsToTheGraphOfItsNodeOrToTheCurrentOne() {
            let count = session.run { Observable(0) }
            let double = session.run { Computed { 2 * count.value } }
            let reaction = session.run { autorun {} }
            let handle = GraphHandle(of: count)
            #expect(handle == GraphHandle(of: double) && handle == GraphHandle(of: reaction))
            #expect(
                handle == session.run { GraphHandle.current } && handle == session.run { inTransaction { .current } })
            #expect(handle != .default && GraphHandle(of: Observable(0)) == .current)
            #expect(GraphHandle.held == nil && session.run { GraphHandle.held } == nil)
            #expect(session.run { inTransaction { GraphHandle.held } } == handle)
            #expect(handle.name == "graph session" && GraphHandle.default.name == "the default graph")
            reaction.cancel()
        }

        @Test func aHandleKeepsItsGraphAndNothingInIt() {
            let tracker = LifetimeTracker()
            let handle = IndependentGraph(named: "kept").run {
                let held = Observable(tracker.token())
                return GraphHandle(of: held)
            }
            #expect(tracker.alive == 0)
            var runs = 0
            let count = handle.run { Observable(0) }
            let reaction = handle.run { autorun { runs += 1 + 0 * count.value } }
            handle.inTransaction {
                count.value = 1
                count.value = 2
            }
            #expect(runs == 2 && handle.name == "graph kept")
            reaction.cancel()
        }

        @Test func aLockIsTrackedOnlyIfTheCallerIs() {
            let count = session.run { Observable(0) }
            let handle = GraphHandle(of: count)
            var runs = 0
            let reactions = session.run {
                [
                    autorun { runs += 1 + 0 * handle.withLock { count.value } },
                    autorun { runs += 10 + 0 * handle.withUntrackedLock { count.value } },
                ]
            }
            count.value = 1
            #expect(runs == 12)
            reactions.forEach { $0.cancel() }
        }

        @Test func aTransactionOfAHandleRollsBack() {
            struct Failure: Error {}
            let count = session.run { Observable(0) }
            let handle = GraphHandle(of: count)
            #expect(throws: Failure.self) {
                try handle.inTransaction {
                    count.value = 1
                    #expect(handle.mayRollBack && !GraphHandle.default.mayRollBack)
                    throw Failure()
                }
            }
            #expect(count.value == 0 && !handle.mayRollBack)
        }

        @Test func whenFreeRunsItsClosureInTheGraphOfTheHandle() {
            let handle = session.run { GraphHandle.current }
            var log: [String] = []
            func act(_ name: String) { log.append("\(name) \(GraphHandle.held == nil) \(GraphHandle.current.name)") }
            handle.whenFree { act("now") }
            inTransaction {
                handle.whenFree { act("after") }
                handle.lockWhenFree { act("locked after") }
                #expect(log.count == 1 && handle.isOutOfReach)
            }
            handle.inTransaction {
                handle.lockWhenFree { act("locked") }
                handle.whenFree { act("after its own") }
                #expect(log.count == 4 && !handle.isOutOfReach)
            }
            #expect(
                log == [
                    "now true graph session", "after true graph session", "locked after false graph session",
                    "locked false graph session", "after its own true graph session",
                ])
        }

        @Test func aNodeDescribesItsObstacle() {
            let count = session.run { Observable(0, named: "count") }
            #expect(count.obstacle == nil && session.run { inTransaction { count.obstacle } } == nil)
            #expect(
                inTransaction { count.obstacle }
                    == "count belongs to graph session, and cannot be used together with state of the default graph. "
                    + "Create both in the same graph.")
        }
    }
}
