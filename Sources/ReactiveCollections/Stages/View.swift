// The node of a view: a derivation whose value is the state that its operator keeps.
//
// An evaluation reads the log of the stage above. It removes the old state of the changed rows, then inserts their new
// state. The state of a view is a value that is cheap to copy. So the first evaluation in a transaction keeps the old
// state as a whole. A roll-back restores exactly that state without running a closure.

import Reactive

/// The state of a view that is common to all operators. Guarded by the graph's lock.
@_fixed_layout
@usableFromInline
class AnyView: _PartedDerivation {
    @usableFromInline final let log = LogBox()
    /// The order of the view's rows, if the view defines it.
    @usableFromInline final let own: OwnOrdering?
    /// The cursor in the log of the stage above; `nil` before the first evaluation.
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var cursor: Int?
    /// The parts of the rows whose closure reads observables.
    @exclusivity(unchecked) @usableFromInline final var parts = Chunked<_DerivationPart?>()
    /// Whether the evaluation in progress has changed something.
    @exclusivity(unchecked) @usableFromInline final var hasChanged = false
    /// The actor that must evaluate the view, because closures of the view or of a view above belong to it.
    @exclusivity(unchecked) final var isolation: ClosureIsolation?
    /// The reactions and clean-ups that the closures of rows have created.
    @exclusivity(unchecked) @usableFromInline final var belongings = Chunked<ElementBelongings?>()

    @usableFromInline
    init(
        beside other: _Node, own: OwnOrdering?, named name: String?, fileID: StaticString, line: UInt,
        update: @escaping (_PartedDerivation) -> Bool
    ) {
        self.own = own
        isolation = ((other as? GroupStage)?.view ?? other as? AnyView)?.isolation
        super.init(beside: other, named: name, fileID: fileID, line: line, update: update)
    }

    #if DEBUG
    public final override func brokenInvariants() -> [String] { brokenInvariantsOfState() }
    #endif

    // MARK: - Following

    /// The rows whose closures have read a changed observable.
    ///
    /// - Parameter changes: Rows that are examined in any case. The dependencies of their closures are not evaluated:
    ///   an element that has left may read the view itself by now.
    @usableFromInline
    final func takeFlippedRows(besides changes: RowChanges = RowChanges()) -> ContiguousArray<RowChange> {
        var rows: ContiguousArray<RowChange> = []
        for row in takeDueRows() {
            guard let part = part(of: row), !changes.renews(row) else { continue }
            if hasChanged(part) { rows.append(RowChange(row, .flipped)) }
        }
        return rows
    }

    /// Returns the rows that changed since the last evaluation; `nil` if the state must be rebuilt. Moves the cursor.
    @usableFromInline
    final func takeChanges(of upstream: LogBox) -> RowChanges? {
        guard let cursor, let changes = upstream.log.changes(since: cursor) else { return nil }
        self.cursor = upstream.log.end
        // No test sees this never hold: no row is due then.
        if partCount == 0 { return changes }
        // The usual case, without an allocation.
        // No test sees this never hold: the row is found below, too.
        if changes.isNothing, let row = onlyDueRow {
            guard let part = part(of: row), hasChanged(part) else { return changes }
            return RowChanges(RowChange(row, .flipped))
        }
        let flipped = takeFlippedRows(besides: changes)
        // No test sees this never hold: adding no rows has no effect.
        return flipped.isEmpty ? changes : changes.adding(flipped)
    }

    /// Clears the view, because the state is rebuilt, and moves the cursor to the end.
    @usableFromInline
    final func beginFollowing(_ upstream: LogBox) {
        upstream.isFollowed = true
        cursor = upstream.log.end
        forgetRows()
        hasChanged = true
        log.noteAll()
    }

    /// Notes that a row of the view has changed.
    @inlinable @inline(__always)
    final func note(_ row: Row, _ reasons: RowChange.Reasons, count: Int) {
        hasChanged = true
        log.note(row, reasons, count: count)
    }

    /// Notes that all rows of the view may have moved.
    @usableFromInline
    final func noteReordered() {
        hasChanged = true
        log.noteReordered()
    }

    /// Sorts the rows in the order by the order of the stage above.
    @usableFromInline
    final func reorder(_ own: OwnOrdering, like ordering: Ordering) {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(own.rows.count)
        ordering.forEach { row in
            if own.rows.contains(row) { rows.append(row) }
            return true
        }
        own.rows = RowOrder(rows)
        noteReordered()
    }

