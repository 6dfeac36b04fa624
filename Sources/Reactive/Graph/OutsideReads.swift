// Reads that no closure of the library makes, noted for observers outside of it.
//
// A thread that runs none of the library's closures has the record `reactive_outside` in its context, where an
// evaluation would be. It stands for no observer. While reads are noted, the number of that record is not 0, which
// every read looks at anyway: such a read finds that it is not expected, takes the lock, and comes here at last. So
// what is not noted costs nothing.
//
//     thread.tracking ──▶ an evaluation            its observer reads
//                    ──▶ reactive_no_evaluation    `untracked`: nobody reads
//                    ──▶ reactive_outside          somebody outside reads: noted if the number is not 0
//                    ──▶ reactive_elsewhere        the same off the main thread, if only that one is noted
//
// What notes them is an object of each graph, which the floor of bridges creates. It subscribes to what it notes
// without keeping it alive, so it is asked to forget a node that is being freed. That takes the graph's lock. If the
// thread holds a different graph, it is asked later: see FreedNode.swift.

import CReactive

/// What notes the reads of a graph for observers outside the library.
class OutsideReader {
    /// A value is read. Under the lock; a derivation may have to be brought up to date.
    func note(_ node: NodePointer) {}

    /// A node that was noted is being freed, or has been and only its memory is left. Under the lock.
    func forget(_ node: NodePointer) {}
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// What notes reads, once there was one.
    private var reader: Unmanaged<OutsideReader>? { pointee.reader.map { .fromOpaque($0) } }

    /// Frees what notes reads, with the graph.
    func freeReader() { reader?.release() }

    /// Notes a read outside of all closures of the library. Under the lock.
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
        node.pointee.flags.remove(.followedOutside)
        leave()
    }
}
