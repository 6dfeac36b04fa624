// Two views, one after the other. State: the cursors in the logs of both. A row of the first view has an even number, a
// row of the second an odd one. The order and the elements are looked up in the two views.

import Reactive

extension LiveArray {
    /// Returns a view of the elements of this view, followed by those of another.
    ///
    /// - Parameters:
    ///   - other: The elements that come last.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(1) for each change.
    public func concatenated(
        with other: LiveArray<Element>, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        let order = ConcatenatedOrdering(ordering, other.ordering)
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: ConcatenatedState()
        ) { [self] view in
            view.follow((stage, log, ordering), (other.stage, other.log, other.ordering)) {
                view.state.knownRows = (ordering.bound, other.ordering.bound)
            } update: { first, second in
                if let last = first.last { view.state.know(first: last.row) }
                if let last = second.last { view.state.know(second: last.row) }
                // No test sees this always hold: followers would only check more rows.
                if first.isReordered || second.isReordered { view.noteReordered() }
                for change in first {
                    view.note(EitherRow.first(change.row), change.reasons, count: order.count)
                }
                for change in second {
                    view.note(EitherRow.second(change.row), change.reasons, count: order.count)
                }
            }
        }
        view.belong(to: nil, orThatOf: other.stage)
        return LiveArray(
            stage: StageNode(view), ordering: order, log: view.log,
            element: { [element] row in
                EitherRow.isSecond(row) ? other.element(EitherRow.plain(row)) : element(EitherRow.plain(row))
            },
            forEachRow: { [forEachRow] body in
                var isRunning = true
                forEachRow {
                    isRunning = body(EitherRow.first($0), $1)
                    return isRunning
                }
                if isRunning { other.forEachRow { body(EitherRow.second($0), $1) } }
            })
    }
}

@usableFromInline
struct ConcatenatedState: FollowsTwoStages {
    @usableFromInline var secondCursor: Int?
    @usableFromInline var knownRows = (first: 0, second: 0)

    mutating func know(first row: Row) { knownRows.first = max(knownRows.first, Int(row) + 1) }

    mutating func know(second row: Row) { knownRows.second = max(knownRows.second, Int(row) + 1) }
}

/// One order followed by another.
final class ConcatenatedOrdering: Ordering {
    private let first: Ordering
    private let second: Ordering

    init(_ first: Ordering, _ second: Ordering) {
        self.first = first
        self.second = second
    }

    override var count: Int { first.count + second.count }

    override func contains(_ row: Row) -> Bool {
        (EitherRow.isSecond(row) ? second : first).contains(EitherRow.plain(row))
    }

    override func row(at position: Int) -> Row {
        let count = first.count
        return position < count
            ? EitherRow.first(first.row(at: position)) : EitherRow.second(second.row(at: position - count))
    }

    override func position(of row: Row) -> Int {
        let plain = EitherRow.plain(row)
        return EitherRow.isSecond(row) ? first.count + second.position(of: plain) : first.position(of: plain)
    }

    override func precedes(_ a: Row, _ b: Row) -> Bool {
        switch (EitherRow.isSecond(a), EitherRow.isSecond(b)) {
        case (false, true): true
        case (true, false): false
        case (false, false): first.precedes(EitherRow.plain(a), EitherRow.plain(b))
        case (true, true): second.precedes(EitherRow.plain(a), EitherRow.plain(b))
        }
    }

    override func row(before row: Row) -> Row? {
        let plain = EitherRow.plain(row)
        guard EitherRow.isSecond(row) else { return first.row(before: plain).map(EitherRow.first) }
        if let before = second.row(before: plain) { return EitherRow.second(before) }
        return first.count == 0 ? nil : EitherRow.first(first.row(at: first.count - 1))
    }

    override func row(after row: Row) -> Row? {
        let plain = EitherRow.plain(row)
        if EitherRow.isSecond(row) { return second.row(after: plain).map(EitherRow.second) }
        if let after = first.row(after: plain) { return EitherRow.first(after) }
        return second.count == 0 ? nil : EitherRow.second(second.row(at: 0))
    }

    override func forEach(while body: (Row) -> Bool) {
        var isRunning = true
        first.forEach {
            isRunning = body(EitherRow.first($0))
            return isRunning
        }
        if isRunning { second.forEach { body(EitherRow.second($0)) } }
    }
}
