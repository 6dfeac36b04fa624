// Nodes that are freed while their thread holds a different graph, and that the reader of their own graph knows.
//
// The graph has to be locked before such a node ends: observers outside of the library may have made it live, so edges
// lead to it. But a thread that holds one graph must not wait for a second one, since two threads could do so
// crosswise. Nor can a deinitialiser keep its object. What it can keep is the memory:
//
//     last release ──▶ deinitialisers: values and closures are destroyed; the header and the edges stay
//                      └─ a `FreedNode` in the trash, with an unowned reference: Swift keeps the memory
//     this thread has released its graph ──▶ the trash is emptied: the node's graph is locked, and forgets the node
//
// In between, other threads may use the graph. They reach the header, which is as it was: they mark it, and find no
// strong reference to evaluate it with. No new node has its address. That takes no room for longer than the transaction
// of the different graph, whatever becomes of the node's own.

import CReactive

/// The memory of a node that has been freed while its thread held a different graph. Keeps the graph.
final class FreedNode {
    /// Never read as an object, which has ended.
    private unowned(safe) let memory: _Node
    private let node: NodePointer

    /// Takes over what the deinitialiser of a node has left, which owns its graph and its name.
    init(of object: _Node) {
        memory = object
        node = object.node
    }

    // This thread holds no graph: it empties its trash.
    deinit {
        let graph = node.pointee.graph
        graph.enter()
        graph.forgetOutsideReads(of: node)
        // Nobody observes it any more, so that neither its parts nor its edges are in any list.
        if !node.pointee.flags.isDisjoint(with: .observers) { graph.abandon(node.asObserver) }
        graph.leave()
        NodeName.release(node.pointee)
        if node.pointee.flags.contains(.independent) { graph.release() }
    }
}

extension _Node {
    /// Has the graph's reader forget the node, if it may know it. In the node's deinitialisers.
    ///
    /// - Returns: False if that has to wait, and with it all else that takes the lock: the last deinitialiser leaves it
    ///   to a `FreedNode`.
    @inline(__always)
    final func forgetOutsideReads() -> Bool {
        header.flags.isDisjoint(with: .followedOutside) || forgetOutsideReadsNow()
    }

    @inline(never)
    private final func forgetOutsideReadsNow() -> Bool {
        if graph.isOutOfReach { return false }
        graph.forgetOutsideReads(of: node)
        return true
    }
}
