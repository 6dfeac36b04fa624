// The elements of all live arrays that a closure returns. The view follows each of them by its own log.
//
//     outer ── map ──▶ LiveArray<LiveArray> ── flattened ──▶ LiveArray
//
// A tracked closure of the outer row reads its inner stage. So a change of the inner stage flips that row, and only the
// inner stages that changed are examined.

import Reactive

extension LiveArray {
    /// Returns a view of the elements of all live arrays that a closure returns, one after the other.
    ///
    /// ```swift
    /// let tasks = projects.live.flatMap { $0.tasks.live.filter { !$0.isDone } }
    /// ```
    ///
    /// The view follows the arrays: a change of one of them does not run the closure again.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked. Runs once for each element that is inserted or
    ///     changes, and again when an observable that it has read changes. The view keeps the array while the element
    ///     stays.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> LiveArray<Inner>
    ) -> LiveArray<Inner> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: { $0.hasSameStage(as: $1) },
            confined(transform, to: isolation)
        ).belonging(to: isolation).flattened(named: name, fileID: fileID, line: line)
    }

    /// Returns a view of the elements of all observable arrays that a closure returns, one after the other.
    ///
    /// The view follows the arrays: a change of one of them does not run the closure again.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked. Runs once for each element that is inserted or
    ///     changes, and again when an observable that it has read changes. The view keeps the array while the element
    ///     stays.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> ObservableArray<Inner>
    ) -> LiveArray<Inner> {
        flatMap(named: name, isolation: isolation, fileID: fileID, line: line) { transform($0).live }
    }

    /// Returns a view of the elements of all observable arrays that a closure returns, one after the other.
    ///
    /// See the overload for elements of any type. This one exists because the compiler prefers it to the overload for
    /// sequences.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner: Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> ObservableArray<Inner>
    ) -> LiveArray<Inner> {
        flatMap(named: name, isolation: isolation, fileID: fileID, line: line) { transform($0).live }
    }

    /// Returns a view of the elements of all observable arrays that a closure returns, one after the other.
    ///
    /// See the overload for elements of any type. This one exists because the compiler prefers it to the overload for
    /// sequences.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> ObservableArray<Inner>
    ) -> LiveArray<Inner> {
        flatMap(named: name, isolation: isolation, fileID: fileID, line: line) { transform($0).live }
    }

    /// Returns a view of the elements of all observable arrays that a closure returns, one after the other.
    ///
    /// See the overload for elements of any type. This one exists because the compiler prefers it to the overload for
    /// sequences.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner: AnyObject>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> ObservableArray<Inner>
    ) -> LiveArray<Inner> {
        flatMap(named: name, isolation: isolation, fileID: fileID, line: line) { transform($0).live }
    }

    /// Returns a view of the elements of all observable arrays that a closure returns, one after the other.
    ///
    /// See the overload for elements of any type. This one exists because the compiler prefers it to the overload for
    /// sequences.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the array for an element. Tracked.
    /// - Complexity: O(log N) for each change of an inner array; O(its length) for each element that comes, leaves or
    ///   moves.
    @inlinable
    public func flatMap<Inner: AnyObject & Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Element) -> ObservableArray<Inner>
    ) -> LiveArray<Inner> {
        flatMap(named: name, isolation: isolation, fileID: fileID, line: line) { transform($0).live }
    }

    /// Whether two views have the same rows.
    @usableFromInline
    func hasSameStage(as other: LiveArray) -> Bool {
        // Each log belongs to one node.
        ordering === other.ordering && log === other.log
    }

    @inlinable
    func flattened<Inner>(named name: String?, fileID: StaticString, line: UInt) -> LiveArray<Inner>
    where Element == LiveArray<Inner> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line,
            state: FlattenState<Inner>()
        ) { [self] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                // No test sees this left out: the mapped view keeps its old results until the graph is unlocked.
                view.discard(view.state)
                view.state = FlattenState()
                own.rows = RowOrder()
                forEachRow { outer, inner in
                    view.state.inners.set(InnerStage(inner), at: outer)
                    view.followInner(of: outer, in: own, like: ordering)
                    return true
                }
            } update: { changes in
                var moved: [Row: ContiguousArray<Row>] = [:]
                for change in changes {
                    let outer = change.row
                    // No test sees this never hold: a row that has left counts as updated.
                    if !ordering.contains(outer) || !change.reasons.isDisjoint(with: [.renewed, .updated]) {
                        view.forget(outer)
                        view.removeInner(of: outer, from: own)
                    } else if change.reasons.contains(.moved) {
                        moved[outer] = view.state.flat.takeOutSegment(of: outer, from: own)
                    }
                }
                if changes.isReordered {
                    view.state.flat.reorder(own, like: ordering)
                    view.noteReordered()
                }
                for change in changes where ordering.contains(change.row) {
                    let outer = change.row
                    if let segment = moved[outer] {
                        view.state.flat.insert(segment, into: own, like: ordering)
                        for row in segment { view.note(row, .moved, count: own.count) }
                    }
                    // No test sees this never hold: the inner stage has nothing new.
                    if change.reasons == .moved { continue }
                    if view.state.inners.value(at: outer) == nil {
                        view.state.inners.set(InnerStage(element(outer)), at: outer)
                    }
                    view.followInner(of: outer, in: own, like: ordering)
                }
            }
        }
        func innerElement(_ row: Row) -> Inner {
            let origin = view.state.flat.origins[Int(row)]
            return view.state.inners[Int(origin.outer)].unsafelyUnwrapped.live.element(origin.inner)
        }
        return LiveArray<Inner>(
            stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: innerElement,
            forEachRow: { body in view.own.unsafelyUnwrapped.forEach { body($0, innerElement($0)) } })
    }
}

