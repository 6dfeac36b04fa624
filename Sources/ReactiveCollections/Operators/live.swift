// Plain arrays as stages: rows by id. Each change of the array compares all elements.
//
// State: an element and an id for each row, an index from ids to rows, an order of its own. The array itself is not
// kept: with a second reference, the next mutation in place would copy all of it.

import Reactive

extension LiveArray {
    /// Creates a view of an array that is read again when it changes.
    ///
    /// - Parameters:
    ///   - node: The node that the array is read from, or any node of its graph.
    ///   - id: Returns the id of an element.
    ///   - areEqual: Whether two elements with the same id count as equal.
    ///   - name: The name in diagnostics.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - read: Returns the array. Tracked.
    @inlinable
    static func following<Elements: Collection<Element>, ID: Hashable>(
        beside node: _Node, id: @escaping (Element) -> ID, areEqual: @escaping (Element, Element) -> Bool,
        named name: String?, fileID: StaticString, line: UInt, _ read: @escaping () -> Elements
    ) -> LiveArray {
        let view = View(
            beside: node, hasOwnOrder: true, named: name, fileID: fileID, line: line,
            state: IdentifiedRows<Element, ID>()
        ) { view in
            let elements = read()
            untracked { view.follow(elements, id: id, areEqual: areEqual) }
        }
        return LiveArray(
            stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log,
            element: { view.state.entries[Int($0)].unsafelyUnwrapped.element },
            forEachRow: { body in
                view.own.unsafelyUnwrapped.forEach { body($0, view.state.entries[Int($0)].unsafelyUnwrapped.element) }
            })
    }
}

/// The elements of an array by their ids.
@frozen @usableFromInline
struct IdentifiedRows<Element, ID: Hashable> {
    @usableFromInline var numbers = RowNumbers()
    @usableFromInline var entries = Chunked<Entry?>()
    @usableFromInline var index = RowIndex()
    /// Whether duplicate ids have been reported.
    @usableFromInline var hasReported = false

    /// An element, its id, and the hash of the id.
    @frozen @usableFromInline
    struct Entry {
        @usableFromInline var element: Element
        @usableFromInline let id: ID
        @usableFromInline let hash: Int

        @inlinable
        init(element: Element, id: ID, hash: Int) {
            self.element = element
            self.id = id
            self.hash = hash
        }
    }

    @inlinable
    init() {}

    @inlinable
    func row(of id: ID, hash: Int) -> Row? {
        index.find(hash: hash) { entries[Int($0)].unsafelyUnwrapped.id == id }
    }
}

extension View {
    /// Updates the rows to those of an array.
    @inlinable
    func follow<Element, ID: Hashable>(
        _ elements: some Collection<Element>, id: (Element) -> ID, areEqual: (Element, Element) -> Bool
    ) where State == IdentifiedRows<Element, ID> {
        let own = own.unsafelyUnwrapped
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(elements.count)
        var isSeen = ContiguousArray<Bool>(repeating: false, count: Int(state.numbers.next))
        var new: ContiguousArray<Row> = []
        // The row that the next element has if nothing moves.
        // No test sees this never hold: it only saves a look-up.
        var expected = own.count > 0 ? own.rows.row(at: 0) : nil
        for element in elements {
            let id = id(element)
            var found: Row?
            // No test sees this never hold: it only saves look-ups.
            if let row = expected, state.entries[Int(row)].unsafelyUnwrapped.id == id { found = row }
            var hash = 0
            // No test sees this always hold: the index finds the same row.
            if found == nil {
                // No test sees this left out: with one hash for all, look-ups are only slower.
                hash = id.hashValue
                found = state.row(of: id, hash: hash)
            }
            guard let row = found else {
                let row = state.numbers.take()
                state.entries.set(.init(element: element, id: id, hash: hash), at: row)
                state.index.insert(hash: hash, row: row)
                if Int(row) < isSeen.count { isSeen[Int(row)] = true } else { isSeen.append(true) }
                new.append(row)
                rows.append(row)
                continue
            }
            if isSeen[Int(row)] {
                reportDuplicate("\(id)")
                continue
            }
            isSeen[Int(row)] = true
            rows.append(row)
            // No test sees this left out: it only saves look-ups.
            expected = own.rows.row(after: row)
            let entry = state.entries[Int(row)].unsafelyUnwrapped
            if !areEqual(entry.element, element) {
                discard(entry)
                state.entries[Int(row)]?.element = element
                note(row, .updated, count: elements.count)
            }
        }
        removeRows(unlessIn: isSeen)
        arrange(rows, new: new)
    }

