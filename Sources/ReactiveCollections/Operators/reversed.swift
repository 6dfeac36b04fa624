// The opposite order. No state: the rows, their elements and the log are those of the stage above.

import Reactive

extension LiveArray {
    /// Returns a view of the elements in the opposite order.
    ///
    /// The view stores nothing and adds no cost to a change.
    ///
    /// - Complexity: O(1).
    public func reversed() -> LiveArray<Element> {
        LiveArray(stage: stage, ordering: ReversedOrdering(ordering), log: log, element: element) {
            [forEachRow] body in
            // Collects in forward order, which is fast: stages iterate their storage.
            var pairs: ContiguousArray<(row: Row, element: Element)> = []
            forEachRow { row, element in
                pairs.append((row, element))
                return true
            }
            for (row, element) in pairs.reversed() where !body(row, element) { return }
        }
    }
}

/// The reverse of an order.
final class ReversedOrdering: Ordering {
    private let base: Ordering

    init(_ base: Ordering) { self.base = base }

    override var count: Int { base.count }
    override func contains(_ row: Row) -> Bool { base.contains(row) }
    override func row(at position: Int) -> Row { base.row(at: base.count - 1 - position) }
    override func position(of row: Row) -> Int { base.count - 1 - base.position(of: row) }
    override func precedes(_ a: Row, _ b: Row) -> Bool { base.precedes(b, a) }
    override func row(before row: Row) -> Row? { base.row(after: row) }
    override func row(after row: Row) -> Row? { base.row(before: row) }

    override func forEach(while body: (Row) -> Bool) {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(base.count)
        base.forEach {
            rows.append($0)
            return true
        }
        for row in rows.reversed() where !body(row) { return }
    }
}
