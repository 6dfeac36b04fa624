// The rows of a view that has several rows for each row above: `flatMap` and `joined`.
//
// The rows that come from one row above are its *segment*. Segments are in the order of the rows above. The view's
// `OwnOrdering` has the order of all rows. This type has the origin of each row and the end of each segment.

/// The segments of a view's rows.
@frozen @usableFromInline
struct FlatRows {
    @usableFromInline var numbers = RowNumbers()
    /// The origin of each row.
    @usableFromInline var origins = Chunked<Origin>()
    /// The rows above that have a segment in the order, in the order above.
    @usableFromInline var outers = RowOrder()
    /// The last row of each segment, by row above. Valid for `outers` alone.
    @usableFromInline var lasts = Chunked<Row>()

    /// The origin of a row.
    @frozen @usableFromInline
    struct Origin: BitwiseCopyable {
        /// The row above.
        @usableFromInline let outer: Row
        /// Additional information of the operator.
        @usableFromInline let inner: Row

        @inlinable
        init(outer: Row, inner: Row) {
            self.outer = outer
            self.inner = inner
        }
    }

    @inlinable
    init() {}

    /// Creates a row that is not in the order yet. Returns its number.
    @usableFromInline
    mutating func take(outer: Row, inner: Row) -> Row {
        let row = numbers.take()
        let origin = Origin(outer: outer, inner: inner)
        origins.set(origin, at: row, filler: origin)
        return row
    }

    /// Inserts a row into the order.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - previous: The row of the same segment that it follows; `nil` if it is the first of the segment.
    ///   - own: The order.
    ///   - ordering: The order above.
    /// - Complexity: O(log N).
    @usableFromInline
    mutating func insert(_ row: Row, after previous: Row?, into own: OwnOrdering, like ordering: Ordering) {
        let outer = origins[Int(row)].outer
        if let previous {
            own.rows.insert(row, after: previous)
            if lasts[Int(outer)] == previous { lasts[Int(outer)] = row }
            return
        }
        let isFirst = !outers.contains(outer)
        if isFirst { outers.insert(outer, like: ordering) }
        own.rows.insert(row, after: outers.row(before: outer).map { lasts[Int($0)] })
        if isFirst { lasts.set(row, at: outer, filler: row) }
    }

    /// Removes a row from the order. The row keeps its number.
    ///
    /// - Precondition: The row is in the order.
    /// - Complexity: O(log N).
    @usableFromInline
    mutating func takeOut(_ row: Row, from own: OwnOrdering) {
        let outer = origins[Int(row)].outer
        if lasts[Int(outer)] == row {
            if let before = own.rows.row(before: row), origins[Int(before)].outer == outer {
                lasts[Int(outer)] = before
            } else {
                outers.remove(outer)
            }
        }
        own.rows.remove(row)
    }

    /// Removes a row from the order and releases its number.
    @usableFromInline
    mutating func remove(_ row: Row, from own: OwnOrdering) {
        if own.rows.contains(row) { takeOut(row, from: own) }
        numbers.release(row)
    }

    /// The rows of a segment in order.
    ///
    /// - Complexity: O(rows).
    @usableFromInline
    func segment(of outer: Row, in own: OwnOrdering) -> ContiguousArray<Row> {
        guard outers.contains(outer) else { return [] }
        var rows: ContiguousArray<Row> = []
        var next: Row? = lasts[Int(outer)]
        while let row = next, origins[Int(row)].outer == outer {
            rows.append(row)
            next = own.rows.row(before: row)
        }
        rows.reverse()
        return rows
    }

    /// Removes a segment from the order. Returns its rows, which keep their numbers.
    @usableFromInline
    mutating func takeOutSegment(of outer: Row, from own: OwnOrdering) -> ContiguousArray<Row> {
        let rows = segment(of: outer, in: own)
        for row in rows.reversed() { takeOut(row, from: own) }
        return rows
    }

    /// Inserts a segment.
    @usableFromInline
    mutating func insert(_ segment: ContiguousArray<Row>, into own: OwnOrdering, like ordering: Ordering) {
        var previous: Row?
        for row in segment {
            insert(row, after: previous, into: own, like: ordering)
            previous = row
        }
    }

    /// Sorts all segments in the order by the order above.
    ///
    /// - Complexity: O(N).
    @usableFromInline
    mutating func reorder(_ own: OwnOrdering, like ordering: Ordering) {
        var all: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        all.reserveCapacity(own.rows.count)
        var heads: ContiguousArray<Row> = []
        ordering.forEach { outer in
            if outers.contains(outer) {
                heads.append(outer)
                all += segment(of: outer, in: own)
            }
            return true
        }
        outers = RowOrder(heads)
        own.rows = RowOrder(all)
    }
}
