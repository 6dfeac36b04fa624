// Frees state that observers outside the library follow, under any graph's lock and on any thread.

import Foundation
import Observation
import Reactive
import TestSupport
import Testing

/// Switches the bridge on from the first of these tests to the end of the process.
private let bridge: Void = { ObservationBridge.isEnabled = true }()

private func track(_ log: Log, _ name: String = "changed", _ read: () -> Void) {
    withObservationTracking(read) { log(name) }
}

/// State of a graph that holds one reference to a tracked node, which any thread may release.
private final class Holder: @unchecked Sendable {
    // Sendable because one thread at a time changes it.
    let graph: IndependentGraph
    let source: Observed<Int>
    let log = Log()
    var tracked: AnyObject?

    init(_ kind: Kind, in graph: IndependentGraph = IndependentGraph()) {
        self.graph = graph
        source = graph.run { Observed(1) }
        tracked = graph.run { kind.make(over: source, log) }
    }

    /// Changes the tracked node if it is a source without a value.
    func changeSource() { (tracked as? Source)?.changed() }

    /// Runs `body` while this thread holds the graph.
    func holding(_ body: () -> Void) {
        graph.run {
            inTransaction {
                _ = source.value
                body()
            }
        }
    }
}

/// A kind of node that can be tracked.
private enum Kind: CaseIterable {
    case observable, computed, chain, source, view

    /// Creates and tracks a node of this kind.
    func make(over source: Observed<Int>, _ log: Log) -> AnyObject {
        switch self {
        case .observable:
            let number = Observed("a")
            track(log) { _ = number.value }
            return number
        case .computed:
            let double = Computed { source.value * 2 }
            track(log) { _ = double.value }
            return double
        case .chain:
            let double = Computed { source.value * 2 }
            let text = Computed(named: "text") { "\(double.value)" }
            track(log) { _ = text.value }
            track(log, "inner") { _ = double.value }
            return text
        case .source:
            let hooked = Source(
                named: "hooked", onObserved: { log("observed") }, onUnobserved: { log("unobserved") })
            track(log) { hooked.track() }
            return hooked
        case .view:
            let list = ToyList([1, 2, 3])
            let view = ToyView(list) { _, value in value * source.value }
            track(log) { _ = view.rows }
            return view
        }
    }
}

/// Runs `body`, and ends the process with a failure if it takes more than two minutes.
private func endsInTime(_ body: @escaping @Sendable () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    Thread {
        body()
        ended.signal()
    }.start()
    if ended.wait(timeout: .now() + 120) == .timedOut { fatalError("threads wait for each other") }
}

/// Each of `count` threads holds a graph. While all do, each frees a tracked node of the next thread's graph.
private func freeInACircle(of count: Int, _ kind: Kind) {
    let holders = (0..<count).map { _ in Holder(kind) }
    let (arrived, open) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    onThreads(count + 1) { thread in
        if thread == count {
            for _ in 0..<count { arrived.wait() }
            for _ in 0..<count { open.signal() }
        } else {
            holders[thread].holding {
                arrived.signal()
                open.wait()
                holders[(thread + 1) % count].tracked = nil
            }
        }
    }
    for holder in holders {
        holder.source.value = 2
        precondition(!holder.log.take().contains("changed"))
    }
}

