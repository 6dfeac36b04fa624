// The actor that a view belongs to: that of its closures, or of a view above. If the view is evaluated only because
// observers read its keys, no caller determines the thread; then its router hops to this actor.

import Reactive

extension AnyView {
    /// Assigns the view to the actor of its closures. Called before the view is evaluated.
    @inlinable @inline(__always)
    final func belong(to actor: (any Actor)?) {
        if let actor { setIsolation(actor) }
    }

    /// Assigns a view of two stages to the actor of its closures, or of the views above. Called before the view is
    /// evaluated.
    @usableFromInline
    final func belong(to actor: (any Actor)?, orThatOf second: StageNode) {
        belong(to: actor)
        if isolation == nil, let second = second.view { isolation = unsafeDowncast(second, to: AnyView.self).isolation }
    }

    @usableFromInline @inline(never)
    final func setIsolation(_ actor: any Actor) { isolation = ClosureIsolation(actor) }
}

extension LiveArray {
    /// Assigns a new view to the actor of its closures.
    @inlinable @inline(__always)
    func belonging(to actor: (any Actor)?) -> LiveArray {
        if let actor { stage.setIsolation(actor) }
        return self
    }
}

extension LiveDictionary {
    /// Assigns a new view to the actor of its closures.
    @inlinable @inline(__always)
    func belonging(to actor: (any Actor)?) -> LiveDictionary {
        if let actor { stage.setIsolation(actor) }
        return self
    }
}

extension StageNode {
    /// Assigns a new view to the actor of its closures.
    @usableFromInline @inline(never)
    func setIsolation(_ actor: any Actor) {
        unsafeDowncast(view.unsafelyUnwrapped, to: AnyView.self).setIsolation(actor)
    }
}
