// What a transaction may have to undo.
//
// The first write to a source in a transaction appends an entry with the value that it replaced, and how long that value had stood.
// An evaluation in a transaction that has written appends one too, with the replaced value if it changed: what a derivation computed
// from values that are rolled back must not survive them. Entries lie in chunks that never move, so a value of any type can be
// stored in place.
//
//     roll back   from the last entry to the level's first: put values and epochs back. What was evaluated must be again, unless it
//                 read the same sources as ever, so that its earlier value fits to them. What was downstream is marked anew, so
//                 that everybody checks; as nothing changed, nobody runs.
//     commit      a source that was written again and ended up equal to its first entry counts as untouched: its epoch is put
//                 back, so that everybody who checks finds nothing. Whoever saw a value in between becomes stale.
//
// Without a second write there is nothing to compare, and commit only empties the log. A body that cannot throw starts no level;
// then an in-place mutation of a value that would have to be copied is not logged, and simply counts as a change.
//
// Runs of reactions and effects are transactions too, as far as committing goes: what they write back counts as untouched. A run holds
// the lock. An effect does not, so its log stays open while the lock is free, and belongs to its thread (`log_owner`). Another thread
// must not evaluate anything meanwhile that would have to be logged there, nor write what is logged, nor need the log itself: if it does,
// it discards the entries first (`claimLog`). Then what the effect has written up to there has changed, which costs runs and nothing else.
// The same happens when an effect has written very much: one that never ends, such as an event loop, must not keep all of it.

import CReactive

private let entriesPerChunk: UInt32 = 16
/// How many entries the log of an effect may have.
private let longestEffectLog: UInt32 = 4096

@usableFromInline typealias LogEntryPointer = UnsafeMutablePointer<LogEntry>