/// The inner stages of a flattened view.
@frozen @usableFromInline
struct FlattenState<Element> {
    @usableFromInline var flat = FlatRows()
    /// The inner stages, by row above.
    @usableFromInline var inners = Chunked<InnerStage<Element>?>()

    @inlinable
    init() {}

    /// An inner stage and the cursor in its log. The result has no copy of the stage's rows: with a copy, the next
    /// change of the rows would be expensive.
    @inlinable
    func head(of outer: Row) -> (live: LiveArray<Element>, cursor: Int)? {
        guard let inner = inners.value(at: outer) else { return nil }
        return (inner.live, inner.cursor)
    }

    /// The row of an inner row.
    @inlinable
    func row(of inner: Row, from outer: Row) -> Row? {
        let rows = inners.pointer(to: Int(outer)).pointee.unsafelyUnwrapped.rows
        guard Int(inner) < rows.count, rows[Int(inner)] != 0 else { return nil }
        return rows[Int(inner)] - 1
    }

    @inlinable
    mutating func setRow(_ row: Row?, of inner: Row, from outer: Row) {
        inners[Int(outer)]?.rows.set(row.map { $0 + 1 } ?? 0, at: inner, filler: 0)
    }
}

/// An inner stage, the cursor in its log, and its rows.
@frozen @usableFromInline
struct InnerStage<Element> {
    @usableFromInline let live: LiveArray<Element>
    @usableFromInline var cursor = 0
    /// The row of the flattened view plus one, by row of the inner stage; 0 if there is none.
    @usableFromInline var rows = Chunked<Row>()

    @inlinable
    init(_ live: LiveArray<Element>) { self.live = live }
}

extension View {
    /// Removes an inner stage and its rows.
    @usableFromInline
    func removeInner<Element>(of outer: Row, from own: OwnOrdering) where State == FlattenState<Element> {
        guard let inner = state.inners.take(outer) else { return }
        for row in state.flat.takeOutSegment(of: outer, from: own) {
            state.flat.remove(row, from: own)
            note(row, .gone, count: own.count)
        }
        // No test sees this left out: the mapped view keeps its old results until the graph is unlocked.
        discard(inner)
    }

    /// Follows an inner stage, which is tracked for its row.
    @usableFromInline
    func followInner<Element>(
        of outer: Row, in own: OwnOrdering, like ordering: Ordering
    ) where State == FlattenState<Element> {
        guard let (live, cursor) = state.head(of: outer) else { return }
        evaluate(outer) { live.stage.refresh() }
        let changes = cursor == 0 ? nil : live.log.log.changes(since: cursor)
        live.log.isFollowed = true
        state.inners[Int(outer)]?.cursor = live.log.log.end

        var new: ContiguousArray<Row> = []
        var moved: ContiguousArray<Row> = []
        if let changes {
            for change in changes {
                let row = state.row(of: change.row, from: outer)
                let isThere = live.ordering.contains(change.row)
                guard let row else {
                    if isThere { new.append(change.row) }
                    continue
                }
                if !isThere || change.reasons.contains(.renewed) {
                    state.flat.remove(row, from: own)
                    state.setRow(nil, of: change.row, from: outer)
                    note(row, .gone, count: own.count)
                    if isThere { new.append(change.row) }
                    continue
                }
                // No test sees this always hold: a row that has not moved returns to its position.
                if change.reasons.contains(.moved) {
                    state.flat.takeOut(row, from: own)
                    moved.append(change.row)
                }
                note(row, change.reasons, count: own.count)
            }
            if changes.isReordered {
                for row in state.flat.takeOutSegment(of: outer, from: own) {
                    moved.append(state.flat.origins[Int(row)].inner)
                    note(row, .moved, count: own.count)
                }
            }
        } else {
            for row in state.flat.takeOutSegment(of: outer, from: own) {
                state.flat.remove(row, from: own)
                note(row, .gone, count: own.count)
            }
            state.inners[Int(outer)]?.rows = Chunked()
            live.ordering.forEach {
                new.append($0)
                return true
            }
        }
        insert(new, andMoved: moved, of: outer, live.ordering, isInOrder: changes == nil, into: own, like: ordering)
    }

    /// Inserts rows of an inner stage in its order, so that each row finds its predecessor.
    @usableFromInline
    func insert<Element>(
        _ new: ContiguousArray<Row>, andMoved moved: ContiguousArray<Row>, of outer: Row, _ inner: Ordering,
        isInOrder: Bool, into own: OwnOrdering, like ordering: Ordering
    ) where State == FlattenState<Element> {
        for row in new {
            state.setRow(state.flat.take(outer: outer, inner: row), of: row, from: outer)
        }
        var rows = new + moved
        // No test sees this always hold: otherwise the rows are sorted already.
        // No test sees this boundary: for the same reason.
        if !isInOrder, rows.count > 1 { rows.sort { inner.comesBefore($0, $1) } }
        for innerRow in rows {
            guard let row = state.row(of: innerRow, from: outer) else { continue }
            let previous = inner.row(before: innerRow).flatMap { state.row(of: $0, from: outer) }
            state.flat.insert(row, after: previous, into: own, like: ordering)
        }
        for innerRow in new {
            if let row = state.row(of: innerRow, from: outer) { note(row, .renewed, count: own.count) }
        }
    }
}