    // MARK: - Parts

    @inlinable @inline(__always)
    final func part(of row: Row) -> _DerivationPart? {
        Int(row) < parts.count ? parts[Int(row)] : nil
    }

    @usableFromInline
    final func setPart(_ part: _DerivationPart?, of row: Row) {
        while parts.count <= Int(row) { parts.append(nil) }
        parts[Int(row)] = part
    }

    /// Runs the closure of an element. From now on, the element depends on the observables that this run reads.
    @inlinable @inline(__always)
    final func evaluate<Result>(_ row: Row, _ body: () -> Result) -> Result {
        let before = part(of: row)
        let (result, after) = run(row: row, part: before, body)
        // No test sees this always hold: the row would get the part that it has.
        if before !== after { setPart(after, of: row) }
        return result
    }

    /// Does what `evaluate` does for a row that has no part, because the state is being built.
    @inlinable @inline(__always)
    final func evaluateFirst<Result>(_ row: Row, _ body: () -> Result) -> Result {
        let (result, part) = run(row: row, part: nil, body)
        if let part { setPart(part, of: row) }
        return result
    }

    /// Does what `evaluateOwning` does for a row that has no part, because the state is being built. Called inside
    /// `owningElements(_:)`.
    @inlinable @inline(__always)
    final func evaluateFirstOwning<Result>(_ row: Row, _ body: () -> Result) -> Result {
        let result = evaluateFirst(row, body)
        if let created = takeBelongings() { setBelongings(created, of: row) }
        return result
    }

    /// Does what `evaluate` does. Reactions that the closure creates end when the row leaves or the closure runs again
    /// for it.
    @inlinable @inline(__always)
    final func evaluateOwning<Result>(_ row: Row, _ body: () -> Result) -> Result {
        let before = part(of: row)
        let (result, after, created) = runOwning(row: row, part: before, body)
        // No test sees this always hold: the row would get the part that it has.
        if before !== after { setPart(after, of: row) }
        // No test sees this always hold: there is nothing to end.
        // No test sees this boundary: as above.
        if created != nil || Int(row) < belongings.count { setBelongings(created, of: row) }
        return result
    }

    @usableFromInline
    final func setBelongings(_ created: ElementBelongings?, of row: Row) {
        while belongings.count <= Int(row) { belongings.append(nil) }
        // No test sees this never hold: an object that is released under the lock ends its reactions later, too.
        if let old = belongings[Int(row)] {
            // No test sees this left out: as above.
            release(objectLater: old)
            endDroppedElementsFirst()
        }
        belongings[Int(row)] = created
    }

    /// Removes the dependencies of a row's closure, and ends the reactions that it has created.
    @inlinable @inline(__always)
    final func forget(_ row: Row) {
        // No test sees this always hold: there is no part to remove.
        if part(of: row) != nil { setPart(nil, of: row) }
        // No test sees this always hold: there is nothing to end.
        // No test sees this boundary: as above.
        if Int(row) < belongings.count { setBelongings(nil, of: row) }
    }

    /// Removes all rows, because the state is rebuilt.
    @usableFromInline
    final func forgetRows() {
        parts = Chunked()
        // No test sees this always hold: there is nothing to end.
        // No test sees this boundary: as above.
        if belongings.count > 0 { endDroppedElementsFirst() }
        // No test sees this left out: objects that are released under the lock end their reactions later, too.
        discard(belongings)
        belongings = Chunked()
    }

    /// Keeps a value that leaves the state until the graph is unlocked: its deinitialiser may run any code.
    @inlinable @inline(__always)
    final func discard<Value>(_ value: consuming Value) {
        // No test sees this always hold: nothing happens when a value without references is released.
        if !_isPOD(Value.self) { release(later: value) }
    }

    // MARK: - Actors

    override public final func hopToActor() -> Hop? {
        guard let isolation, let actor = isolation.strong(), !Isolation.isCurrent(actor) else { return nil }
        return { arrive in isolation.run(arrive) }
    }

    override public final func stopForEvaluationElsewhere() -> Never {
        guard let isolation else {
            preconditionFailure("internal inconsistency: a view without an actor failed its isolation check")
        }
        Isolation.stopForEvaluation(of: "computed \(displayName)", belongingTo: isolation)
    }

