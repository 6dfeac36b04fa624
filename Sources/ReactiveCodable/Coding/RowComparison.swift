// The difference of two values of an ordered collection.
//
// A collection knows its recent changes itself. If it does not know them, because all elements were replaced or sorted,
// the rows are compared. A row that both values have belongs to the same element if the bits are equal. Elements that
// do not stay in order have moved.
//
// An element that is removed and inserted again has the row that was freed last, which may be a different one. So a
// removed element and an inserted one with the same bits are one element, which has moved or is where it was:
//
//     before   a in row 0   b in row 1
//              a is removed, b is removed, a is inserted, b is inserted
//     after    a in row 1   b in row 0      nothing has changed
//
// Nor does anything change if an element moves among elements with the same bits.

import Reactive

extension OrderedValue {
    /// Returns the changes since an earlier value. They lead to no edits if each position has the same bits as before.
    ///
    /// - Complexity: O(log N) for each change, and for each element that other elements with the same bits have passed;
    ///   O(N log N) if the collection no longer knows the changes.
    func rowDifference(from old: Self) -> RowDifference {
        var difference = difference(from: old) ?? comparison(with: old)
        findRenumbered(&difference, old)
        return unmoved(difference, old) ?? difference
    }

    /// Finds the elements whose row has changed.
    private func findRenumbered(_ difference: inout RowDifference, _ old: Self) {
        // If the order is the same, replaced elements have stayed.
        if difference.removed.isEmpty, difference.inserted.isEmpty, difference.moved.isEmpty { return }
        // The row of a replaced element may belong to one element before and to a different one after.
        let gone = old.positions(of: difference.removed + difference.replaced)
        let come = positions(of: difference.inserted + difference.replaced)
        // No test sees this always hold: it only saves time; nothing matches then.
        guard !gone.isEmpty, !come.isEmpty else { return }
        let numbers = numbersOfBits(
            of: gone.map { old.element(at: $0.position) } + come.map { element(at: $0.position) })
        // Elements with the same bits are matched in their order. The first one is at the end of its list.
        var origins: [Int: [UInt32]] = [:]
        for (number, origin) in zip(numbers, gone).reversed() { origins[number, default: []].append(origin.row) }
        for (number, new) in zip(numbers[gone.count...], come) {
            if let origin = origins[number]?.popLast() { difference.renumbered.append((old: origin, new: new.row)) }
        }
        // No test sees this always hold: it only saves time; nothing changes then.
        guard !difference.renumbered.isEmpty else { return }
        let oldRows = Set(difference.renumbered.map(\.old))
        let newRows = Set(difference.renumbered.map(\.new))
        difference.removed.removeAll(where: oldRows.contains)
        difference.inserted.removeAll(where: newRows.contains)
        for row in difference.replaced {
            switch (oldRows.contains(row), newRows.contains(row)) {
            case (true, false): difference.inserted.append(row)
            case (false, true): difference.removed.append(row)
            case (true, true), (false, false): break
            }
        }
        difference.replaced.removeAll { oldRows.contains($0) || newRows.contains($0) }
        // No test sees this: a row that is named twice is placed once, and what it has passed is examined in vain.
        difference.moved.removeAll { oldRows.contains($0) || newRows.contains($0) }
    }

    /// Returns rows with their positions, in order.
    private func positions(of rows: [UInt32]) -> [(position: Int, row: UInt32)] {
        rows.compactMap { row in position(of: row).map { (position: $0, row: row) } }
            // No test sees this boundary: the positions are distinct.
            .sorted { $0.position < $1.position }
    }

    /// Returns the rows that have changed, if elements have at most moved and the bits at all positions are as before.
    ///
    /// Elements that have not moved themselves are shifted between the old and the new position of one that has:
    ///
    ///     before   a b c d e
    ///     after    a c d b e      b has moved, c and d are shifted
    private func unmoved(_ difference: RowDifference, _ old: Self) -> RowDifference? {
        guard difference.removed.isEmpty, difference.inserted.isEmpty, difference.replaced.isEmpty else { return nil }
        let bits = BitComparison<Element>()
        func hasSameBits(at position: Int) -> Bool {
            withUnsafePointer(to: old.element(at: position)) { old in
                withUnsafePointer(to: element(at: position)) { bits.areEqual(old, $0, 1) }
            }
        }
        var turns: [(position: Int, shift: Int)] = []
        for (oldRow, newRow) in difference.moved.map({ (old: $0, new: $0) }) + difference.renumbered {
            guard let from = old.position(of: oldRow), let to = position(of: newRow),
                // No test sees this always hold: it only saves the comparisons below.
                hasSameBits(at: from),
                // No test sees this always hold: as above.
                hasSameBits(at: to)
            else { return nil }
            turns += [(position: from, shift: -1), (position: to, shift: 1)]
        }
        // No test sees this boundary: turns at one position may have any order.
        turns.sort { $0.position < $1.position }
        var result = RowDifference()
        var (shift, examined) = (0, 0)
        for (index, turn) in turns.enumerated() {
            shift += turn.shift
            // Up to the next turn, if the elements there are shifted. None are after the last one.
            let end = shift == 0 ? turn.position + 1 : turns[index + 1].position
            let start = max(turn.position, examined)
            examined = max(start, end)
            for position in start..<examined {
                guard hasSameBits(at: position) else { return nil }
                let (oldRow, newRow) = (old.row(at: position), row(at: position))
                // No test sees this always hold: a row that becomes itself changes nothing.
                if oldRow != newRow { result.renumbered.append((old: oldRow, new: newRow)) }
            }
        }
        return result
    }

