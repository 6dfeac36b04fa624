// The state of an `ObservableArray`, as a value.
//
// Copies cost O(1), because the parts are copy-on-write by chunks. The transaction log keeps such a copy, and a
// roll-back restores it.

/// The elements of an array, with their rows and their index of ids.
@frozen @usableFromInline
struct ArrayState<Element> {
    @usableFromInline var elements: CountedTree<Element>
    /// The numbers of the rows. Not valid as long as the array has no rows.
    @usableFromInline var numbers = RowNumbers()
    /// The rows by the ids of their elements; `nil` if the index must be built before it is used.
    @usableFromInline var index: RowIndex?
    /// Whether the index lacks elements, because earlier elements have the same ids. Not valid without an index.
    @usableFromInline var hasDuplicates = false

    @inlinable
    init(_ elements: CountedTree<Element>) { self.elements = elements }
}

/// The state of an array that the transaction log keeps.
@frozen @usableFromInline
struct SavedArray<Element> {
    @usableFromInline var state: ArrayState<Element>
    /// The order of the rows; `nil` if the array had no rows.
    @usableFromInline var rows: RowOrder?
    /// The log of dirty rows.
    @usableFromInline var log: RowLog

    @inlinable
    init(state: ArrayState<Element>, rows: RowOrder?, log: RowLog) {
        self.state = state
        self.rows = rows
        self.log = log
    }
}
