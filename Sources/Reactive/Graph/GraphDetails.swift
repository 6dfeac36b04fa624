// What a graph rarely needs, and what needs Swift objects.

import CReactive

/// The part of a graph's state that needs Swift objects. Guarded by the graph's lock.
final class GraphDetails {
    /// What messages call the graph.
    var name: String?
    /// While tracing: which reaction last wrote a source.
    var writers: [NodePointer: ObserverPointer] = [:]
    /// Where in the registry the search for reactions without their owners goes on.
    var nextToSweep = 0
    /// Some derivation's closure belongs to an actor.
    var hasConfinedNodes = false
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// What the graph rarely needs. Created on first use; guarded by the lock.
    var details: GraphDetails {
        if let existing = pointee.details { return Unmanaged.fromOpaque(existing).takeUnretainedValue() }
        let details = GraphDetails()
        pointee.details = Unmanaged.passRetained(details).toOpaque()
        return details
    }
}