    /// Removes the rows of elements that have left.
    @inlinable
    func removeRows<Element, ID: Hashable>(unlessIn isSeen: ContiguousArray<Bool>)
    where State == IdentifiedRows<Element, ID> {
        let own = own.unsafelyUnwrapped
        var gone: ContiguousArray<Row> = []
        own.rows.forEach { (row: Row) -> Void in if !isSeen[Int(row)] { gone.append(row) } }
        for row in gone {
            guard let entry = state.entries.take(row) else { continue }
            state.index.remove(hash: entry.hash, row: row)
            state.numbers.release(row)
            discard(entry)
            own.rows.remove(row)
            note(row, .gone, count: own.count)
        }
    }

    @usableFromInline
    func reportDuplicate<Element, ID>(_ id: String) where State == IdentifiedRows<Element, ID> {
        if state.hasReported { return }
        state.hasReported = true
        Hosting.report(
            .misuse,
            """
            A live array has several elements with the id \(id). It contains only the first one. Give each element its \
            own id.
            """,
            site: "live(id:)")
    }
}

extension AnyView {
    /// Sorts the rows into an order that contains all of them, and more.
    ///
    /// - Parameters:
    ///   - rows: The order.
    ///   - new: The rows that are not in the view yet.
    @usableFromInline
    final func arrange(_ rows: ContiguousArray<Row>, new: ContiguousArray<Row>) {
        let own = own.unsafelyUnwrapped
        // No test sees this never hold: insertions, one by one, give the same order.
        if new.count == rows.count {
            own.rows = RowOrder(rows)
        } else {
            for row in moves(to: rows) {
                own.rows.remove(row)
                note(row, .moved, count: rows.count)
            }
            var previous: Row?
            for row in rows {
                if !own.rows.contains(row) { own.rows.insert(row, after: previous) }
                previous = row
            }
        }
        for row in new { note(row, .renewed, count: rows.count) }
    }

    /// The smallest set of rows whose moves give the order of `rows`.
    ///
    /// - Complexity: O(N) if none has to move, else O(N log N).
    private final func moves(to rows: ContiguousArray<Row>) -> ContiguousArray<Row> {
        let own = own.unsafelyUnwrapped
        let present = rows.filter { own.rows.contains($0) }
        // No test sees this: without rows, there is nothing to move.
        var isSame = true
        var index = 0
        own.rows.forEach(while: {
            isSame = present[index] == $0
            // No test sees this left out: the search below finds no moves either.
            index += 1
            return isSame
        })
        // No test sees this never hold: for the same reason.
        if isSame { return [] }
        var positions = ContiguousArray<Int>(repeating: 0, count: Int(present.max() ?? 0) + 1)
        var position = 0
        own.rows.forEach { (row: Row) -> Void in
            positions[Int(row)] = position
            position += 1
        }
        // The rows of the longest increasing subsequence of positions stay. `tails[k]` is the last row of the
        // increasing subsequence of length k + 1 whose last position is lowest.
        var tails: ContiguousArray<Int> = []
        var previous = ContiguousArray<Int>(repeating: -1, count: present.count)
        for (index, row) in present.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                // No test sees this boundary: no two rows have the same position.
                if positions[Int(present[tails[middle]])] < positions[Int(row)] {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var stays = ContiguousArray<Bool>(repeating: false, count: present.count)
        var next = tails.last ?? -1
        while next >= 0 {
            stays[next] = true
            next = previous[next]
        }
        return ContiguousArray(present.indices.lazy.filter { !stays[$0] }.map { present[$0] })
    }
}
