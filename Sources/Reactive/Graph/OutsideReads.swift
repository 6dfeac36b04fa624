// Reads outside of the library's closures, recorded for observers outside of the library.
//
// A thread that runs none of the library's closures has the record `reactive_outside` in its context instead of an
// evaluation. The record has no observer. While such reads are recorded, its number is not 0. Every read compares that
// number anyway: it finds that the read is not expected, takes the lock, and arrives here. So reads that are not
// recorded cost nothing extra.
//
//     thread.tracking ──▶ an evaluation            its observer reads
//                    ──▶ reactive_no_evaluation    `untracked`: no observer reads
//                    ──▶ reactive_outside          outside: recorded if the number is not 0
//                    ──▶ reactive_elsewhere        the same off the main thread, if only that one is recorded
//
// An object of each graph, which the layer of bridges creates, records them. It subscribes to the nodes without keeping
// them alive, so it must be notified when a node is freed. That takes the graph's lock. If the thread holds a different
// graph, the notification is deferred: see FreedNode.swift.

import CReactive

/// An object that records the reads of a graph for observers outside the library.
class OutsideReader {
    /// Records a read of a value. Under the lock; a derivation may have to be brought up to date.
    func note(_ node: NodePointer) {}

    /// Forgets a recorded node. The node is being freed, or only its memory is left. Under the lock.
    func forget(_ node: NodePointer) {}
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The reader of the graph, once there is one.
    private var reader: Unmanaged<OutsideReader>? { pointee.reader.map { .fromOpaque($0) } }

    /// Frees the reader, together with the graph.
    func freeReader() { reader?.release() }

    /// Records a read outside of all closures of the library. Under the lock.
    @usableFromInline @inline(never)
    func noteOutsideRead(of node: NodePointer) {
        guard reactive_notes_reads_here() else { return }
        if pointee.reader == nil { pointee.reader = reactive_make_reader(self) }
        reader?._withUnsafeGuaranteedRef { $0.note(node) }
    }

    /// Forgets a node that is being freed. Precondition: this thread holds no different graph.
    @inline(never)
    func forgetOutsideReads(of node: NodePointer) {
        enter()
        reader?._withUnsafeGuaranteedRef { $0.forget(node) }
        // No test sees this: it only saves the node's next deinitialiser a search.
        node.pointee.flags.remove(.followedOutside)
        leave()
    }
}
