// The interface of a dictionary or set for views. All of it is called under the lock.

import Reactive

extension _KeyedSource {
    /// Whether a row has an entry.
    @inlinable @inline(__always)
    final func contains(_ row: Row) -> Bool { table.contains(row) }

    /// The key of a row that has an entry.
    @inlinable @inline(__always)
    final func key(at row: Row) -> Key { table.key(at: row) }

    /// The value of a row that has an entry.
    @inlinable @inline(__always)
    final func value(at row: Row) -> Value { table.value(at: row) }

    /// Returns the row of a key, if the collection has the key.
    @inlinable
    final func row(of key: Key) -> Row? { find(key, lookingUp { hash(of: key) }) }

    /// Calls `body` with the entries in order until it returns `false`. `body` may run user code, even code that
    /// changes the collection: the iteration uses the entries from before.
    ///
    /// - Complexity: O(N).
    @inlinable
    final func forEachRow(while body: (Row, Key, Value) -> Bool) {
        let table = table
        table.forEachRow { row in body(row, table.key(at: row), table.value(at: row)) }
    }
}
