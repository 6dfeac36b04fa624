// The edits of one delivery.

/// The edits that turn the previously delivered elements into the current ones.
///
/// Applied in order to the previous array, they give the current array. Removals come first, from the last position to
/// the first, then insertions and moves, then updates. As few elements as possible move. So they are the difference of
/// two states, and not a log of the calls between them.
public struct CollectionChanges<Element>: RandomAccessCollection {
    private let edits: [CollectionChange<Element>]
    private let moves: [(row: Row, element: Element)]
    private let source: RowEdits<Element>

    init(_ source: RowEdits<Element>) {
        (edits, moves) = source.edits()
        self.source = source
    }

    /// The index of the first edit.
    public var startIndex: Int { 0 }

    /// The number of edits.
    public var endIndex: Int { edits.count }

    /// An edit.
    ///
    /// - Parameter index: The index of the edit, starting at 0.
    public subscript(index: Int) -> CollectionChange<Element> { edits[index] }

    /// The same changes as the difference of two arrays.
    ///
    /// A move is a removal and an insertion that are associated with each other. An update is a removal and an
    /// insertion that are not.
    ///
    /// - Complexity: O(K log N) for K edits of N elements.
    public var difference: CollectionDifference<Element> {
        var changes: [CollectionDifference<Element>.Change] = []
        for (offset, _, element) in source.removals {
            changes.append(.remove(offset: offset, element: element, associatedWith: nil))
        }
        for (offset, _, element) in source.insertions {
            changes.append(.insert(offset: offset, element: element, associatedWith: nil))
        }
        var updates: [Row: (old: Element, new: Element)] = [:]
        for row in source.rows { updates[row.row] = row.update }
        for (row, element) in moves {
            let (from, to) = (source.before.position(of: row), source.after.position(of: row))
            let new = updates.removeValue(forKey: row)?.new ?? element
            changes.append(.remove(offset: from, element: element, associatedWith: to))
            changes.append(.insert(offset: to, element: new, associatedWith: from))
        }
        for (row, update) in updates {
            let (from, to) = (source.before.position(of: row), source.after.position(of: row))
            changes.append(.remove(offset: from, element: update.old, associatedWith: nil))
            changes.append(.insert(offset: to, element: update.new, associatedWith: nil))
        }
        guard let difference = CollectionDifference(changes) else {
            preconditionFailure("internal inconsistency: the edits do not form a CollectionDifference")
        }
        return difference
    }
}

extension CollectionChanges: @unchecked Sendable where Element: Sendable {
    // A value: its shared parts are never written.
}

extension CollectionChanges: CustomStringConvertible {
    /// The edits, as an array prints them.
    public var description: String { edits.description }
}