    private func comparison(with old: Self) -> RowDifference {
        var difference = RowDifference()
        var oldElements: [UInt32: (position: Int, element: Element)] = [:]
        // No test sees this: it only saves allocations.
        oldElements.reserveCapacity(old.elementCount)
        var oldOrder: [UInt32] = []
        // No test sees this: it only saves allocations.
        oldOrder.reserveCapacity(old.elementCount)
        old.forEachElement { row, element in
            oldElements[row] = (oldOrder.count, element)
            oldOrder.append(row)
        }
        let bits = BitComparison<Element>()
        var common: [UInt32] = []
        var origins: [Range<Int>] = []
        forEachElement { row, element in
            guard let (position, oldElement) = oldElements.removeValue(forKey: row) else {
                return difference.inserted.append(row)
            }
            let isSame = withUnsafePointer(to: oldElement) { old in
                withUnsafePointer(to: element) { bits.areEqual(old, $0, 1) }
            }
            if !isSame, Self.hasUniqueElements {
                // A set cannot contain a new element and an equal one that has not been removed yet.
                oldElements[row] = (position, oldElement)
                return difference.inserted.append(row)
            }
            common.append(row)
            origins.append(position..<position + 1)
            if !isSame { difference.replaced.append(row) }
        }
        difference.removed = oldOrder.filter { oldElements[$0] != nil }
        let stayers = heaviestIncreasing(origins)
        // No test sees this always hold: it only saves a walk.
        // No test sees this boundary: as above.
        if stayers.count < common.count {
            var next = 0
            for index in common.indices {
                if next < stayers.count, stayers[next] == index {
                    next += 1
                } else {
                    difference.moved.append(common[index])
                }
            }
        }
        return difference
    }
}

/// The elements of two saved values of an ordered collection.
protocol SavedRows {
    var oldCount: Int { get }
    var newCount: Int { get }
    /// The edits from the old value to the new one.
    var edits: [RowEdit] { get }
    /// Returns the position in the old value of an element in the new one; `nil` if it was inserted or replaced.
    func origin(of position: Int) -> Int?
    func oldElement(_ row: UInt32) -> SavedValue
    func newElement(_ row: UInt32) -> SavedValue
}

/// Two values of an ordered collection.
struct ComparedRows<V: EncodableElements>: SavedRows {
    private let old: V
    private let new: V
    let edits: [RowEdit]
    /// The rows whose elements were inserted or replaced.
    private let fresh: Set<UInt32>
    /// The old rows of elements that were removed and inserted again, by their new ones.
    private let oldRows: [UInt32: UInt32]

    /// - Parameter difference: The difference of the two, if it is known.
    init(old: V, new: V, _ difference: RowDifference?) {
        let difference = difference ?? new.rowDifference(from: old)
        self.old = old
        self.new = new
        edits = new.edits(from: old, difference)
        fresh = Set(difference.inserted + difference.replaced)
        oldRows = Dictionary(uniqueKeysWithValues: difference.renumbered.map { ($0.new, $0.old) })
    }

    var oldCount: Int { old.elementCount }
    var newCount: Int { new.elementCount }

    func origin(of position: Int) -> Int? {
        // No test sees this always hold: the path of a change leads to an element of the new value.
        // No test sees this boundary: as above.
        guard position < newCount else { return nil }
        let row = new.row(at: position)
        return fresh.contains(row) ? nil : old.position(of: oldRows[row] ?? row)
    }

    func oldElement(_ row: UInt32) -> SavedValue { saved(row, old) }
    func newElement(_ row: UInt32) -> SavedValue { saved(row, new) }

    private func saved(_ row: UInt32, _ value: V) -> SavedValue {
        value.position(of: row).map { TypedValue(value.element(at: $0)) } ?? SavedValue()
    }
}