    @usableFromInline
    final func reportEndlessWrites() {
        Hosting.report(
            .loop,
            """
            A view updates in a loop: each time its closures run, they write state that the view depends on. It \
            updates again after the next change. Move the writes to a reaction.
            """, site: "view")
    }
}

/// A view with the state of its operator.
@_fixed_layout
@usableFromInline
final class View<State>: AnyView {
    @exclusivity(unchecked) @usableFromInline final var state: State
    @usableFromInline final let freeing = FreeingMark()

    /// - Parameters:
    ///   - other: A node of the graph that the view belongs to.
    ///   - hasOwnOrder: Whether the view defines the order of its rows.
    ///   - own: The order, if it is not a plain `OwnOrdering`.
    ///   - state: The state before the first evaluation.
    ///   - follow: Updates the state.
    @inlinable
    init(
        beside other: _Node, hasOwnOrder: Bool, own: OwnOrdering? = nil, named name: String?, fileID: StaticString,
        line: UInt, state: State, follow: @escaping (View<State>) -> Void
    ) {
        self.state = state
        super.init(
            // No test sees this always hold: an order that the view does not use stays empty.
            beside: other, own: own ?? (hasOwnOrder ? OwnOrdering() : nil), named: name, fileID: fileID, line: line
        ) {
            let view = unsafeDowncast($0, to: View<State>.self)
            view.logState(Kept(view))
            view.hasChanged = false
            follow(view)
            return view.hasChanged
        }
    }

    @inlinable
    deinit {
        // A chain of views is freed without recursion. Parts are freed only where their graph can be locked.
        if FreeingMark.begin() || mustFreeLater { FreeingMark.postpone((Kept(self), evaluate)) }
    }

    /// Updates the state from a stage until there is nothing left to read, because closures may write.
    ///
    /// - Parameters:
    ///   - stage: The stage above, and its log.
    ///   - build: Builds the state from all rows.
    ///   - update: Updates the state for the changed rows. If they are reordered, the order of all rows may have
    ///     changed; the state of the other rows is still valid.
    @inlinable @inline(__always)
    final func follow(_ stage: StageNode, _ upstream: LogBox, build: () -> Void, update: (RowChanges) -> Void) {
        for _ in 0..<100 {
            stage.refresh()
            let before = epoch
            if let changes = takeChanges(of: upstream) {
                // No test sees this never hold: an update without changes has no effect.
                if changes.isNothing { return }
                evaluateElements { update(changes) }
            } else {
                beginFollowing(upstream)
                evaluateElements(build)
            }
            // If the closures have written nothing, there is nothing new to read.
            // No test sees this never hold: the next round reads nothing, and ends.
            if epoch == before { return }
        }
        reportEndlessWrites()
    }

    // MARK: - The transaction log

    /// The state of a view that a roll-back restores.
    @frozen @usableFromInline
    struct Kept {
        @usableFromInline var state: State
        @usableFromInline var cursor: Int?
        @usableFromInline var parts: Chunked<_DerivationPart?>
        @usableFromInline var belongings: Chunked<ElementBelongings?>
        @usableFromInline var log: RowLog
        @usableFromInline var rows: RowOrder?

        @inlinable
        init(_ view: View) {
            state = view.state
            cursor = view.cursor
            parts = view.parts
            belongings = view.belongings
            log = view.log.log
            rows = view.own?.rows
        }
    }

    override public func exchangeState(withLogged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self)
        swap(&state, &kept.pointee.state)
        swap(&cursor, &kept.pointee.cursor)
        swap(&parts, &kept.pointee.parts)
        swap(&belongings, &kept.pointee.belongings)
        swap(&log.log, &kept.pointee.log)
        if let own, let rows = kept.pointee.rows {
            // No test sees this left out: the logged order is discarded next.
            kept.pointee.rows = own.rows
            own.rows = rows
        }
    }

    /// Makes the next evaluation rebuild the state.
    override public func forgetState() { cursor = nil }

    override public func discardState(logged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self).move()
        // No test sees this always hold: there is nothing to end.
        // No test sees this boundary: as above.
        if kept.belongings.count > 0 { endDroppedElementsFirst() }
        release(later: kept)
    }
}
