// A group as a stage: the stage of a group's `LiveArray`.
//
// A group that a caller keeps is a routed node of the grouped view. It counts its elements. When code reads the
// elements in order or follows them, they get compact numbers of their own, the *group rows*. So followers of a small
// group in a large collection stay small.
//
//     element row ── GroupLinks.groupRows ──▶ group row ── rows ──▶ element row
//                                                    └──── order
//
// A roll-back restores all of this together with the view. A node that is created inside a transaction does not know
// the group's earlier state. After a roll-back it is not synchronised, and reads the view again when it is next read.

import Reactive

/// The rows of a group: a value.
@frozen @usableFromInline
struct GroupRows {
    /// The element row of each group row, or `none`.
    @usableFromInline var rows = Chunked<Row>()
    @usableFromInline var numbers = RowNumbers()
    /// The group rows in the order of the elements.
    @usableFromInline var order = RowOrder()

    /// The placeholder for the row of a free group row.
    @inlinable static var none: Row { .max }

    @usableFromInline
    init() {}

    @inlinable @inline(__always)
    func contains(_ groupRow: Row) -> Bool { Int(groupRow) < rows.count && rows[Int(groupRow)] != Self.none }

    mutating func insert(_ row: Row) -> Row {
        let groupRow = numbers.take()
        if Int(groupRow) < rows.count { rows[Int(groupRow)] = row } else { rows.append(row) }
        return groupRow
    }

    mutating func remove(_ groupRow: Row) {
        rows[Int(groupRow)] = Self.none
        numbers.release(groupRow)
    }
}

/// The node of a group's elements. Guarded by the graph's lock.
@usableFromInline
class GroupStage: _StoredSource {
    /// The contents of a group.
    @frozen @usableFromInline
    struct Contents {
        /// Whether the other properties are valid.
        @usableFromInline var isSynchronised = false
        /// The time at which they became valid. A roll-back changes it.
        @usableFromInline var since: UInt64 = 0
        /// The number of elements.
        @usableFromInline var count = 0
        /// The group rows of the elements, if they have been built.
        @usableFromInline var groupRows: GroupRows?

        @usableFromInline
        init() {}
    }

    /// The grouped view.
    @usableFromInline final let view: AnyView
    private final let routing: Routing
    /// The order of the stage that the view follows.
    private final let upstream: Ordering
    @usableFromInline final let log = LogBox()
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var contents = Contents()
    /// Whether the routing counts this node, because it has edges.
    @exclusivity(unchecked) private final var isConnected = false
    /// Whether the evaluation in progress has changed it.
    @exclusivity(unchecked) @usableFromInline final var isTouched = false
    /// The `LiveArray` of the group, as long as a caller keeps it.
    @exclusivity(unchecked) @usableFromInline final weak var live: AnyObject?

    @usableFromInline
    init(of view: AnyView, routing: Routing, upstream: Ordering) {
        self.view = view
        self.routing = routing
        self.upstream = upstream
        super.init(beside: view, isCounted: true)
        becomeRouted()
    }

    /// Calls `body` with the links of the elements in the view, their number, and the head of their list.
    @usableFromInline
    func withLinks(_ body: (inout GroupLinks, _ count: Int, _ head: UInt32) -> Void) {
        preconditionFailure("internal inconsistency: GroupStage.withLinks is abstract")
    }

    // MARK: - Reading

    /// Updates the group and records the read.
    @usableFromInline
    final func refresh() {
        guard isTracked else {
            view.noteRead()
            synchronise()
            return
        }
        untracked { view.noteRead() }
        synchronise()
        if !isConnected {
            isConnected = true
            routing.connect()
        }
        // From here on, the removal of its last edge disconnects the group.
        noteRead()
    }

    private final func synchronise() {
        guard !contents.isSynchronised else { return }
        keep()
        withLinks { _, count, _ in contents.count = count }
        contents.isSynchronised = true
        contents.since = epoch
        // Earlier followers know different group rows.
        // No test sees this always hold: nobody has read the log then.
        if log.isFollowed { log.log.reset() }
    }

    @usableFromInline
    override final func lastEdgeWasRemoved() {
        // No test sees this always hold: only a connected group has edges.
        guard isConnected else { return }
        isConnected = false
        routing.disconnect()
    }

    #if DEBUG
    override final var storingNode: _Node? { view }
    #endif

    /// The group rows, with their order. The group is up to date.
    @usableFromInline
    final var ordered: RowOrder {
        if contents.groupRows == nil { numberElements() }
        return contents.groupRows.unsafelyUnwrapped.order
    }

    /// Gives all elements group rows, and sorts these.
    private final func numberElements() {
        keep()
        var groupRows = GroupRows()
        withLinks { links, _, head in
            var rows: ContiguousArray<Row> = []
            // No test sees this left out: it only saves allocations.
            rows.reserveCapacity(contents.count)
            links.forEach(from: head) { rows.append($0) }
            for row in rows { links[groupRowOf: row] = groupRows.insert(row) }
        }
        contents.groupRows = groupRows
        sort()
    }

    /// Sorts the group rows by the order of the elements.
    private final func sort() {
        var groupRows: ContiguousArray<(position: Int, groupRow: Row)> = []
        // No test sees this left out: it only saves allocations.
        groupRows.reserveCapacity(contents.count)
        let rows = contents.groupRows.unsafelyUnwrapped.rows
        for groupRow in 0..<rows.count where rows[groupRow] != GroupRows.none {
            groupRows.append((upstream.position(of: rows[groupRow]), Row(groupRow)))
        }
        // No test sees this boundary: the positions are different.
        groupRows.sort { $0.position < $1.position }
        contents.groupRows!.order = RowOrder(groupRows.lazy.map(\.groupRow))
    }

