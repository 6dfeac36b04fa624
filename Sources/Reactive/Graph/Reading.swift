// The parts of a read that do not depend on the type of the value.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Records a read of a source's value under the lock.
    @usableFromInline
    func noteRead(of node: NodePointer) {
        if node.pointee.flags.contains(.modifying) { stopForOverlap("read", node) }
        // No test sees this always hold: it only saves a call.
        if reactive_records_reads() { track(node) }
    }

    /// Brings the derivation up to date that the cursor expects, and moves the cursor past it.
    ///
    /// It takes a pointer, and its caller does not use the object again. So the object need not be kept alive around
    /// the call, which would cost two atomic operations. The edge at the cursor keeps it alive: even if the edge is
    /// dropped, its reference is released only when the outermost operation ends. (Measured on computeds that are read
    /// from arrays: up to half of the time.)
    @usableFromInline @inline(never)
    func refreshExpected(_ observer: ObserverPointer) {
        if observer.flags.contains(.running) { stopForCycle(through: observer.asNode) }
        refresh(observer)
        track(observer.asNode)
    }

    /// Brings a derivation up to date and records a read of it. Returns false if the read is part of a cycle.
    ///
    /// - Parameter canThrow: Whether the reader reports a cycle by an error. Otherwise the program is stopped, but only
    ///   if the cycle is certain. A derivation that is merely being checked is evaluated, since another reader on the
    ///   cycle may be able to throw.
    @usableFromInline
    func noteRead(ofDerivation observer: ObserverPointer, canThrow: Bool) -> Bool {
        if observer.flags.contains(.running) || (canThrow && isOnPath(observer)) {
            trackCycle(through: observer.asNode)
            return false
        }
        // No test sees this always hold: it only saves a call.
        if !pointee.due.work.isDisjoint(with: [.routers, .hopping]) { updateRouters(beforeReadOf: observer) }
        refresh(observer)
        // No test sees this always hold: it only saves a call.
        if reactive_records_reads() { track(observer.asNode) }
        return true
    }

    @usableFromInline @inline(never)
    func stopForOverlap(_ verb: String, _ node: NodePointer) -> Never {
        fatalError(
            """
            Reactive: \(NodeName.text(of: node.pointee)) is \(verb) while it is being modified in place. Read what you \
            need before the mutation, or mutate a local copy and assign it.
            """)
    }
}
