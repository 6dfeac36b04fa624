// Deferred releases: objects are released later, and without recursion.
//
// The last release of an object runs its deinitialiser, and so user code. That must not happen while a graph is locked,
// nor while a walk is at an object that would be freed. So a thread that holds the lock adds objects to its deferred
// releases, and the outermost operation releases them after unlocking.
//
// Nodes own nodes: a computed's closure holds what it reads. Freed recursively, a chain of 100,000 overflows the stack.
// So freeing counts the deinitialisers of nodes that are nested on this thread. Beyond a bound, a node adds what it
// owns to the deferred releases, so that it is not freed there. The outermost deinitialiser then releases it.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Releases a node once the graph is unlocked. Precondition: this thread holds the graph.
    func releaseLater(_ object: Unmanaged<_Node>) {
        DeferredReleases.add(object.toOpaque())
    }
}

package enum DeferredReleases {
    /// Adds an object. Takes over one reference to it.
    static func add(_ object: UnsafeMutableRawPointer) {
        let thread = reactive_current()
        // No test sees this: only a leak checker sees memory that stays when the thread ends.
        if thread.pointee.deferred_releases.base == nil { reactive_context_will_allocate() }
        thread.pointee.deferred_releases.push(object)
    }

    /// Adds a class instance, and retains it.
    package static func add(object: AnyObject) {
        add(Unmanaged.passRetained(object).toOpaque())
    }

    /// Adds the captures of a closure, and takes over the reference to them.
    ///
    /// A function value is two words. The second is the object with the captures, if there are any. Adding that object
    /// needs no allocation; a closure as a generic value would need two, for a box and for a thunk.
    @inline(__always)
    static func add(closure: __owned Closure) {
        let captures = withUnsafeTemporaryAllocation(of: Closure.self, capacity: 1) { buffer in
            // The reference moves with the bits: the copy that is initialised here is never destroyed here.
            buffer.initializeElement(at: 0, to: closure)
            return UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped)
                .load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeMutableRawPointer?.self)
        }
        if let captures { add(captures) }
    }

    /// A closure in a struct, where it keeps its own calling convention.
    struct Closure {
        let call: () -> Void
    }

    /// Adds a value, and takes ownership of it.
    static func add<Value>(value: consuming Value) {
        add(Unmanaged.passRetained(Discarded(value)).toOpaque())
    }

    /// Releases everything. If this thread is already freeing a node, the end of that does it instead. Precondition:
    /// this thread holds no graph.
    static func releaseAll() {
        let thread = reactive_current()
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if thread.pointee.deferred_releases.count > 0,
            thread.pointee.freeing_depth == 0
        {
            releaseAllNow(thread)
        }
    }

    /// Releases everything. If this thread holds a graph, the end of the outermost operation does it instead.
    static func releaseAllIfUnlocked() {
        if reactive_current().pointee.graph == nil { releaseAll() }
    }

    @inline(never)
    private static func releaseAllNow(_ thread: UnsafeMutablePointer<ThreadContext>) {
        // Counts as freeing, so that this loop also releases whatever the deinitialisers add.
        thread.pointee.freeing_depth = 1
        while thread.pointee.deferred_releases.count > 0 {
            let object = thread.pointee.deferred_releases.pop(UnsafeMutableRawPointer.self)
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
        thread.pointee.freeing_depth = 0
    }
}

/// An object that keeps a value until it is released.
private final class Discarded<Value> {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

/// A counter of the deinitialisers of nodes that are nested on this thread. It is the last stored property of every
/// kind of node.
///
/// `begin` in the node's deinitialiser increments it. The mark's own deinitialiser, which runs after the properties
/// before it are destroyed, decrements it. (A superclass cannot do that: its deinitialiser runs before the subclass's
/// properties are destroyed.)
@frozen @usableFromInline package struct FreeingMark: ~Copyable {
    @inlinable @inline(__always)
    package init() {}

    /// Begins to free a node. Returns true if the things that it owns must be added to the deferred releases instead of
    /// being freed now.
    @inlinable @inline(__always)
    package static func begin() -> Bool {
        let thread = reactive_current()
        thread.pointee.freeing_depth += 1
        // No test sees this boundary: any number near it would do.
        return thread.pointee.freeing_depth > 32
    }

    @inlinable
    deinit {
        let thread = reactive_current()
        thread.pointee.freeing_depth -= 1
        // No test sees this always hold: `releaseAll` checks both again.
        // No test sees this boundary: as above.
        if thread.pointee.freeing_depth == 0, thread.pointee.deferred_releases.count > 0,
            thread.pointee.graph == nil
        {
            FreeingMark.releaseDeferred()
        }
    }

    @usableFromInline @inline(never)
    static func releaseDeferred() { DeferredReleases.releaseAll() }

    /// Releases the captures of a closure later, and takes over the reference.
    @usableFromInline
    static func postpone(captures: UnsafeMutableRawPointer) { DeferredReleases.add(captures) }

    /// Frees a value later.
    @usableFromInline
    package static func postpone<Value>(_ value: Value) { DeferredReleases.add(value: value) }
}