    // MARK: - Notifications from the view's evaluation

    /// Notes that an element was inserted.
    @usableFromInline
    final func insert(_ row: Row, _ links: inout GroupLinks) {
        // No test sees this always hold: the elements are counted again before the group is read.
        guard contents.isSynchronised else { return }
        keep()
        contents.count += 1
        guard contents.groupRows != nil else { return }
        let groupRow = contents.groupRows!.insert(row)
        links[groupRowOf: row] = groupRow
        place(groupRow, row)
        log.note(groupRow, .renewed, count: contents.count)
    }

    /// Notes that an element leaves.
    @usableFromInline
    final func remove(_ row: Row, _ links: inout GroupLinks) {
        // No test sees this always hold: as above.
        guard contents.isSynchronised else { return }
        keep()
        contents.count -= 1
        guard contents.groupRows != nil else { return }
        let groupRow = links[groupRowOf: row]
        if contents.groupRows!.order.contains(groupRow) { contents.groupRows!.order.remove(groupRow) }
        contents.groupRows!.remove(groupRow)
        log.note(groupRow, .gone, count: contents.count)
    }

    /// Notes that an element has a new value.
    @usableFromInline
    final func update(_ row: Row, _ links: inout GroupLinks) {
        guard contents.groupRows != nil else { return }
        keep()
        log.note(links[groupRowOf: row], .updated, count: contents.count)
    }

    /// Removes an element that has moved from the order, until `putBack(_:_:)`.
    @usableFromInline
    final func takeOut(_ row: Row, _ links: inout GroupLinks) {
        guard contents.groupRows != nil else { return }
        keep()
        contents.groupRows!.order.remove(links[groupRowOf: row])
    }

    /// Inserts an element into the order again.
    @usableFromInline
    final func putBack(_ row: Row, _ links: inout GroupLinks) {
        guard contents.groupRows != nil else { return }
        let groupRow = links[groupRowOf: row]
        place(groupRow, row)
        log.note(groupRow, .moved, count: contents.count)
    }

    /// Notes that all elements may have moved.
    @usableFromInline
    final func reorder() {
        guard contents.groupRows != nil else { return }
        keep()
        sort()
        log.noteReordered()
    }

    /// Notes that the view is rebuilt.
    @usableFromInline
    final func reset() {
        keep()
        // The next reader resets the log.
        contents = Contents()
    }

    /// Inserts a group row into the order.
    private final func place(_ groupRow: Row, _ row: Row) {
        if contents.groupRows!.order.contains(groupRow) { return }
        let position = position(for: row)
        contents.groupRows!.order.insert(groupRow, at: position)
    }

    /// Returns the position for an element in the order. A separate function, so that no copy of the order exists when
    /// it changes.
    @inline(never)
    private final func position(for row: Row) -> Int {
        let rows = contents.groupRows!.rows
        let order = contents.groupRows!.order
        // No test sees this always hold: the search finds the end, too.
        guard let last = order.last, upstream.precedes(row, rows[Int(last)]) else { return order.count }
        return order.firstPosition { upstream.precedes(row, rows[Int($0)]) }
    }

    // MARK: - The transaction log

    /// The state that a roll-back restores.
    private struct Kept {
        var contents: Contents
        var log: RowLog
    }

    /// Marks the observers at the end of an evaluation that has changed the group.
    @usableFromInline
    final func mark() {
        isTouched = false
        // No test sees this left out: a group whose change is not kept yet has only a count, which has not changed.
        keep()
        noteChange()
    }

    @usableFromInline
    override final var routingView: _PartedDerivation? { view }

    private final func keep() { keepState(Kept(contents: contents, log: log.log)) }

    override public final func exchangeState(withLogged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self)
        swap(&contents, &kept.pointee.contents)
        swap(&log.log, &kept.pointee.log)
    }

    override public final func discardState(logged kept: UnsafeMutableRawPointer) {
        // The state has only numbers.
        // No test sees this left out: it only frees memory.
        _ = kept.assumingMemoryBound(to: Kept.self).move()
    }
}

/// The order of a group's rows.
@usableFromInline
final class GroupOrdering: Ordering {
    private let group: GroupStage

    @usableFromInline
    init(_ group: GroupStage) { self.group = group }

    @usableFromInline override var count: Int { group.contents.count }
    @usableFromInline override func contains(_ row: Row) -> Bool { group.contents.groupRows?.contains(row) ?? false }
    @usableFromInline override func row(at position: Int) -> Row { group.ordered.row(at: position) }
    @usableFromInline override func position(of row: Row) -> Int { group.ordered.position(of: row) }
    @usableFromInline override func precedes(_ a: Row, _ b: Row) -> Bool { group.ordered.precedes(a, b) }
    @usableFromInline override func row(before row: Row) -> Row? { group.ordered.row(before: row) }
    @usableFromInline override func row(after row: Row) -> Row? { group.ordered.row(after: row) }
    @usableFromInline override var snapshot: RowOrder { group.ordered }

    @usableFromInline
    override func forEach(while body: (Row) -> Bool) { group.ordered.forEach(while: body) }
}
