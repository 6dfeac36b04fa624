// The elements that satisfy a predicate. State: a byte for each row, and an order of its own.

import Reactive

extension LiveArray {
    /// Returns a view of the elements that satisfy a predicate, in order.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that `isIncluded` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - isIncluded: Whether an element belongs to the view. Runs once for each element that comes or changes, and
    ///     again when an observable changes that it has read. Kept as long as the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func filter(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ isIncluded: @escaping (Element) -> Bool
    ) -> LiveArray<Element> {
        let isIncluded = confined(isIncluded, to: isolation)
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: FilterState()
        ) { [self] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                view.state = FilterState()
                var rows: ContiguousArray<Row> = []
                forEachRow { row, element in
                    let isIn = view.evaluate(row) { isIncluded(element) }
                    view.state.set(row, isIn)
                    if isIn { rows.append(row) }
                    return true
                }
                own.rows = RowOrder(rows)
            } update: { changes in
                // All that is gone or has moved leaves before anything is inserted, so that positions are looked up
                // among rows that are in order.
                for change in changes { view.takeOut(change, from: own, like: ordering) }
                if changes.isReordered { view.reorder(own, like: ordering) }
                for change in changes where ordering.contains(change.row) {
                    let row = change.row
                    let was = view.state[row]
                    let isIn = change.reasons == .moved ? was : view.evaluate(row) { isIncluded(element(row)) }
                    view.putIn(change, was: was, isIn: isIn, into: own, like: ordering)
                }
            }
        }
        view.belong(to: isolation)
        return LiveArray(stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: element)
        {
            [element] body in
            view.own.unsafelyUnwrapped.forEach { body($0, element($0)) }
        }
    }
}

/// Which rows are in a filtered view.
@frozen @usableFromInline
struct FilterState {
    @usableFromInline var flags = Chunked<Bool>()

    @inlinable
    init() {}

    @inlinable @inline(__always)
    subscript(row: Row) -> Bool { Int(row) < flags.count && flags[Int(row)] }

    @inlinable @inline(__always)
    mutating func set(_ row: Row, _ isIn: Bool) {
        while flags.count <= Int(row) { flags.append(false) }
        flags[Int(row)] = isIn
    }
}

extension View where State == FilterState {
    /// Takes a changed row out of the order if it is gone or has to be inserted again.
    @usableFromInline
    func takeOut(_ change: RowChange, from own: OwnOrdering, like ordering: Ordering) {
        let row = change.row
        let isGone = !ordering.contains(row)
        guard isGone || !change.reasons.isDisjoint(with: [.moved, .renewed]) else { return }
        if own.rows.contains(row) { own.rows.remove(row) }
        if isGone {
            if state[row] { note(row, [], count: ordering.count) }
            if Int(row) < state.flags.count { state.flags[Int(row)] = false }
        }
        if isGone || change.reasons.contains(.renewed) { forget(row) }
    }

    /// Puts a changed row in its place, or takes it out.
    @usableFromInline
    func putIn(_ change: RowChange, was: Bool, isIn: Bool, into own: OwnOrdering, like ordering: Ordering) {
        let row = change.row
        if was != isIn || !isIn { state.set(row, isIn) }
        if !isIn {
            if own.rows.contains(row) { own.rows.remove(row) }
            if was { note(row, [], count: ordering.count) }
        } else if !own.rows.contains(row) {
            own.insert(row, like: ordering)
            let reasons = change.reasons.subtracting(.flipped)
            note(row, was ? reasons : .renewed, count: ordering.count)
        } else if change.reasons.contains(.updated) {
            note(row, .updated, count: ordering.count)
        }
    }
}
