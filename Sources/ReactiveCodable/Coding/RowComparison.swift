// The difference of two values of an ordered collection.
//
// A collection knows its recent changes itself. If it does not know them, because all elements were replaced or sorted,
// the rows are compared. A row that both values have belongs to the same element if the bits are equal. Elements that
// do not stay in order have moved.

import Reactive

extension OrderedValue {
    /// Returns the changes since an earlier value.
    ///
    /// - Complexity: O(the number of changes); O(N log N) if the collection no longer knows them.
    func rowDifference(from old: Self) -> RowDifference { difference(from: old) ?? comparison(with: old) }

    private func comparison(with old: Self) -> RowDifference {
        var difference = RowDifference()
        var oldElements: [UInt32: (position: Int, element: Element)] = [:]
        oldElements.reserveCapacity(old.elementCount)
        var oldOrder: [UInt32] = []
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

    /// - Parameter difference: The difference of the two, if it is known.
    init(old: V, new: V, _ difference: RowDifference?) {
        let difference = difference ?? new.rowDifference(from: old)
        self.old = old
        self.new = new
        edits = new.edits(from: old, difference)
        fresh = Set(difference.inserted + difference.replaced)
    }

    var oldCount: Int { old.elementCount }
    var newCount: Int { new.elementCount }

    func origin(of position: Int) -> Int? {
        guard position < newCount else { return nil }
        let row = new.row(at: position)
        return fresh.contains(row) ? nil : old.position(of: row)
    }

    func oldElement(_ row: UInt32) -> SavedValue { saved(row, old) }
    func newElement(_ row: UInt32) -> SavedValue { saved(row, new) }

    private func saved(_ row: UInt32, _ value: V) -> SavedValue {
        value.position(of: row).map { TypedValue(value.element(at: $0)) } ?? SavedValue()
    }
}
