// A group as a stage: what a `LiveArray` of a group follows.
//
// A group that somebody holds is a routed node of the grouped view. It counts its elements. Only if somebody reads them
// in order or follows them, they get numbers of their own, the *slots*, which are compact: what follows a small group
// of a large collection stays small.
//
//     element row ── GroupPlaces.slots ──▶ slot ── rows ──▶ element row
//                                            └──── order
//
// All of this is reverted with the view. A node that comes into being in the middle of a transaction has not seen what
// the group was before; it says that it is not synchronised, and asks the view when it is read next.

import Reactive

/// The slots of a group: a value.
@frozen @usableFromInline
struct GroupSlots {
    /// The element row of each slot, or `none`.
    @usableFromInline var rows = Chunked<Row>()
    @usableFromInline var numbers = RowNumbers()
    /// The slots in the order of the elements, once somebody has asked for it.
    @usableFromInline var order: RowOrder?

    /// Stands for the row of a slot that is free.
    @inlinable static var none: Row { .max }

    @usableFromInline
    init() {}

    @inlinable @inline(__always)
    func contains(_ slot: Row) -> Bool { Int(slot) < rows.count && rows[Int(slot)] != Self.none }

    mutating func insert(_ row: Row) -> Row {
        let slot = numbers.take()
        if Int(slot) < rows.count { rows[Int(slot)] = row } else { rows.append(row) }
        return slot
    }

    mutating func remove(_ slot: Row) {
        rows[Int(slot)] = Self.none
        numbers.release(slot)
    }
}

/// The node of a group's elements. Guarded by the graph's lock.
@usableFromInline
class GroupStage: _StoredSource {
    /// What a group knows of itself.
    @frozen @usableFromInline
    struct Contents {
        /// Whether the rest is true.
        @usableFromInline var isSynchronised = false
        /// When that became so. Different after a roll-back.
        @usableFromInline var since: UInt64 = 0
        /// The number of elements.
        @usableFromInline var count = 0
        /// The slots of the elements, once somebody needs them.
        @usableFromInline var slots: GroupSlots?

        @usableFromInline
        init() {}
    }

    /// The grouped view.
    @usableFromInline final let view: AnyView
    private final let routing: Routing
    /// The order of what the view follows.
    private final let upstream: Ordering
    @usableFromInline final let log = LogBox()
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var contents = Contents()
    /// Whether the routing counts it: it has edges.
    @exclusivity(unchecked) private final var isConnected = false
    /// Whether the evaluation in progress has changed it.
    @exclusivity(unchecked) @usableFromInline final var isTouched = false
    /// The `LiveArray` of the group, while somebody keeps it.
    @exclusivity(unchecked) @usableFromInline final weak var live: AnyObject?

    @usableFromInline
    init(of view: AnyView, routing: Routing, upstream: Ordering) {
        self.view = view
        self.routing = routing
        self.upstream = upstream
        super.init(beside: view, isCounted: true)
        becomeRouted()
    }

    /// Calls `body` with the places of the elements in the view, their number, and where their list begins.
    @usableFromInline
    func withPlaces(_ body: (inout GroupPlaces, _ count: Int, _ head: UInt32) -> Void) {
        preconditionFailure("internal inconsistency: GroupStage.withPlaces is abstract")
    }

    // MARK: - Reading

