// The parts of a graph's state that are rarely needed, or that consist of Swift objects.

import CReactive

/// The part of a graph's state that needs Swift objects. Guarded by the graph's lock.
final class GraphDetails {
    /// The name of the graph in messages.
    var name: String?
    /// While tracing: the reaction that last wrote each source.
    var writers: [NodePointer: ObserverPointer] = [:]
    /// The index in the registry at which the search for reactions without their owners continues.
    var nextToSweep = 0
    /// Whether the closure of some derivation belongs to an actor.
    var hasConfinedNodes = false
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The details. Created on first use; guarded by the lock.
    var details: GraphDetails {
        if let existing = pointee.details { return Unmanaged.fromOpaque(existing).takeUnretainedValue() }
        let details = GraphDetails()
        pointee.details = Unmanaged.passRetained(details).toOpaque()
        return details
    }
}
