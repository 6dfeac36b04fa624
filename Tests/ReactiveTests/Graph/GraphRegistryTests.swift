// The list of all graphs, and the moments at which one thread holds them all.

#if os(Linux)
import CReactive
import Foundation
import Reactive
import Testing
import TestSupport

private typealias Graph = UnsafeMutablePointer<GraphState>

extension ReactiveTests {
    /// Alone, because other tests create graphs too. The thread sanitizer does not support a child of a process with
    /// threads, and reports the looks at locks.
    @Suite(.alone, .inDefaultGraph, .enabled(if: !isUnderThreadSanitizer)) struct GraphRegistryTests {
        private final class Visit {
            let body: (Graph) -> Void
            init(_ body: @escaping (Graph) -> Void) { self.body = body }
        }

        /// Calls `body` with each graph, and returns whether this thread had them all.
        @discardableResult
        private static func withAllGraphs(_ body: @escaping (Graph) -> Void) -> Bool {
            let visit = Visit(body)
            return withExtendedLifetime(visit) {
                reactive_with_all_graphs(
                    { graph, argument in
                        Unmanaged<Visit>.fromOpaque(argument.unsafelyUnwrapped).takeUnretainedValue().body(graph)
                    }, Unmanaged.passUnretained(visit).toOpaque())
            }
        }

        private static func isHeld(_ graph: Graph) -> Bool { graph.pointee.lock & 1 != 0 }

        private static func pointer(_ graph: IndependentGraph) -> Graph { graph.run { GraphHandle.current.pointer } }

        /// Whether the list has all of these graphs, the newest first. It may have others, of tests that wait.
        private func listHas(_ graphs: [IndependentGraph]) -> Bool {
            let expected = graphs.reversed().map { Self.pointer($0) } + [reactive_default_graph()]
            var (found, neighboursKnowOneAnother): ([Graph], Bool) = ([], true)
            let hasAll = Self.withAllGraphs { graph in
                if expected.contains(graph) { found.append(graph) }
                if let older = graph.pointee.older, older.pointee.newer != graph { neighboursKnowOneAnother = false }
            }
            return hasAll && neighboursKnowOneAnother && found == expected
        }

        // MARK: - The list

        @Test(arguments: seeds(10)) func theListHasEachGraphFromItsBeginningToItsEnd(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var graphs: [IndependentGraph] = []
            for _ in 0..<60 {
                if graphs.isEmpty || random.oneIn(2) {
                    graphs.append(IndependentGraph())
                } else {
                    graphs.remove(at: random.below(graphs.count))
                }
                #expect(listHas(graphs))
            }
        }

        @Test func threadsCreateAndEndGraphsWhileOthersAreVisited() {
            let first = IndependentGraph()
            let kept = Shared<[IndependentGraph]>([])
            onThreads(4) { thread in
                var graphs: [IndependentGraph] = []
                var random = SplitMix64(seed: UInt64(thread))
                for round in 0..<2_000 {
                    if graphs.count < 5 { graphs.append(IndependentGraph()) }
                    if random.oneIn(2) { graphs.remove(at: random.below(graphs.count)) }
                    if round % 20 == 0 { Self.withAllGraphs { _ in } }
                }
                // Under the lock, so that the order is that of the list.
                kept.withLock { $0.append(IndependentGraph()) }
            }
            #expect(listHas([first] + kept.value))
        }

        @Test(arguments: [false, true]) func noGraphIsCreatedWhileOthersAreVisited(afterWaiting: Bool) {
            let graph = IndependentGraph()
            let isCreated = DispatchSemaphore(value: 0), isHeld = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let join = inBackground {
                guard afterWaiting else {
                    isHeld.signal()
                    return
                }
                graph.run {
                    inTransaction {
                        isHeld.signal()
                        mayEnd.wait()
                    }
                }
            }
            isHeld.wait()
            // The visit waits for the graph until this thread is waiting.
            let end = inBackground {
                while afterWaiting, !Self.isHeld(reactive_default_graph()) { sched_yield() }
                mayEnd.signal()
            }
            var creates: (() -> Void)?
            Self.withAllGraphs { _ in
                if creates != nil { return }
                creates = inBackground {
                    _ = IndependentGraph()
                    isCreated.signal()
                }
                // It waits, so the time passes without a signal.
                #expect(isCreated.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
            }
            creates?()
            join()
            end()
        }

        // MARK: - Holding all

        @Test func aThreadThatHoldsAGraphWaitsForNoOther() {
            let (used, free) = (IndependentGraph(), IndependentGraph())
            let isHeld = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
            let join = inBackground {
                used.run {
                    inTransaction {
                        isHeld.signal()
                        mayEnd.wait()
                    }
                }
            }
            isHeld.wait()
            var visited: Set<Graph> = []
            let hasAll = inTransaction { Self.withAllGraphs { visited.insert($0) } }
            #expect(!hasAll)
            #expect(visited.contains(reactive_default_graph()))
            #expect(visited.contains(Self.pointer(free)))
            #expect(!visited.contains(Self.pointer(used)))
            mayEnd.signal()
            join()
            #expect(listHas([used, free]))
        }

        /// Two threads want all graphs; a third one has one of them, and asks for those that are free.
        @Test func threadsThatWantAllGraphsTakeTurns() {
            let (used, other) = (IndependentGraph(), IndependentGraph())
            for _ in 0..<100 {
                let isHeld = DispatchSemaphore(value: 0)
                // Only its lock is looked at.
                nonisolated(unsafe) let otherGraph = Self.pointer(other)
                let join = inBackground {
                    used.run {
                        inTransaction {
                            isHeld.signal()
                            // A thread has all graphs but this one.
                            while !Self.isHeld(otherGraph) { sched_yield() }
                            for _ in 0..<10 {
                                Self.withAllGraphs { _ in }
                                sched_yield()
                            }
                        }
                    }
                }
                isHeld.wait()
                onThreads(2) { _ in #expect(Self.withAllGraphs { _ in }) }
                join()
            }
        }

        // MARK: - Fork

        /// A child is a copy of this thread alone.
        @Test func aChildHasNoWaitingThreads() {
            let graph = GraphHandle.current.pointer
            let x = Observable(0)
            var end: (() -> Void)?
            let result: Int32 = inTransaction {
                x.value = 1
                end = inBackground { x.value = 2 }
                while graph.pointee.waiters == 0 { sched_yield() }
                return inForkedChild {
                    graph.pointee.waiters == 0 && !graph.pointee.is_lost && graph.pointee.held_with_all_by == nil
                        ? 0 : 1
                }
            }
            end?()
            #expect(result == 0)
            #expect(x.value == 2)
        }

        @Test func aChildHasLostNoGraphThatNoThreadHolds() {
            let free = IndependentGraph()
            let graph = Self.pointer(free)
            #expect(inForkedChild { graph.pointee.is_lost ? 1 : 0 } == 0)
        }

        //  thread 1   holds `used`
        //  thread 2   holds all others, and waits for `used`
        //  this one   forks in a transaction of `own`: `used` and `free` are lost in the child, and no thread waits there
        @Test func aChildHoldsAllGraphsThatAreNotLost() {
            let (used, free, own) = (IndependentGraph(), IndependentGraph(), IndependentGraph())
            let graphs = (used: Self.pointer(used), free: Self.pointer(free), own: Self.pointer(own))
            let isHeld = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
            let user = inBackground {
                used.run {
                    inTransaction {
                        isHeld.signal()
                        mayEnd.wait()
                    }
                }
            }
            isHeld.wait()
            var visitor: (() -> Void)?
            var visited: Set<Graph> = []
            let child = own.run {
                inTransaction { () -> Int32 in
                    visitor = inBackground { #expect(Self.withAllGraphs { _ in }) }
                    while !Self.isHeld(graphs.free) { sched_yield() }
                    let child = forkProcess()
                    // It can get all graphs that are not lost.
                    if child == 0, !Self.withAllGraphs({ visited.insert($0) }) { _exit(1) }
                    return child
                }
            }
            if child == 0 {
                alarm(5)
                let lost: Set = [graphs.used, graphs.free]
                guard visited.contains(graphs.own), visited.isDisjoint(with: lost) else { _exit(2) }
                guard !graphs.own.pointee.is_lost, lost.allSatisfy({ $0.pointee.is_lost }) else { _exit(3) }
                visited = []
                guard Self.withAllGraphs({ visited.insert($0) }) else { _exit(4) }
                _exit(visited.contains(graphs.own) && visited.isDisjoint(with: lost) ? 0 : 5)
            }
            mayEnd.signal()
            user()
            visitor?()
            #expect(TestSupport.result(ofChild: child) == 0)
        }
    }
}
#endif
