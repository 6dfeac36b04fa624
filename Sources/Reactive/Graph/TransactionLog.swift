// The transaction log: the changes that a transaction may have to undo.
//
// The first write to a source in a transaction appends an entry with the replaced value and the epoch of that value. An
// evaluation in a transaction that has written appends an entry too, with the replaced value if it changed: results
// that a derivation computed from values that are rolled back must be rolled back with them. Entries are in chunks that
// never move, so a value of any type can be stored in place.
//
//     roll back   from the last entry to the level's first: restore values and epochs. Evaluated nodes must be
//                 evaluated again, unless they read the same sources as before, so that the earlier value is valid.
//                 Everything downstream is marked anew, so that all observers check; as nothing changed, none runs.
//     commit      a source that was written again and ended up equal to its first entry counts as untouched: its
//                 epoch is restored, so that an observer that checks finds no change. An observer that saw a value
//                 in between becomes stale.
//
// Without a second write there is nothing to compare, and commit only empties the log. A body that cannot throw starts
// no level. Then an in-place mutation of a value that would have to be copied is not logged, and simply counts as a
// change.
//
// Runs of reactions and effects commit like transactions: a value that they write back counts as untouched. A run holds
// the lock. An effect does not, so its log stays open while the lock is free, and belongs to its thread (`log_owner`).
// Meanwhile, another thread must not evaluate anything that would be logged there, nor write a logged source, nor use
// the log itself. If it needs to, it first discards the entries (`claimLog`). Then everything that the effect has
// written so far counts as changed, which costs runs and nothing else. The same happens when an effect has written very
// often: an effect that never ends, such as an event loop, must not keep all entries.

import CReactive

private let entriesPerChunk: UInt32 = 16
/// The maximum number of entries in the log of an effect.
private let longestEffectLog: UInt32 = 4096

@usableFromInline typealias LogEntryPointer = UnsafeMutablePointer<LogEntry>

