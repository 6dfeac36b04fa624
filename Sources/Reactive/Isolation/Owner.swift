// Owners: what a closure works for without keeping it alive.
//
// The `of:` forms of the library take an owner, hold it weakly, and hand it back to the closure, so that there is
// nothing to capture. Each comes twice. For an object, the closure gets the object. For an actor, the closure's
// parameter is `isolated`, which Swift cannot say of a parameter that may be any object; such a closure belongs to that
// actor.
//
// The last release of an owner runs its deinitialiser, which may do anything, and so must not happen under the graph's
// lock. Code that takes a strong reference there shares it with the trash.

import CReactive

/// A weak reference to an owner, of any type.
@usableFromInline
package class OwnerReference {
    /// Whether the owner is gone. Under the lock.
    var isGone: Bool { true }
}

/// A weak reference to an owner.
@usableFromInline
package final class WeakOwner<Owner: AnyObject>: OwnerReference {
    /// For code that holds no graph.
    private(set) weak var owner: Owner?

    @usableFromInline
    package init(_ owner: Owner) { self.owner = owner }

    /// The owner, for code that holds the graph: it stays until the lock is released.
    package func strong() -> Owner? {
        guard let owner else { return nil }
        Trash.add(object: owner)
        return owner
    }

    override var isGone: Bool { strong() == nil }
}
