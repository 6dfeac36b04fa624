// Nodes that are freed while their thread holds a different graph, and that the reader of their own graph has recorded.
//
// The graph must be locked before such a node ends: observers outside of the library may have made it live, so edges
// lead to it. But a thread that holds one graph must not wait for a second one, since two threads could wait for each
// other. Nor can a deinitialiser keep its object alive. What it can keep is the memory:
//
//     last release ──▶ deinitialisers: values and closures are destroyed; the header and the edges stay
//                      └─ a `FreedNode` in the deferred releases, with an unowned reference: Swift keeps the memory
//     this thread has released its graph ──▶ deferred releases: the node's graph is locked, and forgets the node
//
// In between, other threads may use the graph. They reach the unchanged header. They mark it, and find no strong
// reference to evaluate the node with. No new node has its address. The memory is kept no longer than the transaction
// of the different graph lasts, whatever happens to the node's own graph.

import CReactive

/// The memory of a node that has been freed while its thread held a different graph. Keeps the graph.
final class FreedNode {
    /// Never read as an object, which has ended.
    private unowned(safe) let memory: _Node
    private let node: NodePointer

    /// Takes over what remains of a node after its deinitialiser, which owns its graph and its name.
    init(of object: _Node) {
        memory = object
        node = object.node
    }

    // This thread holds no graph: it is performing its deferred releases.
    deinit {
        let graph = node.pointee.graph
        graph.enter()
        graph.forget(node)
        // It has no observers any more, so that neither its parts nor its edges are in any list.
        if !node.pointee.flags.isDisjoint(with: .observers) { graph.abandon(node.asObserver) }
        graph.leave()
        NodeName.release(node.pointee)
        graph.release()
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Makes the reader forget a node that ends, and records the end. Precondition: this thread holds no different
    /// graph.
    @inline(never)
    fileprivate func forget(_ node: NodePointer) {
        // No test sees this always hold: it only saves the lock.
        if node.pointee.flags.contains(.followedOutside) { forgetOutsideReads(of: node) }
        if node.pointee.flags.contains(.recorded) { recordFromOutside(.end(node)) }
    }
}

extension _Node {
    /// Makes the graph's reader forget the node, if it may have recorded it, and records the end of the node. Called in
    /// the node's deinitialisers.
    ///
    /// - Returns: False if this must be deferred, and with it everything else that takes the lock. Then the last
    ///   deinitialiser creates a `FreedNode` for it.
    @inline(__always)
    final func forgetOutsideReads() -> Bool {
        // No test sees this: it only saves a `FreedNode`, which would do the same.
        header.flags.isDisjoint(with: [.followedOutside, .recorded]) || forgetOutsideReadsNow()
    }

    @inline(never)
    private final func forgetOutsideReadsNow() -> Bool {
        // No test sees this always hold: it only saves a `FreedNode`, which would do the same.
        if graph.isOutOfReach { return false }
        graph.forget(node)
        return true
    }
}