extension UnsafeMutablePointer where Pointee == LogEntry {
    /// The address of the earlier value.
    @usableFromInline
    var value: UnsafeMutableRawPointer {
        pointee.large
            ?? UnsafeMutableRawPointer(self) + MemoryLayout<LogEntry>.offset(of: \.small).unsafelyUnwrapped
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    // MARK: - Levels

    /// Begins a transaction that cannot fail.
    @inlinable @inline(__always)
    func beginTransaction() {
        enter()
        pointee.logging &+= 1
    }

    @inlinable @inline(__always)
    func commitTransaction() {
        pointee.logging &-= 1
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.attention > 0 {
            // No test sees this always hold: the other way is only shorter.
            if isRecorded { attendToCommit() } else { endLog() }
        }
        leave()
    }

    /// Ends a transaction while events are recorded.
    @usableFromInline @inline(never)
    func attendToCommit() { attendToEnd(ofTransaction: .commit) }

    @inline(never)
    private func attendToEnd(ofTransaction end: Occurrence) {
        // No test sees this always hold: it only saves a call.
        if isRecorded { record(end) }
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.log_count > 0 { endLog() }
    }

    /// Begins a transaction that can be rolled back; returns the index of the enclosing transaction's first entry.
    @usableFromInline
    func beginRevertibleTransaction() -> UInt32 {
        beginTransaction()
        claimLog()
        pointee.rollback_depth += 1
        defer { pointee.level_start = pointee.log_count }
        return pointee.level_start
    }

    @usableFromInline
    func commitRevertibleTransaction(outerLevel: UInt32) {
        endRevertibleTransaction(.commit, outerLevel: outerLevel)
    }

    @usableFromInline
    func rollBackTransaction(outerLevel: UInt32) {
        rollBack(to: pointee.level_start)
        endRevertibleTransaction(.rollBack, outerLevel: outerLevel)
    }

    private func endRevertibleTransaction(_ end: Occurrence, outerLevel: UInt32) {
        pointee.rollback_depth -= 1
        pointee.level_start = outerLevel
        pointee.logging &-= 1
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.attention > 0 { attendToEnd(ofTransaction: end) }
        leave()
    }

    // MARK: - The owner of the log

    /// Whether the current code is in a transaction, or in a run of a reaction.
    private var isInTransaction: Bool { pointee.logging % REACTIVE_LOGGING_ABSENCE > 0 }

    /// Whether the log, if it has entries, belongs to this thread. (As numbers: comparing optional pointers takes three
    /// times as many instructions.)
    @inline(__always)
    private var isLogOfThisThread: Bool { UInt(bitPattern: pointee.log_owner) == UInt(bitPattern: reactive_current()) }

    /// Prepares the log for a write. Returns false if the write need not be logged.
    @inline(__always)
    func readyLog(for node: NodePointer) -> Bool {
        // No test sees this never hold: it only saves a call.
        if isInTransaction, UInt(bitPattern: pointee.log_ready_for) == UInt(bitPattern: reactive_current()) {
            return true
        }
        return prepareLog(for: node)
    }

    /// Prepares the log for a write. Returns false if the write need not be logged.
    @usableFromInline @inline(never)
    func prepareLog(for node: NodePointer) -> Bool {
        // No test sees this always hold: it only saves a call.
        if isRecorded { recordWrite(of: node) }
        if isInTransaction || (node.pointee.observers != nil && absenceOfThisThread != nil) {
            claimLog()
            pointee.log_owner = reactive_current()
            // No test sees this left out: it only saves calls.
            // No test sees this always hold: as above.
            pointee.log_ready_for = isRecorded ? nil : reactive_current()
            if pointee.log_count >= longestEffectLog, !isInTransaction { discardLog() }
            return true
        }
        // The effect of another thread has written it.
        if node.pointee.log_index != 0 { claimLog() }
        return false
    }

    /// Discards the entries of another thread.
    @usableFromInline @inline(never)
    func claimLog() {
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.log_count > 0, !isLogOfThisThread { discardLog() }
    }

    /// Ends a transaction, or an effect: closes the log if there is none around it.
    @usableFromInline @inline(never)
    func endLog() {
        guard !isInTransaction else { return }
        // If no thread is absent, there is no other thread's log.
        // No test sees this never hold: the rest says the same.
        guard pointee.absences == nil || (isLogOfThisThread && absenceOfThisThread == nil) else { return }
        closeLog()
        updateRoutersInEvaluation()
    }

    /// Ends the run of a reaction while the log has entries or events are recorded.
    @inline(never)
    func attendToEnd(ofRun reaction: ObserverPointer) {
        // No test sees this always hold: it only saves a call.
        if isRecorded { record(.run(reaction)) }
        // No test sees this always hold: it only saves a call.
        // No test sees this boundary: as above.
        if pointee.log_count > 0 { endLog(ofRun: reaction) }
    }

    /// Ends the run of a reaction, which is itself logged if it is inside a transaction or effect.
    private func endLog(ofRun reaction: ObserverPointer) {
        endLog()
        if pointee.log_count > 0 { logRun(of: reaction) }
    }

    // MARK: - Entries

    /// Whether this level has an entry for the node.
    @inlinable @inline(__always)
    func isLogged(_ node: NodePointer) -> Bool { node.pointee.log_index > pointee.level_start }

    /// Records that a logged node was written again.
    @usableFromInline
    func noteRewrite(of node: NodePointer) {
        logEntry(node.pointee.log_index - 1).pointee.was_rewritten = true
        pointee.log_has_rewrites = true
    }

    /// Appends an entry for a node that is not logged on this level. The caller initialises `value`, if it requested
    /// storage.
    @usableFromInline
    func appendLogEntry(for node: NodePointer, size: Int, alignment: Int, needsDestruction: Bool) -> LogEntryPointer {
        let entry = appendEntry(for: node)
        entry.pointee.changed_at = node.pointee.changed_at
        entry.pointee.previous = node.pointee.log_index
        entry.pointee.has_value = size > 0
        entry.pointee.needs_destruction = needsDestruction
        if node.pointee.log_index != 0 {
            entry.pointee.was_rewritten = true
            pointee.log_has_rewrites = true
        }
        makeRoom(in: entry, size: size, alignment: alignment)
        node.pointee.log_index = pointee.log_count
        return entry
    }

    /// Returns the address for the value that a derivation replaces, or `nil` if this level already has an earlier one.
    ///
    /// An evaluation that changed nothing has left an entry without a value. The first one that changes something fills
    /// it.
    @usableFromInline
    func roomForReplacedValue(
        of node: NodePointer, size: Int, alignment: Int, needsDestruction: Bool
    ) -> UnsafeMutableRawPointer? {
        // No test sees this never hold: it only saves entries.
        guard isLogged(node) else {
            return appendLogEntry(for: node, size: size, alignment: alignment, needsDestruction: needsDestruction).value
        }
        let entry = logEntry(node.pointee.log_index - 1)
        guard !entry.pointee.has_value else { return nil }
        entry.pointee.has_value = true
        entry.pointee.needs_destruction = needsDestruction
        makeRoom(in: entry, size: size, alignment: alignment)
        return entry.value
    }

    private func makeRoom(in entry: LogEntryPointer, size: Int, alignment: Int) {
        // No type has an alignment that is larger than its size.
        // No test sees this always hold: it only saves an allocation.
        // No test sees this boundary: as above.
        if size > 16 {
            entry.pointee.large = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
        }
    }

    /// Records that a reaction, or a part of one, has run in a transaction that has written, with the number of runs of
    /// a reaction.
    func logRun(of reaction: ObserverPointer) {
        appendEntry(for: reaction.asNode).pointee.run_count = reaction.pointee.node.run_count
    }

    /// Records that a derivation was evaluated in a transaction that has written, and its state before. (If its value
    /// changed, an entry already has the earlier value.)
    // One copy of the code: each evaluation would contain it, and needs it only in a transaction that has written.
    @inline(never)
    func logEvaluation(of derivation: ObserverPointer, wasStale: Bool, validatedAt: UInt64) {
        let node = derivation.asNode
        let entry =
            isLogged(node)
            ? logEntry(node.pointee.log_index - 1)
            // No test sees this: an entry without a value destroys none.
            : appendLogEntry(for: node, size: 0, alignment: 1, needsDestruction: false)
        if entry.pointee.validated_at == .max { entry.pointee.validated_at = validatedAt }
        if wasStale || derivation.flags.contains(.relinked) { entry.pointee.needs_evaluation = true }
    }

    private func appendEntry(for node: NodePointer) -> LogEntryPointer {
        let index = pointee.log_count
        // No test sees this always hold: it only saves memory.
        if Int(index / entriesPerChunk) == pointee.log_chunks.count {
            pointee.log_chunks.push(LogEntryPointer.allocate(capacity: Int(entriesPerChunk)))
        }
        pointee.log_count += 1
        let entry = logEntry(index)
        // Not the value, nor what comes with one: the caller initialises it, if there is one.
        entry.pointee.node = node
        entry.pointee.validated_at = .max
        entry.pointee.large = nil
        entry.pointee.previous = 0
        // No test sees this: nothing is done with the value of a reaction.
        entry.pointee.has_value = false
        entry.pointee.was_rewritten = false
        entry.pointee.needs_evaluation = false
        return entry
    }

    /// Frees the memory of the log. Precondition: it is empty.
    // No test sees this block: only a leak checker sees memory that stays.
    func freeLog() {
        for index in 0..<pointee.log_chunks.count {
            pointee.log_chunks.elements(of: LogEntryPointer.self)[index].deallocate()
        }
        reactive_free(pointee.log_chunks.base)
    }

    func logEntry(_ index: UInt32) -> LogEntryPointer {
        let chunks = pointee.log_chunks.elements(of: LogEntryPointer.self)
        return chunks[Int(index / entriesPerChunk)] + Int(index % entriesPerChunk)
    }

    /// Clears the entries of a node that is being freed.
    func forgetLogEntries(of node: NodePointer) {
        var index = node.pointee.log_index
        while index != 0 {
            let entry = logEntry(index - 1)
            discardValue(of: entry)
            entry.pointee.node = nil
            index = entry.pointee.previous
        }
    }

    /// Removes an entry's value, to be destroyed once the graph is unlocked.
    private func discardValue(of entry: LogEntryPointer) {
        // No test sees this always hold: it only saves stores.
        guard entry.pointee.has_value else { return }
        // No test sees this always hold: it only saves an object.
        if entry.pointee.needs_destruction, let node = entry.pointee.node {
            node.object._withUnsafeGuaranteedRef { $0.discardValue(logged: entry.value) }
        }
        entry.pointee.has_value = false
        // No test sees this: only a leak checker sees memory that stays.
        entry.pointee.large?.deallocate()
    }

    // MARK: - The end

    @inline(__always)
    private func closeLog() {
        // No test sees this always hold: it only saves a walk.
        if pointee.log_has_rewrites { undoFutileWrites() }
        discardLog()
    }

    /// Empties the log.
    @inline(__always)
    private func discardLog() {
        var index: UInt32 = 0
        while index < pointee.log_count {
            let entry = logEntry(index)
            if let node = entry.pointee.node, !node.pointee.flags.contains(.reaction) { node.pointee.log_index = 0 }
            discardValue(of: entry)
            index += 1
        }
        pointee.log_count = 0
        // No test sees this: it only saves a walk.
        pointee.log_has_rewrites = false
    }

    /// Makes sources count as untouched if they ended up equal to their earlier values.
    private func undoFutileWrites() {
        // An observer that has read a key in between must be marked.
        // No test sees this always hold: the call then does nothing.
        if pointee.due.work.contains(.routers) { updateRouters() }
        let first = (0..<pointee.log_count).map { logEntry($0) }.filter { $0.pointee.previous == 0 }
        let untouched = first.filter { entry in
            guard let node = entry.pointee.node,
                node.pointee.flags.isDisjoint(with: .observers),
                logEntry(node.pointee.log_index - 1).pointee.was_rewritten,
                node.pointee.changed_at != entry.pointee.changed_at
            else { return false }
            return node.object._withUnsafeGuaranteedRef { $0.equalsValue(logged: entry.value) }
        }
        guard !untouched.isEmpty else { return }
        // Before the epochs are restored: observers that were evaluated in between must check again, and their results
        // are compared with the earlier ones.
        for index in (0..<pointee.log_count).reversed() {
            let entry = logEntry(index)
            guard let node = entry.pointee.node else { continue }
            let flags = node.pointee.flags
            if !flags.isDisjoint(with: [.derivation, .routed])
                || (!flags.isDisjoint(with: [.reaction, .part]) && !reactive_is_current(node))
            {
                revert(entry, of: node, isRollBack: false)
            }
        }
        for entry in untouched {
            guard let node = entry.pointee.node else { continue }
            node.pointee.changed_at = entry.pointee.changed_at
            retractChange(of: node)
        }
        // Their views were reverted, and will change them again if necessary.
        for entry in first {
            if let node = entry.pointee.node, node.pointee.flags.contains(.routed) { retractChange(of: node) }
        }
        pointee.epoch += 1
    }

    private func rollBack(to start: UInt32) {
        // No test sees this always hold: it only saves observers a check.
        // No test sees this boundary: as above.
        guard pointee.log_count > start else { return }
        var index = pointee.log_count
        while index > start {
            index -= 1
            let entry = logEntry(index)
            guard let node = entry.pointee.node else { continue }
            revert(entry, of: node, isRollBack: true)
        }
        index = pointee.log_count
        while index > start {
            index -= 1
            let entry = logEntry(index)
            if let node = entry.pointee.node {
                if node.pointee.flags.isDisjoint(with: .observers) { markObservers(of: node, areOutdated: false) }
                if !node.pointee.flags.contains(.reaction) { node.pointee.log_index = entry.pointee.previous }
            }
            discardValue(of: entry)
        }
        pointee.log_count = start
        pointee.epoch += 1
    }

    /// Restores a node from an entry. An observer that was evaluated must check its sources again.
    private func revert(_ entry: LogEntryPointer, of node: NodePointer, isRollBack: Bool) {
        if node.pointee.flags.contains(.part) {
            node.pointee.flags.insert(.stale)
            Callbacks.notify(node.asObserver)
            return
        }
        if node.pointee.flags.contains(.reaction) {
            node.pointee.flags.insert(.stale)
            if isRollBack, entry.pointee.run_count == 1 {
                // It was created in the transaction, so its first value never existed.
                Callbacks.firstRunWasRolledBack(of: node.asObserver)
            }
            makeDue(node.asObserver)
            return
        }
        if entry.pointee.has_value {
            node.object._withUnsafeGuaranteedRef { $0.exchangeValue(withLogged: entry.value) }
            node.pointee.changed_at = entry.pointee.changed_at
        } else if node.pointee.flags.contains(.parted) {
            // It was being evaluated when the first write was logged.
            node.object._withUnsafeGuaranteedRef { unsafeDowncast($0, to: _PartedDerivation.self).forgetState() }
            // No test sees this left out: for the same reason as then, it must be evaluated again.
            node.pointee.flags.insert(.stale)
        }
        if node.pointee.flags.contains(.derivation) {
            node.asObserver.pointee.validated_at = entry.pointee.validated_at
            if entry.pointee.needs_evaluation {
                node.pointee.flags.insert(.stale)
                // No test sees this always hold: one that is not live is checked in any case.
            } else if node.pointee.flags.contains(.live) {
                node.pointee.flags.insert(.maybeStale)
            }
            markObservers(of: node, areOutdated: false)
        }
    }
}
