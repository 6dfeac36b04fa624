// A copy of an array for modules that record its changes. It can compute its difference from an earlier copy.

import Reactive

/// The elements of an ``ObservableArray`` at one time, with their rows. A copy takes O(1).
package struct ArrayValue<Element>: OrderedValue {
    var elements: CountedTree<Element>
    var rows: RowOrder
    var numbers: RowNumbers
    /// The log of the array and its end at that time; `nil` for a value that was not read from an array.
    var source: (log: LogBox, mark: LogMark)?

    /// Creates a value that was not read from an array. Its elements are distinct from those of any array.
    init(_ elements: [Element]) {
        self.elements = CountedTree(elements)
        rows = RowOrder(identity: elements.count)
        numbers = RowNumbers()
        numbers.next = Row(elements.count)
    }

    init(elements: CountedTree<Element>, rows: RowOrder, numbers: RowNumbers, log: LogBox) {
        self.elements = elements
        self.rows = rows
        self.numbers = numbers
        source = (log, log.cuts.mark(log.log.end))
    }

    // MARK: - Reading

    package func isIdentical(to other: ArrayValue) -> Bool {
        guard let source, let otherSource = other.source else { return false }
        return source.log === otherSource.log && elements.isIdentical(to: other.elements)
    }

    package var elementCount: Int { elements.count }

    package func element(at position: Int) -> Element { elements[position] }
    package func row(at position: Int) -> UInt32 { rows.row(at: position) }
    package func position(of row: UInt32) -> Int? { rows.contains(row) ? rows.position(of: row) : nil }

    package func forEachElement(_ body: (UInt32, Element) -> Void) {
        var iterator = elements.makeIterator()
        rows.forEach(while: { row in
            // No test sees this: each row has an element.
            guard let element = iterator.next() else { return false }
            body(row, element)
            return true
        })
    }

    // MARK: - Editing

    package mutating func insertElements(_ new: [Element], at position: Int) {
        source = nil
        elements.insert(contentsOf: new, at: position)
        for offset in new.indices { rows.insert(numbers.take(), at: position + offset) }
    }

    package mutating func removeElements(_ range: Range<Int>) {
        source = nil
        elements.removeSubrange(range)
        for position in range.reversed() {
            let row = rows.row(at: position)
            rows.remove(row)
            numbers.release(row)
        }
    }

    package mutating func moveElement(from: Int, to: Int) {
        source = nil
        elements.insert(elements.remove(at: from), at: to)
        let row = rows.row(at: from)
        rows.remove(row)
        rows.insert(row, at: to)
    }

    package mutating func replaceElement(at position: Int, by element: Element) {
        source = nil
        elements[position] = element
    }

    // MARK: - Comparing

    package func difference(from old: ArrayValue) -> RowDifference? {
        guard let source, let oldSource = old.source, source.log === oldSource.log,
            source.log.cuts.isValid(source.mark), source.log.cuts.isValid(oldSource.mark),
            let changes = source.log.log.changes(since: min(source.mark.cursor, oldSource.mark.cursor)),
            !changes.isReordered
        else { return nil }
        var difference = RowDifference()
        for change in changes {
            let row = change.row
            switch (old.rows.contains(row), rows.contains(row)) {
            case (false, false): break
            case (true, false): difference.removed.append(row)
            case (false, true): difference.inserted.append(row)
            case (true, true):
                let isSame = haveSameBits(old.elements[old.rows.position(of: row)], elements[rows.position(of: row)])
                if change.reasons.contains(.renewed) {
                    if isSame {
                        difference.moved.append(row)
                    } else {
                        difference.removed.append(row)
                        difference.inserted.append(row)
                    }
                    continue
                }
                if !isSame { difference.replaced.append(row) }
                if change.reasons.contains(.moved) { difference.moved.append(row) }
            }
        }
        return difference
    }

    package func edits(from old: ArrayValue, _ difference: RowDifference) -> [RowEdit] {
        rows.edits(from: old.rows, difference)
    }
}

extension ArrayValue: Encodable, EncodableElements where Element: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(ArraySnapshot(elements)))
    }
}

extension ArrayValue: Decodable where Element: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([Element].self))
    }
}

extension ArrayValue: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}

/// Whether two values are the same in every bit, including padding. If so, they are the same as long as both are alive.
func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { haveSameBytes(a, $0, MemoryLayout<Value>.size) } }
}

func haveSameBytes(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
    var offset = 0
    // No test sees this never hold: the rest is compared byte by byte.
    // No test sees this boundary: as above.
    while offset + 8 <= count {
        let (first, second) = (
            a.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
            b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        )
        if first != second { return false }
        offset += 8
    }
    return (offset..<count).allSatisfy {
        a.load(fromByteOffset: $0, as: UInt8.self) == b.load(fromByteOffset: $0, as: UInt8.self)
    }
}
