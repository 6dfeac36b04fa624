// The order in which a recorded set is encoded.
//
// Iteration follows the rows, and an element may come into the row of one that has left. JSON Patch names elements by
// position. So a set that is recorded or patched has an order of its rows besides. An element that comes is the last
// one, unless a patch or an undo puts it elsewhere. The order begins as that of the rows, which in a decoded set is that
// of the document. It is a part of the table, so it is rolled back with it. All other tables have none.

/// The order in which the elements of a table are encoded. Shared by copies of the table; see `KeyedTable.order`.
@usableFromInline
final class EncodingOrder {
    fileprivate(set) var rows: RowOrder
    /// The number of rows that were put elsewhere than behind all others.
    fileprivate(set) var placementCount: Int

    fileprivate init(_ rows: RowOrder, placementCount: Int = 0) {
        self.rows = rows
        self.placementCount = placementCount
    }

    /// Calls `body` with the rows to edit, which no copy of the table shares.
    private static func edit(_ order: inout EncodingOrder?, _ body: (EncodingOrder) -> Void) {
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

    /// Moves a row to the position that it has afterwards. Complexity: O(log N).
    fileprivate static func move(_ row: Row, to position: Int, in order: inout EncodingOrder?) {
        edit(&order) {
            guard $0.rows.position(of: row) != position else { return }
            $0.rows.remove(row)
            $0.rows.insert(row, at: position)
            $0.placementCount += 1
        }
    }

    /// The order of a table that was emptied.
    @usableFromInline
    var emptied: EncodingOrder { EncodingOrder(RowOrder(), placementCount: placementCount) }
}

extension KeyedTable {
    /// Gives the rows an order if they have none.
    ///
    /// - Complexity: O(N) for the first call.
    mutating func arrange() {
        guard order == nil else { return }
        var rows: ContiguousArray<Row> = []
        rows.reserveCapacity(count)
        forEachRow { row in
            rows.append(row)
            return true
        }
        order = EncodingOrder(RowOrder(rows))
    }

    /// The order of the rows. Precondition: They have one.
    var rowsInOrder: RowOrder {
        guard let order else { preconditionFailure("internal inconsistency: a recorded set has no order") }
        return order.rows
    }

    /// Moves a row to the position that it has afterwards. Precondition: The rows have an order.
    mutating func move(_ row: Row, to position: Int) { EncodingOrder.move(row, to: position, in: &order) }

    /// Calls `body` with the rows in the order in which they are encoded, until it returns `false`.
    func forEachRowInOrder(while body: (Row) throws -> Bool) rethrows {
        if let order { return try order.rows.forEach(while: body) }
        var rows = KeyedRows(self)
        while let row = rows.next() { guard try body(row) else { return } }
    }

    /// Whether a transaction that has restored the keys may restore their order as well, or has done so. Otherwise, the
    /// order has been changed on purpose or was read in between. Calls `==` of keys.
    ///
    /// - Parameters:
    ///   - other: The table before the transaction.
    ///   - wasRead: Whether somebody may have read the order after the transaction had changed something.
    /// - Complexity: O(1), or O(N) if elements were put elsewhere than behind all others or the order was read.
    func canHaveOrder(of other: KeyedTable, wasRead: Bool) -> Bool {
        guard let order, wasRead || order.placementCount != other.order?.placementCount ?? 0 else { return true }
        var rows = ContiguousArray<Row>()
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
