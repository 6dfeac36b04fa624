// The order in which a recorded set is encoded.
//
// Iteration follows the rows, and a new element may reuse the row of a removed one. JSON Patch names elements by
// position. So the table of a set that is recorded or patched also has an order of its rows. A new element is the last
// one, unless a patch or an undo places it elsewhere. The initial order is that of the rows, which in a decoded set is
// that of the document. The order is part of the table, so a roll-back restores both. All other tables have no order.

/// The order in which the elements of a table are encoded. Shared by copies of the table; see `KeyedTable.order`.
@usableFromInline
final class EncodingOrder {
    fileprivate(set) var rows: RowOrder
    /// The number of placements of rows anywhere but at the end.
    fileprivate(set) var placementCount: Int

    fileprivate init(_ rows: RowOrder, placementCount: Int = 0) {
        self.rows = rows
        self.placementCount = placementCount
    }

    /// Calls `body` with an order that no copy of the table shares.
    private static func edit(_ order: inout EncodingOrder?, _ body: (EncodingOrder) -> Void) {
        // No test sees this always hold: it only saves a copy.
        if !isKnownUniquelyReferenced(&order), let shared = order {
            order = EncodingOrder(shared.rows, placementCount: shared.placementCount)
        }
        if let order { body(order) }
    }

    /// Appends a row. Complexity: O(log N).
    @usableFromInline
    static func append(_ row: Row, to order: inout EncodingOrder?) { edit(&order) { $0.rows.append(row) } }

    /// Removes a row. Complexity: O(log N).
    @usableFromInline
    static func remove(_ row: Row, from order: inout EncodingOrder?) { edit(&order) { $0.rows.remove(row) } }

    /// Moves a row to its new position. Complexity: O(log N).
    fileprivate static func move(_ row: Row, to position: Int, in order: inout EncodingOrder?) {
        edit(&order) {
            guard $0.rows.position(of: row) != position else { return }
            $0.rows.remove(row)
            $0.rows.insert(row, at: position)
            $0.placementCount += 1
        }
    }

    /// The order of the table after all entries were removed.
    @usableFromInline
    var emptied: EncodingOrder { EncodingOrder(RowOrder(), placementCount: placementCount) }
}

extension KeyedTable {
    /// Gives the rows an order, if they have none.
    ///
    /// - Complexity: O(N) for the first call.
    mutating func arrange() {
        guard order == nil else { return }
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(count)
        forEachRow { row in
            rows.append(row)
            return true
        }
        order = EncodingOrder(RowOrder(rows))
    }

    /// The order of the rows. Precondition: The rows have an order.
    var rowsInOrder: RowOrder {
        guard let order else { preconditionFailure("internal inconsistency: a recorded set has no order") }
        return order.rows
    }

    /// Moves a row to its new position. Precondition: The rows have an order.
    mutating func move(_ row: Row, to position: Int) { EncodingOrder.move(row, to: position, in: &order) }

    /// Calls `body` with the rows in the order in which they are encoded, until it returns `false`.
    func forEachRowInOrder(while body: (Row) throws -> Bool) rethrows {
        if let order { return try order.rows.forEach(while: body) }
        var rows = KeyedRows(self)
        while let row = rows.next() { guard try body(row) else { return } }
    }

    /// Whether a transaction that ends with the same keys may restore their order, or has not changed it. If not, the
    /// order was changed on purpose, or was read in between. Calls `==` of keys.
    ///
    /// - Parameters:
    ///   - other: The table before the transaction.
    ///   - wasRead: Whether the order may have been read after a change in the transaction.
    /// - Complexity: O(1), or O(N) if elements were placed anywhere but at the end, or if the order was read.
    func canHaveOrder(of other: KeyedTable, wasRead: Bool) -> Bool {
        guard let order, wasRead || order.placementCount != other.order?.placementCount ?? 0 else { return true }
        var rows = ContiguousArray<Row>()
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(count)
        other.forEachRowInOrder { row in
            rows.append(row)
            return true
        }
        var index = 0
        var isSame = true
        order.rows.forEach(while: { row in
            isSame = key(at: row) == other.key(at: rows[index])
            index += 1
            return isSame
        })
        return isSame
    }
}
