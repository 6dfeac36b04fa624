// The parts of a write and of an in-place mutation that do not depend on the type of the value.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Stops the program if a write overlaps an in-place mutation, and reports a write inside a computed.
    @inlinable @inline(__always)
    func checkWrite(to node: NodePointer) {
        if node.pointee.flags.contains(.modifying) { stopForOverlap("written", node) }
        assert(reportWriteInDerivation(to: node))
    }

    /// Writes a value that is one word of plain bits.
    ///
    /// It takes pointers, and its caller does not use the object again. So the compiler need not keep an object that is
    /// stored in a property alive around the call, which would cost two atomic operations. The object stays alive by
    /// itself: no user code of this thread runs before the change is recorded, and afterwards the source is not used.
    /// Another thread may not replace the object while this one reads the property. (A temporary is released after the
    /// call.) An independent graph might be freed with the object, and is therefore retained.
    @usableFromInline @inline(never)
    func writeWord(_ new: UInt64, to storage: UnsafeMutablePointer<UInt64>, of node: NodePointer) {
        enter(for: node)
        checkWrite(to: node)
        if storage.pointee == new {
            leave()
        } else {
            // No test sees this always hold: `readyLog` looks again.
            // No test sees this boundary: as above.
            if pointee.logging > 0 { logWord(of: node, at: storage) }
            storage.pointee = new
            // No test sees this always hold: it only saves a reference.
            // No test sees this never hold: only a sanitizer sees that the graph may be freed.
            if node.pointee.flags.contains(.independent) {
                retain()
                noteChangeAndLeave(of: node)
                release()
            } else {
                noteChangeAndLeave(of: node)
            }
        }
    }

    @inline(never)
    private func logWord(of node: NodePointer, at storage: UnsafePointer<UInt64>) {
        guard readyLog(for: node) else { return }
        // No test sees this never hold: it only saves entries.
        if isLogged(node) {
            noteRewrite(of: node)
        } else {
            // No test sees this: to destroy plain bits does nothing.
            appendLogEntry(for: node, size: 8, alignment: 8, needsDestruction: false).value
                .initializeMemory(as: UInt64.self, to: storage.pointee)
        }
    }

    /// Takes the lock for an in-place mutation. `leave` ends the mutation.
    @usableFromInline
    func beginMutation(of node: NodePointer, countsAsRead: Bool) {
        enter(for: node)
        checkWrite(to: node)
        // No test sees this always hold: outside observers follow the value of a mutation, then.
        if countsAsRead, reactive_is_tracking() { track(node) }
        node.pointee.flags.insert(.modifying)
    }

    /// Stops the program if a mutation ends on a thread other than the one that holds its lock.
    @inlinable @inline(__always)
    func checkMutationStayed(on node: NodePointer) {
        if !reactive_is_inside(self) { stopForSuspendedMutation(node) }
    }

    // MARK: - Misuse

    @usableFromInline @inline(never)
    func stopForSuspendedMutation(_ node: NodePointer) -> Never {
        fatalError(
            """
            Reactive: \(NodeName.text(of: node.pointee)) was modified in place across an `await`, and the thread \
            changed meanwhile. Mutate a local copy, and assign it after the `await`.
            """)
    }

    /// Reports a write inside a computed. Returns true, so that an `assert` can call it, which release builds omit.
    @usableFromInline @inline(never)
    func reportWriteInDerivation(to node: NodePointer) -> Bool {
        let active = reactive_current().pointee.tracking.pointee.node
        guard reactive_is_tracking(),
            !active.pointee.flags.isDisjoint(with: [.derivation, .parted])
        else { return true }
        Diagnostics.report(
            .init(
                kind: .writeInComputed,
                message: """
                    \(NodeName.text(of: node.pointee)) is written inside computed \
                    \(NodeName.text(of: active.pointee)). Computeds should not write state. Move the write to a \
                    reaction.
                    """,
                site: NodeName.site(of: active.pointee)), in: self)
        return true
    }
}
