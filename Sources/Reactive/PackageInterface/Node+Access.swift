// What the package's other modules ask of their own nodes: who reads, and releasing values late.

import CReactive

extension _Node {
    /// Whether this thread holds the node's graph, and records what it reads for one of the library's observers.
    ///
    /// If it does so for observers outside the library, they follow the node: as a whole, whatever is going to be read of it.
    @inlinable @inline(__always)
    package final var isTracked: Bool {
        reactive_is_inside(graph) && reactive_records_reads() && (reactive_is_tracking() || noteOutsideRead())
    }

    /// Has observers outside the library follow the node. Under the lock.
    ///
    /// - Returns: False: none of the library's observers does.
    @usableFromInline @inline(never)
    package final func noteOutsideRead() -> Bool {
        graph.noteOutsideRead(of: node)
        return false
    }

    /// Whether something live observes the node. Under the lock.
    @inlinable @inline(__always)
    package final var hasObservers: Bool { node.pointee.observers != nil }

    /// The number of changes in the node's graph so far. Under the lock.
    @inlinable @inline(__always)
    package final var epoch: UInt64 { graph.pointee.epoch }

    /// The graph of the node.
    package final var graphHandle: GraphHandle { GraphHandle(of: self) }

    /// Keeps a value until the graph is unlocked: its deinitialiser may do anything. Under the lock.
    @usableFromInline
    package final func release<Value>(later value: consuming Value) { Trash.add(value: value) }

    /// Keeps an object until the graph is unlocked: its deinitialiser may do anything. Under the lock.
    @usableFromInline
    package final func release(objectLater object: consuming AnyObject) { Trash.add(object: object) }

    /// Undoes one retain of the node once the graph is unlocked. Under the lock.
    package final func releaseReferenceLater() { Trash.add(Unmanaged.passUnretained(self).toOpaque()) }
}
