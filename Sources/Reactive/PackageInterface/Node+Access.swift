// What the package's other modules ask of their own nodes: the lock, who reads, and releasing values late.

import CReactive

extension _Node {
    /// Takes the lock of the node's graph, or counts one level more.
    ///
    /// - Precondition: This thread holds no other graph.
    @inlinable @inline(__always)
    package final func enter() { graph.enter(for: node) }

    /// Ends one ``enter()``. The outermost runs the reactions that are due.
    @inlinable @inline(__always)
    package final func leave() { graph.leave() }

    /// Whether this thread holds the node's graph, and records what it reads.
    @inlinable @inline(__always)
    package final var isTracked: Bool { reactive_is_inside(graph) && reactive_current().pointee.active != nil }

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
}