extension UnsafeMutablePointer where Pointee == LogEntry {
    /// Where the earlier value is stored.
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
        pointee.logging += 1
    }

    @inlinable @inline(__always)
    func commitTransaction() {
        pointee.logging -= 1
        if pointee.log_count > 0 { endLog() }
        leave()
    }

    /// Begins a transaction that can be rolled back; returns the enclosing one's first entry.
    @usableFromInline
    func beginRevertibleTransaction() -> UInt32 {
        beginTransaction()
        if pointee.log_count > 0 { claimLog() }
        pointee.rollback_depth += 1
        defer { pointee.level_start = pointee.log_count }
        return pointee.level_start
    }

    @usableFromInline
    func commitRevertibleTransaction(outerLevel: UInt32) {
        pointee.rollback_depth -= 1
        pointee.level_start = outerLevel
        commitTransaction()
    }

    @usableFromInline
    func rollBackTransaction(outerLevel: UInt32) {
        rollBack(to: pointee.level_start)
        updateRoutersInEvaluation()
        commitRevertibleTransaction(outerLevel: outerLevel)
    }

    // MARK: - Whose log it is

    /// Whether the current code is in a transaction, or in a run of a reaction.
    private var isInTransaction: Bool { pointee.logging % REACTIVE_LOGGING_ABSENCE > 0 }

    /// Whether the log, if it has entries, is this thread's. (As numbers: comparing optional pointers takes three times as many instructions.)
    @inline(__always)
    private var isLogOfThisThread: Bool { UInt(bitPattern: pointee.log_owner) == UInt(bitPattern: reactive_current()) }

    /// Gets the log ready for a write. Returns false if the write need not be logged.
    @inline(__always)
    func readyLog(for node: NodePointer) -> Bool {
        if isInTransaction, isLogOfThisThread { return true }
        return prepareLog(for: node)
    }

    /// Gets the log ready for a write. Returns false if the write need not be logged.
    @usableFromInline @inline(never)
    func prepareLog(for node: NodePointer) -> Bool {
        if isInTransaction || (node.pointee.observers != nil && absenceOfThisThread != nil) {
            claimLog()
            pointee.log_owner = reactive_current()
            if pointee.log_count >= longestEffectLog, !isInTransaction { discardLog() }
            return true
        }
        // Some thread's effect has written it.
        if node.pointee.log_index != 0 { claimLog() }
        return false
    }

    /// Discards the entries of another thread.
    @usableFromInline @inline(never)
    func claimLog() {
        if pointee.log_count > 0, !isLogOfThisThread { discardLog() }
    }

    /// Ends a transaction, or an effect: closes the log if there is none around it.
    @usableFromInline @inline(never)
    func endLog() {
        guard !isInTransaction else { return }
        // Where no thread is absent, there is no other thread's log.
        guard pointee.absences == nil || (isLogOfThisThread && absenceOfThisThread == nil) else { return }
        closeLog()
        updateRoutersInEvaluation()
    }

    /// Ends the run of a reaction, which is logged itself if there is a transaction or effect around it.
    @inline(never)
    func endLog(ofRun reaction: ObserverPointer) {
        endLog()
        if pointee.log_count > 0 { logRun(of: reaction) }
    }

    // MARK: - Entries

    /// Whether this level has an entry for the node.
    @inlinable @inline(__always)
    func isLogged(_ node: NodePointer) -> Bool { node.pointee.log_index > pointee.level_start }

    /// Notes that a logged node was written again.
    @usableFromInline
    func noteRewrite(of node: NodePointer) {
        logEntry(node.pointee.log_index - 1).pointee.was_rewritten = true
        pointee.log_has_rewrites = true
    }

    /// A new entry for a source or derivation that is not logged on this level. The caller initialises `value`, if it asked for room.
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

    /// Where to put the value that a derivation replaces, or `nil` if this level has an earlier one already.
    ///
    /// An evaluation that changed nothing has left an entry without a value; the first one that does change something fills it.
    @usableFromInline
    func roomForReplacedValue(
        of node: NodePointer, size: Int, alignment: Int, needsDestruction: Bool
    ) -> UnsafeMutableRawPointer? {
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
        if size > 16 || alignment > 16 {
            entry.pointee.large = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
        }
    }

    /// Notes that a reaction, or a part of one, has run in a transaction that has written, and of a reaction how often it has.
    func logRun(of reaction: ObserverPointer) {
        appendEntry(for: reaction.asNode).pointee.run_count = reaction.pointee.node.run_count
    }

    /// Notes that a derivation was evaluated in a transaction that has written, and the state it was in before. (If its value
    /// changed, that is in an entry already.)
    // One copy of the code: each place that evaluates would have it, and needs it in a transaction that has written alone.
    @inline(never)
    func logEvaluation(of derivation: ObserverPointer, wasStale: Bool, validatedAt: UInt64) {
        let node = derivation.asNode
        let entry =
            isLogged(node)
            ? logEntry(node.pointee.log_index - 1)
            : appendLogEntry(for: node, size: 0, alignment: 1, needsDestruction: false)
        if entry.pointee.validated_at == .max { entry.pointee.validated_at = validatedAt }
        if wasStale || derivation.flags.contains(.relinked) { entry.pointee.needs_evaluation = true }
    }

    private func appendEntry(for node: NodePointer) -> LogEntryPointer {
        let index = pointee.log_count
        if Int(index / entriesPerChunk) == pointee.log_chunks.count {
            pointee.log_chunks.push(LogEntryPointer.allocate(capacity: Int(entriesPerChunk)))
        }
        pointee.log_count += 1
        let entry = logEntry(index)
        // Not the value: that place is initialised by whoever has one.
        entry.pointee.node = node
        entry.pointee.changed_at = 0
        entry.pointee.validated_at = .max
        entry.pointee.large = nil
        entry.pointee.previous = 0
        entry.pointee.has_value = false
        entry.pointee.needs_destruction = false
        entry.pointee.was_rewritten = false
        entry.pointee.needs_evaluation = false
        return entry
    }

    /// Frees the memory of the log. Precondition: it is empty.
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

    /// Empties the entries of a node that is being freed.
    func forgetLogEntries(of node: NodePointer) {
        var index = node.pointee.log_index
        while index != 0 {
            let entry = logEntry(index - 1)
            discardValue(of: entry)
            entry.pointee.node = nil
            index = entry.pointee.previous
        }
        node.pointee.log_index = 0
    }

    /// Takes an entry's value out, to be destroyed once the graph is unlocked.
    private func discardValue(of entry: LogEntryPointer) {
        guard entry.pointee.has_value else { return }
        if entry.pointee.needs_destruction, let node = entry.pointee.node {
            node.object._withUnsafeGuaranteedRef { $0.discardValue(logged: entry.value) }
        }
        entry.pointee.needs_destruction = false
        entry.pointee.has_value = false
        entry.pointee.large?.deallocate()
        entry.pointee.large = nil
    }

    // MARK: - The end

    @inline(__always)
    private func closeLog() {
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
        pointee.log_has_rewrites = false
    }

    /// Makes sources that ended up equal to what they were count as untouched.
    private func undoFutileWrites() {
        // Who has read a key in between is to be marked.
        if pointee.due.work.contains(.routers) { updateRouters() }
        let first = (0..<pointee.log_count).map { logEntry($0) }.filter { $0.pointee.previous == 0 }
        let untouched = first.filter { entry in
            guard let node = entry.pointee.node, entry.pointee.has_value,
                node.pointee.flags.isDisjoint(with: [.observers, .routed]),
                logEntry(node.pointee.log_index - 1).pointee.was_rewritten,
                node.pointee.changed_at != entry.pointee.changed_at
            else { return false }
            return node.object._withUnsafeGuaranteedRef { $0.equalsValue(logged: entry.value) }
        }
        guard !untouched.isEmpty else { return }
        // Before the epochs go back: what was evaluated in between must look again, and is compared with what it was before.
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
        // Their views were reverted, and will change them again if they have to.
        for entry in first {
            if let node = entry.pointee.node, node.pointee.flags.contains(.routed) { retractChange(of: node) }
        }
        pointee.epoch += 1
    }

    private func rollBack(to start: UInt32) {
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

    /// Puts a node back to what an entry says. An observer that was evaluated has to look at its sources again.
    private func revert(_ entry: LogEntryPointer, of node: NodePointer, isRollBack: Bool) {
        if node.pointee.flags.contains(.part) {
            node.pointee.flags.insert(.stale)
            Callbacks.notify(node.asObserver)
            return
        }
        if node.pointee.flags.contains(.reaction) {
            node.pointee.flags.insert(.stale)
            if isRollBack, entry.pointee.run_count == 1 {
                // It was made here: its first value never was.
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
            node.pointee.flags.insert(.stale)
        }
        if node.pointee.flags.contains(.derivation) {
            node.asObserver.pointee.validated_at = entry.pointee.validated_at
            if entry.pointee.needs_evaluation {
                node.pointee.flags.insert(.stale)
            } else if node.pointee.flags.contains(.live) {
                node.pointee.flags = node.pointee.flags.subtracting(.sourceChanged).union(.maybeStale)
            }
            markObservers(of: node, areOutdated: false)
        }
    }
}
