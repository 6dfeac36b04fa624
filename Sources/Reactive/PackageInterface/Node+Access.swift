// Access of the package's other modules to their own nodes: tracking, observers, and deferred releases.

import CReactive

extension _Node {
    /// Whether this thread holds the node's graph, and tracks reads for one of the library's observers.
    ///
    /// If it tracks them for observers outside the library, those follow the node as a whole, whatever is read of it.
    @inlinable @inline(__always)
    package final var isTracked: Bool {
        // No test sees this always hold: code that records reads holds the graph; the rest only saves a call.
        reactive_is_inside(graph) && reactive_records_reads() && (reactive_is_tracking() || noteOutsideRead())
    }

    /// Lets observers outside the library follow the node. Under the lock.
    ///
    /// - Returns: False: no observer of the library follows it.
    @usableFromInline @inline(never)
    package final func noteOutsideRead() -> Bool {
        graph.noteOutsideRead(of: node)
        return false
    }

    /// Whether a live observer reads the node. Under the lock.
    @inlinable @inline(__always)
    package final var hasObservers: Bool { node.pointee.observers != nil }

    /// The number of changes in the node's graph so far. Under the lock.
    @inlinable @inline(__always)
    package final var epoch: UInt64 { graph.pointee.epoch }

    /// The graph of the node.
    package final var graphHandle: GraphHandle { GraphHandle(of: self) }

    /// Retains a value until the graph is unlocked, because its deinitialiser may run any code. Under the lock.
    @usableFromInline
    package final func release<Value>(later value: consuming Value) { DeferredReleases.add(value: value) }

    /// Retains an object until the graph is unlocked, because its deinitialiser may run any code. Under the lock.
    @usableFromInline
    package final func release(objectLater object: consuming AnyObject) { DeferredReleases.add(object: object) }

    /// Releases the node once, after the graph is unlocked. Under the lock.
    package final func releaseReferenceLater() { DeferredReleases.add(Unmanaged.passUnretained(self).toOpaque()) }
}
