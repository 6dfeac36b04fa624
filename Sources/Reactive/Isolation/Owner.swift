// Owners: objects that a closure belongs to without keeping them alive.
//
// The `of:` forms of the library take an owner, hold it weakly, and pass it to the closure, so that there is nothing to
// capture. Each form exists twice. For an object, the closure receives the object. For an actor, the closure's
// parameter is `isolated`, which Swift does not support for a parameter that may be any object. Such a closure belongs
// to that actor.
//
// The last release of an owner runs its deinitialiser, which may run any code and so must not run under the graph's
// lock. Code that takes a strong reference under the lock therefore retains it in the deferred releases too.

import CReactive

/// A weak reference to an owner of any type.
@usableFromInline
package class OwnerReference {
    /// Whether the owner is gone. Under the lock.
    var isGone: Bool { true }  // No test sees this: the subclass replaces it.
}

/// A weak reference to an owner.
@usableFromInline
package final class WeakOwner<Owner: AnyObject>: OwnerReference {
    /// The owner, for code that holds no graph.
    private(set) weak var owner: Owner?

    @usableFromInline
    package init(_ owner: Owner) { self.owner = owner }

    /// Returns the owner, for code that holds the graph. The owner is kept until the lock is released.
    package func strong() -> Owner? {
        guard let owner else { return nil }
        DeferredReleases.add(object: owner)
        return owner
    }

    override var isGone: Bool { strong() == nil }
}
