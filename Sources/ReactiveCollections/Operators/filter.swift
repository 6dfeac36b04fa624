// The elements that satisfy a predicate. State: a bit for each row, and an order of its own as soon as one is needed.

import Reactive

extension LiveArray {
    /// Returns a view of the elements that satisfy a predicate, in order.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `isIncluded` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - isIncluded: Whether an element belongs to the view. Runs once for each element that is inserted or changes,
    ///     and again when an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func filter(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ isIncluded: @escaping (Element) -> Bool
    ) -> LiveArray<Element> {
        let isIncluded = confined(isIncluded, to: isolation)
        let own = FilterOrdering(of: ordering)
        let view = View(
            // No test sees this: the order is given.
            beside: stage.node, hasOwnOrder: true, own: own, named: name, fileID: fileID, line: line,
            state: FilterState()
        ) { [self] view in
            view.follow(stage, log) {
                var filler = FilterFiller()
                forEachRow { row, element in
                    if view.evaluateFirst(row, { isIncluded(element) }) { filler.insert(row) }
                    return true
                }
                view.state = FilterState(filler)
                own.rows = RowOrder()
            } update: { changes in
                // Removes all rows that have left or moved before it inserts any: positions are looked up only among
                // rows that are in order.
                for change in changes { view.takeOut(change, from: own, like: ordering) }
                if changes.isReordered {
                    // No test sees this always hold: an order that is not built yet has no rows to sort.
                    if view.state.hasOrder { view.reorder(own, like: ordering) } else { view.noteReordered() }
                }
                for change in changes where ordering.contains(change.row) {
                    let row = change.row
                    let was = view.state[row]
                    let isIn = change.reasons == .moved ? was : view.evaluate(row) { isIncluded(element(row)) }
                    view.putIn(change, was: was, isIn: isIn, into: own, like: ordering)
                }
            }
        }
        own.view = view
        view.belong(to: isolation)
        return LiveArray(stage: StageNode(view), ordering: own, log: view.log, element: element) {
            [element] body in
            own.forEach { body($0, element($0)) }
        }
    }
}

/// Collects the rows that are in a filtered view while its state is built.
@frozen @usableFromInline
struct FilterFiller {
    @usableFromInline var words: ContiguousArray<UInt64> = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// Inserts a row that has not been inserted yet.
    @inlinable @inline(__always)
    mutating func insert(_ row: Row) {
        let word = Int(row >> 6)
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(row & 63)
        count &+= 1
    }
}

/// The set of rows that are in a filtered view.
@frozen @usableFromInline
struct FilterState {
    /// A bit for each row of the stage above.
    @usableFromInline var bits = Chunked<UInt64>()
    /// The number of rows in the view.
    @usableFromInline var count = 0
    /// Whether the view has an order of its own. It is built when it is first needed.
    @usableFromInline var hasOrder = false

    @inlinable
    init() {}

    /// Creates a state from the rows that have been collected.
    @inlinable
    init(_ filler: FilterFiller) {
        filler.words.withUnsafeBufferPointer { bits.append(copying: $0) }
        count = filler.count
    }

    @inlinable @inline(__always)
    subscript(row: Row) -> Bool {
        let word = Int(row >> 6)
        return word < bits.count && bits[word] & (1 << UInt64(row & 63)) != 0
    }

    @inlinable @inline(__always)
    mutating func set(_ row: Row, _ isIn: Bool) {
        if self[row] == isIn { return }
        let word = Int(row >> 6)
        // No test sees this: more zeros mean the same.
        if word >= bits.count { bits.append(repeating: 0, count: word + 1 - bits.count) }
        bits[word] ^= 1 << UInt64(row & 63)
        count &+= isIn ? 1 : -1
    }
}

/// The order of a filtered view: that of the stage above, without the rows that are not in the view.
///
/// Membership and comparisons of two rows need no order of its own. Positions and neighbours do: the first query for
/// one of them builds an order, which the view keeps up to date from then on.
@usableFromInline
final class FilterOrdering: OwnOrdering {
    private let upstream: Ordering
    /// The view, which keeps the ordering alive. All callers keep the view alive.
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var view: View<FilterState>!

    @usableFromInline
    init(of upstream: Ordering) { self.upstream = upstream }

    @inline(__always)
    private func ordered() -> RowOrder {
        // No test sees this always hold: the order would be built again, and be the same.
        if !view.state.hasOrder { buildOrder() }
        return rows
    }

    @inline(never)
    private func buildOrder() {
        var order: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        order.reserveCapacity(view.state.count)
        upstream.forEach { row in
            if view.state[row] { order.append(row) }
            return true
        }
        rows = RowOrder(order)
        view.state.hasOrder = true
    }

    @usableFromInline override var count: Int { view.state.count }
    @usableFromInline override func contains(_ row: Row) -> Bool { view.state[row] }
    @usableFromInline override func row(at position: Int) -> Row { ordered().row(at: position) }
    @usableFromInline override func position(of row: Row) -> Int { ordered().position(of: row) }
    @usableFromInline override func row(before row: Row) -> Row? { ordered().row(before: row) }
    @usableFromInline override func row(after row: Row) -> Row? { ordered().row(after: row) }
    @usableFromInline override var snapshot: RowOrder { ordered() }

    @usableFromInline
    override func precedes(_ a: Row, _ b: Row) -> Bool {
        // No test sees this never hold: both orders agree.
        view.state.hasOrder ? rows.precedes(a, b) : upstream.comesBefore(a, b)
    }

    @usableFromInline
    override func forEach(while body: (Row) -> Bool) {
        // Iterating the stage above is as fast as iterating an order, unless most of its rows are not in the view.
        // No test sees this: the rows are the same.
        if !view.state.hasOrder, view.state.count < upstream.count / 4 { buildOrder() }
        // No test sees this never hold: the rows are the same.
        if view.state.hasOrder { return super.forEach(while: body) }
        upstream.forEach { !view.state[$0] || body($0) }
    }
}

extension View where State == FilterState {
    /// Removes a changed row from the order if it has left or must be inserted again.
    @usableFromInline
    func takeOut(_ change: RowChange, from own: FilterOrdering, like ordering: Ordering) {
        let row = change.row
        let isGone = !ordering.contains(row)
        // No test sees this always hold: a row that is taken out is inserted again.
        guard isGone || !change.reasons.isDisjoint(with: [.moved, .renewed]) else { return }
        // No test sees this always hold: without an order, it contains no row.
        if state.hasOrder, own.rows.contains(row) { own.rows.remove(row) }
        if isGone {
            if state[row] { note(row, .gone, count: ordering.count) }
            state.set(row, false)
            forget(row)
        }
    }

    /// Inserts a changed row at its position, or removes it.
    @usableFromInline
    func putIn(_ change: RowChange, was: Bool, isIn: Bool, into own: FilterOrdering, like ordering: Ordering) {
        let row = change.row
        if state.hasOrder, own.rows.contains(row) != isIn {
            if isIn { own.insert(row, like: ordering) } else { own.rows.remove(row) }
        }
        state.set(row, isIn)
        if !isIn {
            if was { note(row, .gone, count: ordering.count) }
        } else if !was || !change.reasons.isDisjoint(with: [.moved, .renewed]) {
            let reasons = change.reasons.subtracting(.flipped)
            note(row, was ? reasons : .renewed, count: ordering.count)
        } else if change.reasons.contains(.updated) {
            note(row, .updated, count: ordering.count)
        }
    }
}
