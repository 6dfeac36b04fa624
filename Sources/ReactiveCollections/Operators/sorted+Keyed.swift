// The entries of a view by key, sorted: `sorted`, applied to the entries in the order of their row numbers.

import Reactive

extension LiveDictionary {
    /// Returns a view of the keys and values, sorted by a key that a closure returns. Entries with equal keys are in
    /// the order of ``keys``.
    ///
    /// ```swift
    /// let ranking = points.live.sorted(by: { -$0.value })
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the sort key of an entry. Runs once for each key that is inserted or whose value changes, and
    ///     again when an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<SortKey: Comparable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping ((key: Key, value: Value)) -> SortKey
    ) -> LiveArray<(key: Key, value: Value)> {
        pairs.sorted(named: name, isolation: isolation, fileID: fileID, line: line, by: key)
    }

    /// Returns a view of the keys and values, sorted by a predicate. Entries that the predicate does not order are in
    /// the order of ``keys``. For observables that the predicate reads, see `LiveArray.sorted(by:)`.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `areInIncreasingOrder` belongs to, by default the caller's; `nil` if it may run
    ///     anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - areInIncreasingOrder: Whether the first entry comes before the second; a strict weak ordering. Kept alive by
    ///     the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line,
        by areInIncreasingOrder: @escaping ((key: Key, value: Value), (key: Key, value: Value)) -> Bool
    ) -> LiveArray<(key: Key, value: Value)> {
        pairs.sorted(named: name, isolation: isolation, fileID: fileID, line: line, by: areInIncreasingOrder)
    }
}