/// A thread holds one graph and frees a tracked node of a second graph, which a second thread holds.
private func freeWhileInUse(_ kind: Kind) {
    let (busy, other) = (Holder(kind), Holder(.observable))
    let (held, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    onThreads(2) { thread in
        if thread == 0 {
            busy.holding {
                held.signal()
                freed.wait()
            }
        } else {
            held.wait()
            other.holding {
                busy.tracked = nil
                freed.signal()
            }
        }
    }
}

extension ReactiveTests {
    @Suite struct FreedNodeTests {
        init() { bridge }

        // MARK: - No thread waits for a graph while it holds a different one

        @Test func twoThreadsFreeCrosswise() async {
            await #expect(processExitsWith: .success) {
                ObservationBridge.isEnabled = true
                endsInTime { for kind in Kind.allCases { freeInACircle(of: 2, kind) } }
            }
        }

        @Test func manyThreadsFreeInACircle() async {
            await #expect(processExitsWith: .success) {
                ObservationBridge.isEnabled = true
                endsInTime { for kind in Kind.allCases { freeInACircle(of: 5, kind) } }
            }
        }

        @Test func freeingANodeDoesNotWaitForAGraphInUse() async {
            await #expect(processExitsWith: .success) {
                ObservationBridge.isEnabled = true
                endsInTime { for kind in Kind.allCases { freeWhileInUse(kind) } }
            }
        }

        // MARK: - The graph of a freed node is used meanwhile

        /// The node has been freed, and its graph has not removed it yet.
        @Test(arguments: Kind.allCases) fileprivate func changesBeforeAFreedNodeIsRemovedReportNothing(kind: Kind) {
            let (holder, other) = (Holder(kind), Holder(.observable))
            other.holding {
                holder.tracked = nil
                onOtherThread { for value in 2...4 { holder.source.value = value } }
            }
            holder.source.value = 5
            #expect(!holder.log.take().contains("changed"))
            expectNoBrokenInvariants(of: holder)
        }

        /// A new node must not be taken for one that was freed.
        @Test(arguments: Kind.allCases) fileprivate func newNodesOfTheGraphAreFollowed(kind: Kind) {
            let (holder, other) = (Holder(kind), Holder(.observable))
            let (kept, new) = (Shared<[AnyObject]>([]), Log())
            other.holding {
                holder.tracked = nil
                onOtherThread {
                    let made = (0..<100).map { _ in holder.graph.run { kind.make(over: holder.source, new) } }
                    kept.value = made
                }
            }
            _ = new.take()
            holder.source.value = 2
            let follows = kind == .computed || kind == .chain || kind == .view
            #expect(new.take().count { $0 == "changed" } == (follows ? 100 : 0))
            #expect(!holder.log.take().contains("changed"))
            expectNoBrokenInvariants(of: holder)
        }

        @Test(arguments: Kind.allCases) fileprivate func aPendingChangeMayReachAFreedNode(kind: Kind) {
            let (holder, other) = (Holder(kind), Holder(.observable))
            // The change is pending in the transaction of one thread while a second thread frees the node.
            let (written, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            onThreads(2) { thread in
                if thread == 0 {
                    holder.holding {
                        holder.source.value = 2
                        written.signal()
                        freed.wait()
                    }
                } else {
                    written.wait()
                    other.holding {
                        holder.tracked = nil
                        freed.signal()
                    }
                }
            }
            holder.source.value = 3
            expectNoBrokenInvariants(of: holder)
        }

        /// A change without a reader ends the subscription to a source. The source has been freed by then, and its
        /// memory is deallocated while the flush runs an effect.
        @Test func aPendingChangeMayReachAFreedSourceWithHooks() {
            let (holder, other) = (Holder(.source), Holder(.observable))
            holder.changeSource()
            #expect(holder.log.take() == ["observed", "changed"])
            let (changed, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (inEffect, forgotten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // Created after the reaction of the bridge, and so after it in the flush.
            let last = holder.graph.run {
                reaction(isolation: nil) {
                    holder.source.value
                } onChange: { _ in
                    inEffect.signal()
                    forgotten.wait()
                }
            }
            onThreads(2) { thread in
                if thread == 0 {
                    holder.holding {
                        holder.changeSource()
                        holder.source.value = 2
                        changed.signal()
                        freed.wait()
                    }
                } else {
                    changed.wait()
                    other.holding {
                        holder.tracked = nil
                        freed.signal()
                        inEffect.wait()
                    }
                    forgotten.signal()
                }
            }
            #expect(holder.log.take() == ["unobserved"])
            last.cancel()
            expectNoBrokenInvariants(of: holder)
        }

        // MARK: - Released objects

        @Test(arguments: Kind.allCases) fileprivate func theGraphOfAFreedNodeIsReleased(kind: Kind) {
            let other = Holder(.observable)
            weak var graph: IndependentGraph?
            do {
                var holder: Holder? = Holder(kind)
                graph = holder?.graph
                other.holding {
                    holder = nil
                    #expect(graph != nil)
                }
            }
            #expect(graph == nil)
        }

        @Test func aFreedNodeReleasesItsClosure() {
            let (tracker, other, graph) = (LifetimeTracker(), Holder(.observable), IndependentGraph())
            var count: Computed<Int>? = graph.run {
                let held = Observed([tracker.token()])
                return Computed { held.value.count }
            }
            track(Log()) { _ = count?.value }
            other.holding { count = nil }
            #expect(tracker.alive == 0)
        }

        @Test func aSourceThatIsFreedIsUnobserved() {
            let (same, nested, other) = (Holder(.source), Holder(.source), Holder(.source))
            let outer = Holder(.observable)
            #expect(same.log.take() == ["observed"])
            same.holding { same.tracked = nil }
            #expect(same.log.take() == ["unobserved"])

            // Freed by the deinitialiser of a different node.
            #expect(nested.log.take() == ["observed"])
            var owner: Observed<AnyObject?>? = Observed(nested.tracked, equals: .never)
            nested.tracked = nil
            #expect(owner?.value != nil)
            owner = nil
            #expect(nested.log.take() == ["unobserved"])

            #expect(other.log.take() == ["observed"])
            outer.holding { other.tracked = nil }
            #expect(other.log.take() == ["unobserved"])
        }

        // MARK: - At random

        /// Threads create, change and free tracked nodes of three graphs, inside and outside their transactions.
        @Test(arguments: seeds(10)) func threadsFreeNodesOfThreeGraphs(seed: UInt64) {
            let holders = (0..<3).map { _ in Holder(.observable) }
            let pool = Shared<[AnyObject]>([])
            // A tracking that registers during a change may be left behind in Apple's Observation.
            let changes = Shared(false)
            onThreads(3) { thread in
                var random = SplitMix64(seed: 3 * seed + UInt64(thread))
                for step in 0..<300 {
                    let holder = random.pick(holders)
                    if random.oneIn(3) {
                        let kind = random.pick(Kind.allCases)
                        let new = changes.withLock { _ in
                            holder.graph.run { kind.make(over: holder.source, holder.log) }
                        }
                        pool.withLock { $0.append(new) }
                    } else if random.oneIn(3) {
                        changes.withLock { _ in holder.source.value = 10 * step + thread }
                    } else {
                        let victims = Shared<[AnyObject]>([])
                        pool.withLock { pool in
                            for _ in 0..<min(pool.count, 1 + random.below(3)) {
                                victims.value.append(pool.remove(at: random.below(pool.count)))
                            }
                        }
                        if random.oneIn(4) { victims.value = [] } else { holder.holding { victims.value = [] } }
                    }
                }
            }
            pool.value = []
            for holder in holders {
                holder.tracked = nil
                _ = holder.log.take()
                holder.source.value = -1
                #expect(holder.log.take() == [], "seed \(seed)")
                expectNoBrokenInvariants(of: holder)
            }
        }

        // MARK: - Many

        @Test(arguments: [false, true]) func manyNodesAreFreedTogether(underOtherGraph: Bool) {
            let count = isUnderThreadSanitizer ? 1_000 : deep
            let other = Holder(.observable)
            let graph = IndependentGraph()
            var nodes = graph.run { (0..<count).map { Observed($0) } }
            weak let last = nodes.last
            for node in nodes { track(Log()) { _ = node.value } }
            if underOtherGraph { other.holding { nodes = [] } } else { nodes = [] }
            #expect(last == nil)
        }
    }
}

/// Expects the graph to be consistent.
private func expectNoBrokenInvariants(of holder: Holder) {
    #if DEBUG
    #expect(holder.graph.run { GraphHandle.current.brokenInvariants } == [])
    #endif
}
