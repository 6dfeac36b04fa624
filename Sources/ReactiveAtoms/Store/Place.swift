// Which graph something belongs to.
//
// A store and all that it makes are of one graph: the thread's own when the store was made. Nodes are instantiated later, by any thread, in
// tasks, and in deinitialisers. So everything that takes the lock asks a *place* for it, and what is made with the lock held belongs to the
// graph that is held. Reactions that are to run their first time outside the lock are made with `inItsGraph`.

import Reactive

/// Stands for a graph: an observable of it that nobody observes.
typealias Place = Observable<Void>

extension Observable<Void> {
    /// A place in the graph that is the thread's own.
    convenience init() { self.init((), equals: .never, named: "RecoilStore") }
}
