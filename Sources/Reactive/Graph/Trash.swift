// Releasing objects late, and without recursion.
//
// The last release of an object runs its deinitialiser, and so user code. That must not happen while a graph is locked, nor while a
// walk stands on what would be freed. So whoever holds the lock puts objects into the thread's trash, and the outermost operation
// empties it after unlocking.
//
// Nodes own nodes: a computed's closure holds what it reads. Freed naively, a chain of 100,000 overflows the stack. Freeing counts
// how many deinitialisers of nodes are nested on this thread; beyond a bound a node moves what it owns into the trash, and the
// outermost deinitialiser empties that.

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

    /// Takes over a value.
    static func add<Value>(value: consuming Value) {
        add(Unmanaged.passRetained(Discarded(value)).toOpaque())
    }

    /// Releases everything. Precondition: this thread holds no graph.
    static func empty() {
        let thread = reactive_current()
        guard thread.pointee.trash.count > 0, !thread.pointee.is_emptying_trash else { return }
        emptyNow(thread)
    }

    @inline(never)
    private static func emptyNow(_ thread: UnsafeMutablePointer<ThreadContext>) {
        thread.pointee.is_emptying_trash = true
        // Deinitialisers may add more, and are bounded in depth anew: they start from here.
        let depth = thread.pointee.freeing_depth
        thread.pointee.freeing_depth = 1
        while thread.pointee.trash.count > 0 {
            let object = thread.pointee.trash.pop(UnsafeMutableRawPointer.self)
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
        thread.pointee.freeing_depth = depth
        thread.pointee.is_emptying_trash = false
    }
}

/// Keeps a value until it is released.
private final class Discarded<Value> {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

/// Counts nested deinitialisers of nodes that own something.
@usableFromInline enum Freeing {
    @usableFromInline static let deepest: UInt32 = 32

    /// Begins to free a node. Returns true if what it owns must go to the trash instead of being freed right here.
    @usableFromInline
    static func begin() -> Bool {
        let thread = reactive_current()
        thread.pointee.freeing_depth += 1
        return thread.pointee.freeing_depth > deepest
    }

    /// Ends what `begin` began, after the node's own members are gone.
    static func end() {
        let thread = reactive_current()
        thread.pointee.freeing_depth -= 1
        if thread.pointee.freeing_depth == 0, thread.pointee.graph == nil { Trash.empty() }
    }

    /// Frees a value later.
    @usableFromInline
    static func postpone<Value>(_ value: Value) { Trash.add(value: value) }
}
