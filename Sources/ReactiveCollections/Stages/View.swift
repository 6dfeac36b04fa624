// The node of a view: a derivation whose value is the state that its operator keeps.
//
// An evaluation follows the log of the stage above: it takes out what the view holds for the rows that changed, then
// puts in what these rows are now. The state of a view is a value, of which copies are cheap. So the first evaluation
// in a transaction keeps the old state as a whole, and a roll-back restores exactly that: no closure runs again for it.

import Reactive

/// The state of a view besides what its operator keeps. Guarded by the graph's lock.
@_fixed_layout
@usableFromInline
class AnyView: _PartedDerivation {
    @usableFromInline final let log = LogBox()
    /// The order of the view's rows, if that is its own.
    @usableFromInline final let own: OwnOrdering?
    /// Up to where the log of the stage above has been read; `nil` before the first evaluation.
    // Unchecked here and below: the graph's lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var cursor: Int?
    /// The parts of the rows whose closure reads observables.
    @exclusivity(unchecked) @usableFromInline final var parts = Chunked<_DerivationPart?>()
    /// Whether the evaluation in progress has changed something.
    @exclusivity(unchecked) @usableFromInline final var hasChanged = false
    /// The graph's epoch when the parts were last looked at while nobody observed the view.
    @exclusivity(unchecked) private final var checkedAt: UInt64 = 0

    @usableFromInline
    init(
        beside other: _Node, hasOwnOrder: Bool, named name: String?, fileID: StaticString, line: UInt,
        evaluate: @escaping (_Derivation) -> Bool
    ) {
        own = hasOwnOrder ? OwnOrdering() : nil
        super.init(beside: other, named: name, fileID: fileID, line: line, evaluate: evaluate)
    }

    // MARK: - Following

    /// The rows of which a closure has read something that changed.
    @usableFromInline
    final func takeFlippedRows() -> ContiguousArray<RowChange> {
        guard partCount > 0 else { return [] }
        var rows: ContiguousArray<RowChange> = []
        if isLive {
            for row in takeCollected() {
                if let part = part(of: row), partHasChanged(part) { rows.append(RowChange(row, .flipped)) }
            }
        } else if checkedAt != epoch {
            checkedAt = epoch
            forEachPart { part in
                if self.part(of: part.row) === part, partHasChanged(part) {
                    rows.append(RowChange(part.row, .flipped))
                }
            }
        }
        return rows
    }

    /// The rows that changed since the last evaluation; `nil` if the state must be built anew. Moves the cursor.
    @usableFromInline
    final func takeChanges(of upstream: LogBox) -> RowChanges? {
        guard let cursor, let changes = upstream.log.changes(since: cursor) else { return nil }
        self.cursor = upstream.log.end
        let flipped = takeFlippedRows()
        return flipped.isEmpty ? changes : changes.adding(flipped)
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

    /// Runs the closure of an element: what it reads is what the element depends on from now on.
    @inlinable @inline(__always)
    final func evaluate<Result>(_ row: Row, _ body: () -> Result) -> Result {
        let before = part(of: row)
        let (result, after) = evaluate(row: row, part: before, body)
        if before !== after { setPart(after, of: row) }
        return result
    }

    /// Forgets what a row's closure has read.
    @inlinable @inline(__always)
    final func dropPart(of row: Row) {
        if part(of: row) != nil { setPart(nil, of: row) }
    }

    /// Forgets all parts, because the state is built anew.
    @usableFromInline
    final func dropParts() { parts = Chunked() }
}

/// A view with the state of its operator.
@_fixed_layout
@usableFromInline
final class View<State>: AnyView {
    @exclusivity(unchecked) @usableFromInline final var state: State

    /// - Parameters:
    ///   - other: A node of the graph that the view belongs to.
    ///   - state: The state before the first evaluation.
    ///   - follow: Brings the state up to date.
    @inlinable
    init(
        beside other: _Node, hasOwnOrder: Bool, named name: String?, fileID: StaticString, line: UInt, state: State,
        follow: @escaping (View<State>) -> Void
    ) {
        self.state = state
        super.init(beside: other, hasOwnOrder: hasOwnOrder, named: name, fileID: fileID, line: line) {
            let view = unsafeDowncast($0, to: View<State>.self)
            view.keepStateForRollBack()
            view.hasChanged = false
            follow(view)
            view.endEvaluation()
            return view.hasChanged
        }
    }

    /// Follows a stage until there is nothing left to read: closures may write.
    ///
    /// - Parameters:
    ///   - stage: The stage above, and its log.
    ///   - build: Builds the state from all rows.
    ///   - update: Brings the state up to date for rows that changed. If they are reordered, the order of all rows is
    ///     another one, and what the state holds for the others is right.
    @inlinable @inline(__always)
    final func follow(_ stage: StageNode, _ upstream: LogBox, build: () -> Void, update: (RowChanges) -> Void) {
        for _ in 0..<100 {
            stage.refresh()
            if let changes = takeChanges(of: upstream) {
                if changes.isNothing { return }
                update(changes)
            } else {
                upstream.isFollowed = true
                cursor = upstream.log.end
                dropParts()
                hasChanged = true
                log.noteAll()
                build()
            }
        }
        reportEndlessWrites()
    }

    // MARK: - The transaction log

    /// The state of a view as a roll-back restores it.
    @frozen @usableFromInline
    struct Kept {
        @usableFromInline var state: State
        @usableFromInline var cursor: Int?
        @usableFromInline var parts: Chunked<_DerivationPart?>
        @usableFromInline var log: RowLog
        @usableFromInline var rows: RowOrder?
    }

    @usableFromInline
    final func keepStateForRollBack() {
        guard hasWrittenTransaction else { return }
        logState(Kept(state: state, cursor: cursor, parts: parts, log: log.log, rows: own?.rows))
    }

    @usableFromInline
    final override func exchangeState(withLogged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self)
        swap(&state, &kept.pointee.state)
        swap(&cursor, &kept.pointee.cursor)
        swap(&parts, &kept.pointee.parts)
        swap(&log.log, &kept.pointee.log)
        if let own, let rows = kept.pointee.rows {
            kept.pointee.rows = own.rows
            own.rows = rows
        }
    }

    @usableFromInline
    final override func discardState(logged kept: UnsafeMutableRawPointer) {
        DeferredReleases.add(kept.assumingMemoryBound(to: Kept.self).move())
    }
}
