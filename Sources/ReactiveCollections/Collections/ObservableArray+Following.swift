// The interface of an array for views: the rows, their elements, and the log.

import Reactive

extension ObservableArray {
    /// Starts logging the rows that change. Called under the lock.
    @usableFromInline
    final func follow() {
        if !hasRows { createRows() }
        stageLog.isFollowed = true
    }

    /// Gives each element a row. Called under the lock.
    @usableFromInline
    final func createRows() {
        hasRows = true
        let count = Row(state.elements.count)
        ordering.rows = RowOrder(identity: state.elements.count)
        // No number is in use, and there is no index: the state is from before the rows.
        state.numbers.next = count
        // For followers that are not rolled back with the array.
        stageLog.noteAll()
    }

    /// Returns the element of a row. Called under the lock.
    ///
    /// - Complexity: O(log N).
    @inlinable
    final func element(at row: Row) -> Element {
        guard ordering.rows.contains(row) else { stopForMissingElement() }
        return state.elements[ordering.rows.position(of: row)]
    }

    @usableFromInline @inline(never)
    final func stopForMissingElement() -> Never {
        fatalError(
            """
            Reactive: a closure of a view has removed elements of \(displayName) that the view still has to read. \
            Change the array in a reaction instead.
            """)
    }

    /// Calls `body` with the rows and elements in order, until it returns `false`. Called under the lock. The iteration
    /// ignores what `body` writes.
    ///
    /// - Complexity: O(N).
    @inlinable
    final func forEachRow(while body: (Row, Element) -> Bool) {
        var iterator = state.elements.makeIterator()
        let rows = ordering.rows
        rows.forEach { row in
            // No test sees this: each row has an element.
            guard let element = iterator.next() else { return false }
            return body(row, element)
        }
    }
}
