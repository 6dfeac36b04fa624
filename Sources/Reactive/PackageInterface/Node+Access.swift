// What the package's other modules ask of their own nodes: who reads, and releasing values late.

import CReactive

extension _Node {
    /// Whether this thread holds the node's graph, and records what it reads.
    @inlinable @inline(__always)
    package final var isTracked: Bool { reactive_is_inside(graph) && reactive_is_tracking() }

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
