/// Chunked arrays of values that only some rows have.
extension Chunked {
    /// The value of a row, or `nil` if it has none.
    @inlinable @inline(__always)
    func value<Value>(at row: UInt32) -> Value? where Element == Value? {
        Int(row) < count ? self[Int(row)] : nil
    }

    /// Sets the value of a row.
    @inlinable @inline(__always)
    mutating func set<Value>(_ value: Value, at row: UInt32) where Element == Value? {
        while count <= Int(row) { append(nil) }
        self[Int(row)] = value
    }

    /// Removes and returns the value of a row, if it has one.
    @inlinable @inline(__always)
    mutating func take<Value>(_ row: UInt32) -> Value? where Element == Value? {
        guard Int(row) < count else { return nil }
        return self[Int(row)].take()
    }

    /// Sets the element of a row; earlier rows without an element get a filler.
    @inlinable @inline(__always)
    mutating func set(_ element: Element, at row: UInt32, filler: Element) {
        while count <= Int(row) { append(filler) }
        self[Int(row)] = element
    }
}
