// A copy of a set for modules that record its changes: its elements in the order in which they are encoded, with their
// rows. The log of the set gives the difference from an earlier copy.

import Reactive

/// The elements of an ``ObservableSet`` at one time, in order. A copy takes O(1).
package struct SetValue<Element: Hashable>: OrderedValue {
    private var table: KeyedTable<Element, Void>
    /// The log of the set and its end at that time; `nil` for a value that was not read from a set.
    private var source: (log: LogBox, mark: LogMark)?

    /// Creates the value of a set that logs its changes.
    init(_ table: KeyedTable<Element, Void>, log: LogBox) {
        self.table = table
        source = (log, log.cuts.mark(log.log.end))
    }

    /// Creates a value that was not read from a set. Of equal elements, it has the first.
    init(_ elements: [Element]) {
        table = KeyedTable()
        // No test sees this left out: it only saves allocations.
        table.reserveCapacity(elements.count)
        table.arrange()
        insertElements(elements, at: 0)
    }

    // MARK: - Reading

    package func isIdentical(to other: SetValue) -> Bool {
        guard let source, let otherSource = other.source else { return false }
        return source.log === otherSource.log && source.mark == otherSource.mark
    }

    package var elementCount: Int { table.count }

    private var rows: RowOrder { table.rowsInOrder }

    package func element(at position: Int) -> Element { table.key(at: rows.row(at: position)) }
    package func row(at position: Int) -> UInt32 { rows.row(at: position) }
    package func position(of row: UInt32) -> Int? { rows.contains(row) ? rows.position(of: row) : nil }

    package static var hasUniqueElements: Bool { true }

    package func position(ofUnique element: Element) -> Int? {
        table.find(element, hash: KeyedTable<Element, Void>.hash(of: element)).map { rows.position(of: $0) }
    }

    /// Whether both have equal elements in the same order. Calls `==` of elements.
    ///
    /// - Complexity: O(N).
    func hasSameElements(as other: SetValue) -> Bool {
        guard elementCount == other.elementCount else { return false }
        var position = 0
        var isSame = true
        rows.forEach(while: { row in
            isSame = table.key(at: row) == other.element(at: position)
            position += 1
            return isSame
        })
        return isSame
    }

    package func forEachElement(_ body: (UInt32, Element) -> Void) {
        rows.forEach { body($0, table.key(at: $0)) }
    }

    // MARK: - Editing

    /// Inserts elements that the value does not have.
    package mutating func insertElements(_ new: [Element], at position: Int) {
        source = nil
        var position = position
        for element in new {
            let hash = KeyedTable<Element, Void>.hash(of: element)
            guard table.find(element, hash: hash) == nil else { continue }
            table.move(table.insert(element, (), hash: hash), to: position)
            position += 1
        }
    }

    package mutating func removeElements(_ range: Range<Int>) {
        source = nil
        for position in range.reversed() {
            let row = rows.row(at: position)
            _ = table.remove(row, hash: KeyedTable<Element, Void>.hash(of: table.key(at: row)))
        }
    }

    package mutating func moveElement(from: Int, to: Int) {
        source = nil
        table.move(rows.row(at: from), to: to)
    }

    package mutating func replaceElement(at position: Int, by element: Element) {
        removeElements(position..<position + 1)
        insertElements([element], at: position)
    }

    // MARK: - Comparing

    package func difference(from old: SetValue) -> RowDifference? {
        guard let source, let oldSource = old.source, source.log === oldSource.log,
            source.log.cuts.isValid(source.mark), source.log.cuts.isValid(oldSource.mark),
            let changes = source.log.log.changes(since: min(source.mark.cursor, oldSource.mark.cursor))
        else { return nil }
        var difference = RowDifference()
        for change in changes {
            let row = change.row
            switch (old.table.contains(row), table.contains(row)) {
            case (false, false): break
            case (true, false): difference.removed.append(row)
            case (false, true): difference.inserted.append(row)
            case (true, true):
                // No test sees this always hold: a row that is not new has the same element.
                if change.reasons.contains(.renewed),
                    !haveSameBits(old.table.key(at: row), table.key(at: row))
                {
                    difference.removed.append(row)
                    difference.inserted.append(row)
                } else {
                    difference.moved.append(row)
                }
            }
        }
        return difference
    }

    package func edits(from old: SetValue, _ difference: RowDifference) -> [RowEdit] {
        rows.edits(from: old.rows, difference)
    }
}

extension SetValue: Encodable, EncodableElements where Element: Encodable {
    package func encode(to encoder: any Encoder) throws { try SetSnapshot(table).encode(to: encoder) }
}

extension SetValue: Decodable where Element: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([Element].self))
    }
}

extension SetValue: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}
