// Routers: derivations that are evaluated before the nodes that they change are used.
//
// A view with many keys has a node for each key that is read, so that a change of one key affects only its readers. A
// push cannot know which keys change: that takes an evaluation of the view. So while any of its keys is read, the view
// is observed by a *router*:
//
//     source ──▶ view ──▶ router         the push ends here, and the router is pending
//                  ┊
//                  └┄┄ evaluation ┄┄▶ node of a key ──▶ its readers
//
// Pending routers are updated, that is, their views are evaluated, which marks the nodes of keys that changed:
//
// - before a derivation is read, other than one that the running evaluation is known to read next,
// - before the next reaction runs, and before a run that a host asks for,
// - before the lock is released,
// - after a write or a commit in an evaluation, which may then read nodes that it assumes to be up to date. (A rollback
//   restores views that were up to date.)
//
// So no code finds a node of a key unchanged although it has changed. The cost of a change does not depend on the
// number of keys that are read.
//
// The closures of a view may belong to an actor. If the code that has to update the router does not run on it, the
// router is *hopping*: it waits for a hop to the actor. Until it is updated:
//
// - The first update in each operation checks whether the code runs on the actor. So the first code that runs there
//   updates the router, and the hop only needs to lock the graph.
// - Code elsewhere that reads a key evaluates the view and is stopped, as with a computed. Derivations that depend on a
//   key are not marked, so a read of one looks upstream for views that are hopping. Reads without the lock cannot do
//   that, and take the lock.
// - A reaction that is due elsewhere for a different reason may see the earlier value. It runs again.
//
// Views are updated in the order of their creation, because the closures of one usually read keys of older ones. In the
// middle of an evaluation some have to wait:
//
// - Views that may read a node that is being evaluated: its value does not exist yet. While a view is evaluated, these
//   are the view itself and all newer ones. For a computed that writes, they are searched for downstream.
// - An older view whose closures turn out to read keys of a newer one is evaluated a second time, and counts as the
//   newest from then on. (An older view that is pending because a closure of the newer one has written is updated
//   immediately.)
//
// The waiting views are updated when that evaluation has ended. A view that reads a key of another, which itself
// depends on it, is a cycle; only then does it read the earlier value.

import CReactive

/// The maximum number of times that a view may change its own sources before it waits for the next change. The writes
/// of its closures were reported.
private let updateLimit = 100

/// An observer that keeps a view up to date while nodes of its keys are read. Public only for the compiler; do not use
/// it directly.
public final class _Router: _Observer {
    /// Creates a router, which keeps the view live until ``end()``. Under the lock.
    ///
    /// - Parameter view: A derivation that is up to date.
    public init(of view: _PartedDerivation) {
        super.init(flags: [.part, .router], graph: view.graph, origin: 0)
        let edge = graph.link(observer, to: view.node)
        edge.pointee.next_source = reactive_end_of_sources()
        observer.pointee.sources = edge
        observer.pointee.validated_at = graph.pointee.epoch
        graph.makePartLive(observer)
    }

    /// Ends the router: the view is no longer kept live. Must be called before the router is released. Under the lock.
    package func end() { graph.dropSources(of: observer) }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Records that the view of a router may have changed.
    func pend(_ router: ObserverPointer) {
        router.flags.insert(.maybeStale)
        // No test sees this always hold: a second entry would do nothing.
        guard !router.flags.contains(.queued), let view = router.viewOfRouter else { return }
        router.flags.insert(.queued)
        // While a newer view is evaluated, this one either depends on it, or a closure has written.
        // No test sees this boundary: a view that changes itself may count as the newest.
        // No test sees this always hold: it only saves a search.
        if view.number < pointee.router_limit,
            firstAbove(view.observer, where: { $0.flags.contains(.running) }) != nil
        {
            view.number = reactive_next_view_number()
        }
        router.pointee.node.creation_number = view.number
        _ = router.asNode.object.retain()
        pointee.routers.pushToHeap(router)
        pointee.due.work.insert(.routers)
    }

    /// Calls `updateRouters` if an evaluation is in progress. Otherwise the next reader does so.
    @inline(__always)
    func updateRoutersInEvaluation() {
        // No test sees this always hold: the call then does nothing.
        if pointee.due.work.contains(.routers), pointee.evaluating != nil { updateRouters() }
    }

    /// Evaluates the views of pending routers, until only those are left that have to wait.
    @usableFromInline @inline(never)
    func updateRouters() {
        // No test sees this always hold: the call then does nothing.
        // No test sees this boundary: as above.
        if pointee.hopping.count > 0 { takeHoppedRouters() }
        let limit = pointee.router_limit
        // No test sees this: it only saves a search.
        guard mayUpdateRouter(below: limit) else {
            if pointee.routers.count == 0 { pointee.due.work.remove(.routers) }
            return
        }
        let lowest = limitOfRunningDerivations(limit)
        let update = pointee.evaluations
        while mayUpdateRouter(below: lowest) {
            let router = pointee.routers.popFromHeap()
            guard let view = router.viewOfRouter else {
                unqueue(router)
                continue
            }
            let observer = view.observer
            // No test sees this: nothing breaks it.
            assert(observer.flags.isDisjoint(with: [.running, .checking]), "the limit leaves these out")
            if let hop = view.hopToActor() {
                startHop(router, hop)
                continue
            }
            unqueue(router)
            if view.update.number != update { view.update = (update, 0) }
            view.update.count += 1
            if view.update.count > updateLimit {
                rearm(router)
                continue
            }
            router.flags.remove(.marks)
            // No test sees this: the evaluation sets the same limit.
            pointee.router_limit = view.number
            refresh(observer)
            pointee.router_limit = limit
            router.pointee.validated_at = pointee.epoch
        }
        // No test sees this left out: the next call does the same.
        // No test sees this never hold: as above.
        if pointee.routers.count == 0 { pointee.due.work.remove(.routers) }
    }

