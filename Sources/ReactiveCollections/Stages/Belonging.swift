// The actor that a view belongs to: that of its closures, or of a view above. Where it is evaluated because keys of it
// are read, and nobody has asked for it on a particular thread, its router hops there.

import Reactive

extension AnyView {
    /// Lets the view belong to the actor of its closures. Before it is evaluated.
    @inlinable @inline(__always)
    final func belong(to actor: (any Actor)?) {
        if let actor { setIsolation(actor) }
    }

    /// Lets a view of two stages belong to the actor of its closures, or of the views above. Before it is evaluated.
    @usableFromInline
    final func belong(to actor: (any Actor)?, orThatOf second: StageNode) {
        belong(to: actor)
        if isolation == nil, let second = second.view { isolation = unsafeDowncast(second, to: AnyView.self).isolation }
    }

    @usableFromInline @inline(never)
    final func setIsolation(_ actor: any Actor) { isolation = ClosureIsolation(actor) }
}

extension LiveArray {
    /// Lets a new view belong to the actor of its closures.
    @inlinable @inline(__always)
    func belonging(to actor: (any Actor)?) -> LiveArray {
        if let actor { stage.setIsolation(actor) }
        return self
    }
}

extension LiveDictionary {
    /// Lets a new view belong to the actor of its closures.
    @inlinable @inline(__always)
    func belonging(to actor: (any Actor)?) -> LiveDictionary {
        if let actor { stage.setIsolation(actor) }
        return self
    }
}

extension StageNode {
    /// Lets a new view belong to the actor of its closures.
    @usableFromInline @inline(never)
    func setIsolation(_ actor: any Actor) {
        unsafeDowncast(view.unsafelyUnwrapped, to: AnyView.self).setIsolation(actor)
    }
}
