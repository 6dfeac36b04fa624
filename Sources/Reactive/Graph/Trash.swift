// Releasing objects late, and without recursion.
//
// The last release of an object runs its deinitialiser, and so user code. That must not happen while a graph is locked, nor while a
// walk stands on what would be freed. So whoever holds the lock puts objects into the thread's trash, and the outermost operation
// empties it after unlocking.
//
// Nodes own nodes: a computed's closure holds what it reads. Freed naively, a chain of 100,000 overflows the stack. Freeing counts
// how many deinitialisers of nodes are nested on this thread; beyond a bound a node shares what it owns with the trash, so that it is
// not freed there, and the outermost deinitialiser empties that.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Releases a node once the graph is unlocked. Precondition: this thread holds the graph.
    func releaseLater(_ object: Unmanaged<_Node>) {
        Trash.add(object.toOpaque())
    }
}

enum Trash {
    /// Takes over one reference to an object.
    static func add(_ object: UnsafeMutableRawPointer) {
        let thread = reactive_current()
        if thread.pointee.trash.base == nil { reactive_context_will_allocate() }
        thread.pointee.trash.push(object)
    }

    /// Keeps a class instance.
    static func add(object: AnyObject) {
        add(Unmanaged.passRetained(object).toOpaque())
    }

    /// Takes over what a closure has captured.
    ///
    /// A function value is two words, of which the second is the object with the captures, if there are any. Taking that one over needs no
    /// allocation; as a generic value the closure would need two, for a box and for a thunk.
    @inline(__always)
    static func add(closure: __owned Closure) {
        let captures = withUnsafeTemporaryAllocation(of: Closure.self, capacity: 1) { place in
            // The reference moves with the bits: what is initialised here is never destroyed here.
            place.initializeElement(at: 0, to: closure)
            return UnsafeRawPointer(place.baseAddress.unsafelyUnwrapped)
                .load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeMutableRawPointer?.self)
        }
        if let captures { add(captures) }
    }

    /// A closure in a struct, where it keeps its own calling convention.
    struct Closure {
        let call: () -> Void
    }

    /// Takes over a value.
    static func add<Value>(value: consuming Value) {
        add(Unmanaged.passRetained(Discarded(value)).toOpaque())
    }

    /// Releases everything, unless this thread is freeing a node already: then that one's end does. Precondition: this thread holds
    /// no graph.
    static func empty() {
        let thread = reactive_current()
        if thread.pointee.trash.count > 0, thread.pointee.freeing_depth == 0 { emptyNow(thread) }
    }

    /// Releases everything, unless this thread holds a graph: then the end of the outermost operation does.
    static func emptyIfUnlocked() {
        if reactive_current().pointee.graph == nil { empty() }
    }

    @inline(never)
    private static func emptyNow(_ thread: UnsafeMutablePointer<ThreadContext>) {
        // Counts as freeing, so that what the deinitialisers add is left to this loop.
        thread.pointee.freeing_depth = 1
        while thread.pointee.trash.count > 0 {
            let object = thread.pointee.trash.pop(UnsafeMutableRawPointer.self)
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
        thread.pointee.freeing_depth = 0
    }
}

/// Keeps a value until it is released.
private final class Discarded<Value> {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

/// Counts the deinitialisers of nodes that are nested on this thread: the last stored property of every kind of node.
///
/// `begin` in the node's deinitialiser counts up; the mark's own deinitialiser, which runs after the properties before it are gone,
/// counts down. (A superclass is no place for that: its deinitialiser runs before the subclass's properties are destroyed.)
@frozen @usableFromInline package struct FreeingMark: ~Copyable {
    @inlinable @inline(__always)
    package init() {}

    /// Begins to free a node. Returns true if what it owns must go to the trash instead of being freed right here.
    @inlinable @inline(__always)
    package static func begin() -> Bool {
        let thread = reactive_current()
        thread.pointee.freeing_depth += 1
        return thread.pointee.freeing_depth > 32
    }

    @inlinable
    deinit {
        let thread = reactive_current()
        thread.pointee.freeing_depth -= 1
        if thread.pointee.freeing_depth == 0, thread.pointee.trash.count > 0, thread.pointee.graph == nil {
            FreeingMark.emptyTrash()
        }
    }

    @usableFromInline @inline(never)
    static func emptyTrash() { Trash.empty() }

    /// Releases the captures of a closure later, and takes over the reference.
    @usableFromInline
    static func postpone(captures: UnsafeMutableRawPointer) { Trash.add(captures) }

    /// Frees a value later.
    @usableFromInline
    package static func postpone<Value>(_ value: Value) { Trash.add(value: value) }
}
