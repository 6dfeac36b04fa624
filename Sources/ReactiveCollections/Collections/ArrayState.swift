// What an `ObservableArray` is, as a value.
//
// Copies cost O(1): the parts are copy-on-write by chunks. The transaction log keeps such a copy, and a roll-back puts
// it back.

/// The elements of an array, and what belongs to them.
@frozen @usableFromInline
struct ArrayState<Element> {
    @usableFromInline var elements: CountedTree<Element>
    /// Gives numbers to new rows. Says nothing as long as the array has no rows.
    @usableFromInline var numbers = RowNumbers()
    /// The rows by the ids of their elements; `nil` if the index must be built before it is used.
    @usableFromInline var index: RowIndex?
    /// Whether the index is there and lacks elements, because others with the same ids come first.
    @usableFromInline var hasDuplicates = false

    @inlinable
    init(_ elements: CountedTree<Element>) { self.elements = elements }
}

/// What the transaction log keeps of an array.
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