    /// Brings the group up to date, and records that it is read.
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
        noteRead()
        if !hasEdges { lastEdgeWasRemoved() }
    }

    private final func synchronise() {
        guard !contents.isSynchronised else { return }
        keep()
        withPlaces { _, count, _ in contents.count = count }
        contents.isSynchronised = true
        contents.since = epoch
        // Whoever has followed it before knows other slots.
        if log.isFollowed { log.log.reset() }
    }

    @usableFromInline
    override final func lastEdgeWasRemoved() {
        guard isConnected else { return }
        isConnected = false
        routing.disconnect()
    }

    /// The slots, with their order. The group is up to date.
    @usableFromInline
    final var ordered: RowOrder {
        if let order = contents.slots?.order { return order }
        if contents.slots == nil { numberElements() }
        keep()
        sort()
        return contents.slots.unsafelyUnwrapped.order.unsafelyUnwrapped
    }

    private final func numberElements() {
        keep()
        var slots = GroupSlots()
        withPlaces { places, _, head in
            var rows: ContiguousArray<Row> = []
            rows.reserveCapacity(contents.count)
            places.forEach(from: head) { rows.append($0) }
            for row in rows { places[slotOf: row] = slots.insert(row) }
        }
        contents.slots = slots
    }

    /// Puts the slots into the order of the elements.
    private final func sort() {
        var slots: ContiguousArray<(position: Int, slot: Row)> = []
        slots.reserveCapacity(contents.count)
        let rows = contents.slots.unsafelyUnwrapped.rows
        for slot in 0..<rows.count where rows[slot] != GroupSlots.none {
            slots.append((upstream.position(of: rows[slot]), Row(slot)))
        }
        slots.sort { $0.position < $1.position }
        contents.slots!.order = RowOrder(slots.lazy.map(\.slot))
    }

    // MARK: - What the view's evaluation says

    /// Notes that an element has come.
    @usableFromInline
    final func insert(_ row: Row, _ places: inout GroupPlaces) {
        guard contents.isSynchronised else { return }
        keep()
        contents.count += 1
        guard contents.slots != nil else { return }
        let slot = contents.slots!.insert(row)
        places[slotOf: row] = slot
        place(slot, row)
        log.note(slot, .renewed, count: contents.count)
    }

    /// Notes that an element leaves.
    @usableFromInline
    final func remove(_ row: Row, _ places: inout GroupPlaces) {
        guard contents.isSynchronised else { return }
        keep()
        contents.count -= 1
        guard contents.slots != nil else { return }
        let slot = places[slotOf: row]
        if contents.slots!.order?.contains(slot) == true { contents.slots!.order!.remove(slot) }
        contents.slots!.remove(slot)
        log.note(slot, .gone, count: contents.count)
    }

    /// Notes that an element has a new value.
    @usableFromInline
    final func update(_ row: Row, _ places: inout GroupPlaces) {
        guard contents.isSynchronised, contents.slots != nil else { return }
        keep()
        log.note(places[slotOf: row], .updated, count: contents.count)
    }

    /// Takes an element that has moved out of the order, until `putBack(_:_:)`.
    @usableFromInline
    final func takeOut(_ row: Row, _ places: inout GroupPlaces) {
        guard contents.isSynchronised, contents.slots != nil else { return }
        keep()
        let slot = places[slotOf: row]
        if contents.slots!.order?.contains(slot) == true { contents.slots!.order!.remove(slot) }
    }

    /// Puts an element into the order again.
    @usableFromInline
    final func putBack(_ row: Row, _ places: inout GroupPlaces) {
        guard contents.isSynchronised, contents.slots != nil else { return }
        let slot = places[slotOf: row]
        place(slot, row)
        log.note(slot, .moved, count: contents.count)
    }

    /// Notes that all elements may have moved.
    @usableFromInline
    final func reorder() {
        guard contents.isSynchronised, contents.slots != nil else { return }
        keep()
        if contents.slots!.order != nil { sort() }
        log.noteReordered()
    }

    /// Notes that the view is built anew.
    @usableFromInline
    final func reset() {
        keep()
        contents = Contents()
        log.noteAll()
    }

    /// Puts a slot into the order.
    private final func place(_ slot: Row, _ row: Row) {
        guard contents.slots!.order?.contains(slot) == false else { return }
        let position = position(for: row)
        contents.slots!.order!.insert(slot, at: position)
    }

    /// The position for an element in the order. Apart, so that no copy is left when the order changes.
    @inline(never)
    private final func position(for row: Row) -> Int {
        let rows = contents.slots!.rows
        let order = contents.slots!.order.unsafelyUnwrapped
        guard let last = order.last, upstream.precedes(row, rows[Int(last)]) else { return order.count }
        return order.firstPosition { upstream.precedes(row, rows[Int($0)]) }
    }

    // MARK: - The transaction log

    /// The state as a roll-back restores it.
    private struct Kept {
        var contents: Contents
        var log: RowLog
    }

    /// Marks the observers at the end of an evaluation that has changed the group.
    @usableFromInline
    final func mark() {
        isTouched = false
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
        // Numbers alone.
        _ = kept.assumingMemoryBound(to: Kept.self).move()
    }
}

/// The order of a group's slots.
@usableFromInline
final class GroupOrdering: Ordering {
    private let group: GroupStage

    @usableFromInline
    init(_ group: GroupStage) { self.group = group }

    @usableFromInline override var count: Int { group.contents.count }
    @usableFromInline override func contains(_ row: Row) -> Bool { group.contents.slots?.contains(row) ?? false }
    @usableFromInline override func row(at position: Int) -> Row { group.ordered.row(at: position) }
    @usableFromInline override func position(of row: Row) -> Int { group.ordered.position(of: row) }
    @usableFromInline override func precedes(_ a: Row, _ b: Row) -> Bool { group.ordered.precedes(a, b) }
    @usableFromInline override func row(before row: Row) -> Row? { group.ordered.row(before: row) }
    @usableFromInline override func row(after row: Row) -> Row? { group.ordered.row(after: row) }
    @usableFromInline override var snapshot: RowOrder { group.ordered }

    @usableFromInline
    override func forEach(while body: (Row) -> Bool) { group.ordered.forEach(while: body) }
}
