// Routers: derivations that are evaluated before anybody relies on what they know.
//
// A view with many keys has a node for each key that is read, so that a change of one key concerns its readers alone. A
// push cannot know which keys change: that takes an evaluation of the view. So while any of its keys is read, the view
// is observed by a *router*:
//
//     source ──▶ view ──▶ router         the push ends here, and the router is pending
//                  ┊
//                  └┄┄ evaluation ┄┄▶ node of a key ──▶ its readers
//
// Pending routers are updated, that is, their views are evaluated, which marks the nodes of keys that changed:
//
// - before a derivation is read that may depend on such a key,
// - before the next reaction runs,
// - before the lock is released,
// - after a write in an evaluation, which may go on to read what it knows to be current.
//
// So nobody finds a node of a key unchanged although it is not. The cost of a change does not depend on the number of
// keys that are read.

import CReactive

/// Keeps a view current while nodes of its keys are read. Public for the compiler's sake; not for use.
public final class _Router: _Observer {
    /// Creates a router, which keeps the view live until it ends. Under the lock.
    ///
    /// - Parameter view: A derivation that is up to date.
    public init(of view: _PartedDerivation) {
        super.init(flags: [.part, .router, .live], graph: view.graph, origin: 0)
        observer.pointee.validated_at = graph.pointee.epoch
        let edge = graph.link(observer, to: view.node)
        edge.pointee.next_source = reactive_end_of_sources()
        observer.pointee.sources = edge
    }

    /// Ends the router: the view is no longer kept live. Under the lock.
    package func end() {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        observer.flags.insert(.cancelled)
        graph.dropSources(of: observer)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Notes that the view of a router may have changed.
    func pend(_ router: ObserverPointer) {
        router.flags.insert(.maybeStale)
        guard router.flags.isDisjoint(with: [.queued, .cancelled]) else { return }
        router.flags.insert(.queued)
        _ = router.asNode.object.retain()
        pointee.routers.push(router)
        pointee.due.work.insert(.routers)
    }

    /// Evaluates the views of pending routers, until there are none.
    ///
    /// A view that is being evaluated further up this thread stays pending.
    @usableFromInline @inline(never)
    func updateRouters() {
        var running: [ObserverPointer] = []
        // Views whose closures write, each time, what the views follow have reported that: they wait for the next change.
        var rest = 1_000 + 10 * pointee.routers.count
        while pointee.routers.count > 0 {
            let router = pointee.routers.pop(ObserverPointer.self)
            guard let view = router.pointee.sources.pointee.source?.asObserver else {
                letGo(router)
                continue
            }
            if !view.flags.isDisjoint(with: [.running, .checking]) {
                running.append(router)
                continue
            }
            router.flags.remove(.marks)
            letGo(router)
            rest -= 1
            if rest < 0 { continue }
            refresh(view)
            router.pointee.validated_at = pointee.epoch
        }
        for router in running { pointee.routers.push(router) }
        if running.isEmpty { pointee.due.work.remove(.routers) }
    }

    /// Takes a router out of those that are pending.
    private func letGo(_ router: ObserverPointer) {
        router.flags.remove(.queued)
        releaseLater(router.asNode.object)
    }
}
