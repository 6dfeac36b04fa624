// The order of the rows of a stage.
//
// A stage that defines its own order has a `RowOrder`. Other stages derive their order from the stages above and store
// nothing: `map` has the same order, `reversed` the reverse, `concatenated` one after the other.

/// The order of a stage's rows. Valid under the graph's lock, once the stage is up to date.
@usableFromInline
class Ordering {
    @usableFromInline init() {}

    /// The number of rows. Complexity: O(1).
    @usableFromInline var count: Int { preconditionFailure("internal inconsistency: Ordering.count is abstract") }

    /// Whether the stage has a row. Complexity: O(1).
    @usableFromInline func contains(_ row: Row) -> Bool { preconditionFailure() }

    /// The row at a position. Complexity: O(log N).
    @usableFromInline func row(at position: Int) -> Row { preconditionFailure() }

    /// The position of a row that the stage has. Complexity: O(log N).
    @usableFromInline func position(of row: Row) -> Int { preconditionFailure() }

    /// Whether row `a` comes before row `b`; the stage has both. Complexity: O(log N).
    @usableFromInline func precedes(_ a: Row, _ b: Row) -> Bool { preconditionFailure() }

    /// The row before a row that the stage has. Complexity: O(log N), amortised O(1).
    @usableFromInline func row(before row: Row) -> Row? { preconditionFailure() }

    /// The row after a row that the stage has. Complexity: O(log N), amortised O(1).
    @usableFromInline func row(after row: Row) -> Row? { preconditionFailure() }

    /// Calls `body` with the rows in order until it returns `false`. Complexity: O(N).
    @usableFromInline func forEach(while body: (Row) -> Bool) { preconditionFailure() }

    /// The order as a value, which followers keep for comparison. Complexity: O(1) if the order is stored, otherwise
    /// O(N).
    @usableFromInline var snapshot: RowOrder {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(count)
        forEach {
            rows.append($0)
            return true
        }
        return RowOrder(rows)
    }
}

extension Ordering {
    /// Whether row `a` comes before row `b`. If the stage does not have both, the result is arbitrary. This happens
    /// only if a closure of the calling view has removed elements; the view is then updated again.
    @usableFromInline
    final func comesBefore(_ a: Row, _ b: Row) -> Bool {
        // No test sees this boundary: the rows are different.
        guard contains(a), contains(b) else { return a < b }
        return precedes(a, b)
    }
}

/// An order that a stage stores. Guarded by the graph's lock.
@usableFromInline
class OwnOrdering: Ordering {
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var rows = RowOrder()

    @usableFromInline override init() {}

    @usableFromInline override var count: Int { rows.count }
    @usableFromInline override func contains(_ row: Row) -> Bool { rows.contains(row) }
    @usableFromInline override func row(at position: Int) -> Row { rows.row(at: position) }
    @usableFromInline override func position(of row: Row) -> Int { rows.position(of: row) }
    @usableFromInline override func precedes(_ a: Row, _ b: Row) -> Bool { rows.precedes(a, b) }
    @usableFromInline override func row(before row: Row) -> Row? { rows.row(before: row) }
    @usableFromInline override func row(after row: Row) -> Row? { rows.row(after: row) }
    @usableFromInline override var snapshot: RowOrder { rows }

    @usableFromInline
    override func forEach(while body: (Row) -> Bool) {
        // A copy, because the closure may change the order.
        let rows = rows
        rows.forEach(while: body)
    }

    /// Inserts a row at its position in another order: after its nearest predecessor there that is already in this one.
    ///
    /// Tries the neighbours in `other` first, which are often in this order. Otherwise compares.
    ///
    /// - Complexity: O(log N) comparisons; O(1) if a near neighbour is in this order.
    @usableFromInline
    final func insert(_ row: Row, like other: Ordering) { rows.insert(row, like: other) }
}

extension RowOrder {
    /// Inserts a row at its position in another order.
    ///
    /// - Precondition: All rows of this order are in the other order, and sorted by it.
    /// - Complexity: O(log N) comparisons; O(1) if a near neighbour is in this order.
    @usableFromInline
    mutating func insert(_ row: Row, like other: Ordering) {
        var neighbour = row
        for _ in 0..<16 {
            guard let before = other.row(before: neighbour) else { return insert(row, after: nil) }
            if contains(before) { return insert(row, after: before) }
            // No test sees this left out: the search below finds the same position.
            neighbour = before
        }
        insert(row, at: firstPosition { other.comesBefore(row, $0) })
    }
}
