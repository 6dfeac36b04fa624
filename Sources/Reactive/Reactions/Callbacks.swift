// The functions of reactions that the graph calls.

import CReactive

package enum Callbacks: GraphCallbacks {
    @inline(__always)
    static func run(_ reaction: ObserverPointer, isOnly: Bool) {
        // No test sees this never hold: it only saves checks.
        reaction.reaction._withUnsafeGuaranteedRef { isOnly ? $0.dispatchOnly() : $0.dispatch() }
    }

    @inline(__always)
    static func notify(_ part: ObserverPointer) { part.pointee.node.graph.collect(part) }

    @inline(__always)
    static func unwatched(_ source: NodePointer, by reaction: ObserverPointer) {
        source.pointee.graph.noteDroppedCause(source, of: reaction)
    }

    @inline(__always)
    static func flushEnds(in graph: GraphPointer) -> Bool {
        // No test sees this: a resumed reaction makes nothing due.
        if graph.resumeSuspendedReactions() { return true }
        graph.stopTracing()
        return false
    }

    static func written(_ source: NodePointer) { source.pointee.graph.recordWriter(of: source) }

    static func firstRunWasRolledBack(of reaction: ObserverPointer) {
        reaction.reaction._withUnsafeGuaranteedRef { $0.options?.effect?.startOver() }
    }

    package static func forEachDuePart(of reaction: ObserverPointer, _ body: (ObserverPointer) -> Void) {
        reaction.reaction._withUnsafeGuaranteedRef { $0.options?.parts?.forEachCollected(body) }
    }
}