    /// Whether the next router may be updated before the view with a number.
    private func mayUpdateRouter(below limit: UInt64) -> Bool {
        guard pointee.routers.count > 0 else { return false }
        return limit == 0
            // No test sees this boundary: that view is being evaluated, and waits.
            || pointee.routers.elements(of: ObserverPointer.self)[0].pointee.node.creation_number < limit
    }

    // MARK: - Views that belong to an actor

    /// Makes a router wait for the actor of its view.
    private func startHop(_ router: ObserverPointer, _ hop: @escaping _PartedDerivation.Hop) {
        pointee.hopping.push(router)
        pointee.due.work.insert(.hopping)
        reactive_lock_reads(self, true)
        // A pointer, which is retained until the hop has arrived.
        nonisolated(unsafe) let graph = self
        retain()
        // An executor is user code.
        deferAction {
            hop {
                graph.enter()
                graph.leave()
                graph.release()
            }
        }
    }

    /// Continues with the routers that have waited for the actor that this code runs on.
    private func takeHoppedRouters() {
        var waiting = 0
        for index in 0..<pointee.hopping.count {
            let router = pointee.hopping.elements(of: ObserverPointer.self)[index]
            guard let view = router.viewOfRouter else {
                unqueue(router)
                continue
            }
            if view.hopToActor() == nil {
                pointee.routers.pushToHeap(router)
            } else {
                pointee.hopping.elements(of: ObserverPointer.self)[waiting] = router
                waiting += 1
            }
        }
        pointee.hopping.count = waiting
        if waiting == 0 { reactive_lock_reads(self, false) }
    }

    /// Records that the lock is about to be released, or was just taken: the thread that has it then checks whether it
    /// runs on the actor of a router that is hopping.
    @inline(__always)
    func noteHoppingRouters() {
        if pointee.hopping.count > 0 { pointee.due.work.insert([.routers, .hopping]) }
    }

    /// Updates routers before a derivation is read. Ends the program if the derivation depends on a view that is
    /// hopping.
    @inline(never)
    func updateRouters(beforeReadOf derivation: ObserverPointer) {
        // No test sees this always hold: the call then does nothing.
        if pointee.due.work.contains(.routers) { updateRouters() }
        // No test sees this always hold: it only saves a search.
        // No test sees this boundary: as above.
        guard pointee.hopping.count > 0 else { return }
        let views = (0..<pointee.hopping.count).compactMap {
            pointee.hopping.elements(of: ObserverPointer.self)[$0].viewOfRouter?.observer
        }
        firstAbove(derivation, where: views.contains)?.view.stopForEvaluationElsewhere()
    }

    // MARK: - The order

    /// Removes a router from those that are pending.
    private func unqueue(_ router: ObserverPointer) {
        router.flags.remove(.queued)
        releaseLater(router.asNode.object)
    }

    /// Returns a derivation that meets a condition and that another depends on, directly or not; `nil` if there is none.
    ///
    /// Complexity: O(nodes above). Paid by reads while a router is hopping, once by a view that reads keys of a newer
    /// one, and by closures that write.
    private func firstAbove(
        _ derivation: ObserverPointer, where isWanted: (ObserverPointer) -> Bool
    ) -> ObserverPointer? {
        var visited: Set<NodePointer> = [derivation.asNode]
        var pending = [derivation]
        var wanted: ObserverPointer?
        func visit(_ source: NodePointer) {
            guard let observer = source.evaluatedObserver, visited.insert(observer.asNode).inserted else { return }
            if isWanted(observer) { wanted = observer }
            pending.append(observer)
        }
        while wanted == nil, let next = pending.popLast() {
            next.forEachSource(visit)
            next.forEachPartOfDerivation { $0.forEachSource(visit) }
        }
        return wanted
    }

    /// Returns the lowest number of a view that observes a derivation in evaluation, or `limit` if that is lower.
    ///
    /// Complexity: O(observers of these derivations). Only derivations that write pay for it.
    private func limitOfRunningDerivations(_ limit: UInt64) -> UInt64 {
        var lowest = limit
        var visited: Set<NodePointer> = []
        var pending = evaluationsInProgress.map { $0.asObserver.wholeNode }
        while let node = pending.popLast() {
            // No test sees this always hold: it only saves further visits.
            guard node.pointee.flags.contains(.derivation), visited.insert(node).inserted else { continue }
            if node.pointee.flags.contains(.parted) {
                let number = node.asObserver.view.number
                lowest = lowest == 0 ? number : Swift.min(lowest, number)
            }
            var next = node.pointee.observers
            while let edge = next {
                next = edge.pointee.next_observer
                if let observer = edge.pointee.observer { pending.append(observer.asObserver.wholeNode) }
            }
        }
        return lowest
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The derivation that contains the header. Precondition: it may have parts.
    fileprivate var view: _PartedDerivation {
        derivation._withUnsafeGuaranteedRef { unsafeDowncast($0, to: _PartedDerivation.self) }
    }

    /// The view that a router keeps up to date, or `nil` if the router has ended.
    fileprivate var viewOfRouter: _PartedDerivation? { pointee.sources.pointee.source?.asObserver.view }
}
