// The region of a cell: what its value encodes, up to the next cells.
//
//     Region            the region of a cell's value
//     ElementsRegion    the elements of an array, each in a region of its own
//     MembersRegion     the values of a dictionary, each in a region of its own
//     RowsRegion        the elements of an ordered collection, each in a region of its own
//
// The next cells are the children of the region. Links lead from a cell to the regions that contain it. When a value
// has been encoded again, its cell has a new region. The old region is invalid, and so are all links to it.
//
// If the value is an array, each element has a region of its own. So when the array changes, only new elements are
// encoded, and the links of the others remain:
//
//     items = [a, b, c]     elements: [A, B, C]
//     insert x at 0         elements: [X, A, B, C]     X is new; links to A, B and C remain valid
//
// The same is true for a dictionary, by key. The key of a value's region never changes.
//
// An ordered collection knows the position of each row, so the region of a row stores no index.
//
// The index stored in an element's region is a hint. It may be wrong after such a change. Reading the index checks the
// hint, and corrects all hints of the array if it is wrong.

import Reactive

/// A part of a value with a region of its own.
enum RegionPart {
    case element(Int)
    /// The value of a dictionary's key, identified by the name of the key.
    case member(String)
    /// The element of a collection's row, and its present position.
    case row(UInt32, position: Int)

    /// The key of the part in a path.
    var key: AnyKey {
        switch self {
        case .element(let index), .row(_, let index): .index(index)
        // As dictionaries encode it: a key whose name is a number has that number.
        case .member(let name): Int(name).map { .numbered(name, $0) } ?? .name(name)
        }
    }
}

/// The region of a cell's value, or of an element of it. Guarded by the graph's lock. Exclusivity is unchecked for the
/// reason given at `Cell`.
class Region {
    final let cell: Cell
    /// The cells in the region.
    @exclusivity(unchecked) final var children: ContiguousArray<Cell> = []
    /// The index of the element when it was last read; -1 in a region that is not an element's.
    @exclusivity(unchecked) fileprivate final var indexHint: Int32
    @exclusivity(unchecked) final private(set) var isValid = true

    /// Creates the region of a cell's whole value.
    init(of cell: Cell) {
        self.cell = cell
        indexHint = -1
    }

    /// Creates the region of an element of a cell's value.
    init(of cell: Cell, index: Int) {
        self.cell = cell
        indexHint = Int32(truncatingIfNeeded: index)
    }

    /// The maximum number of elements with regions of their own.
    static let maximumCount = Int(Int32.max)

    /// The key of this part in the value; `nil` if the region is that of the whole value.
    ///
    /// - Complexity: O(1), or O(*n*) elements for the first call after elements have moved.
    var key: AnyKey? { index.map { .index($0) } }

    /// The index of this element; `nil` for a whole value and for a value in a dictionary.
    ///
    /// - Complexity: O(1), or O(*n*) elements for the first call after elements have moved.
    private var index: Int? {
        // No test sees this always hold: a cell with regions of elements has no other region.
        guard indexHint >= 0, let elements = cell.elements else { return nil }
        // No test sees this always hold: it only saves time.
        if !elements.isRight(indexHint, for: self) { elements.renumber() }
        return Int(indexHint)
    }

    /// Makes all links to the region invalid. The cell then drops it.
    ///
    /// - Parameter orphans: Receives the linked cells.
    func invalidate(_ orphans: inout [Cell]) {
        orphans += children
        invalidate()
    }

    /// Makes all links to the region invalid, if the orphans are not needed. The cell then drops it.
    func invalidate() {
        isValid = false
        children = []
    }

    func forEachChild(_ body: (Cell) -> Void) { children.forEach(body) }
}

/// The region of an array.
final class ElementsRegion: Region {
    /// The regions of the elements that contain cells.
    @exclusivity(unchecked) var elements: ContiguousArray<Region?> = []

    override init(of cell: Cell) { super.init(of: cell) }

    fileprivate func isRight(_ hint: Int32, for element: Region) -> Bool {
        Int(hint) < elements.count && elements[Int(hint)] === element
    }

    fileprivate func renumber() {
        for index in elements.indices { elements[index]?.indexHint = Int32(truncatingIfNeeded: index) }
    }

    override func invalidate(_ orphans: inout [Cell]) {
        for element in elements { element?.invalidate(&orphans) }
    }

    override func invalidate() {
        for element in elements { element?.invalidate() }
    }

    override func forEachChild(_ body: (Cell) -> Void) {
        for element in elements { element?.forEachChild(body) }
    }
}

/// The region of a value in a dictionary.
final class MemberRegion: Region {
    private let name: String

    /// Creates the region of a value, with the name of its key.
    init(of cell: Cell, name: String) {
        self.name = name
        super.init(of: cell)
    }

    override var key: AnyKey? { RegionPart.member(name).key }
}

/// The region of a dictionary.
final class MembersRegion: Region {
    /// The regions of the values that contain cells, by the names of their keys.
    @exclusivity(unchecked) private var members: [String: Region] = [:]

    override init(of cell: Cell) { super.init(of: cell) }

    /// Sets the region of a key's value, if it contains cells. Precondition: the key has no region.
    func set(_ region: Region?, named name: String) {
        if let region { members[name] = region }
    }

    /// Removes and returns the region of a key's value.
    func removeMember(named name: String) -> Region? { members.removeValue(forKey: name) }

    override func invalidate(_ orphans: inout [Cell]) {
        for member in members.values { member.invalidate(&orphans) }
    }

    override func invalidate() {
        for member in members.values { member.invalidate() }
    }

    override func forEachChild(_ body: (Cell) -> Void) {
        for member in members.values { member.forEachChild(body) }
    }
}

/// The region of an element of an ordered collection.
final class RowRegion: Region {
    @exclusivity(unchecked) fileprivate var row: UInt32

    /// Creates the region of the element of a row.
    init(of cell: Cell, row: UInt32) {
        self.row = row
        super.init(of: cell)
    }

    override var key: AnyKey? { (cell.region as? RowsRegion)?.value?.position(of: row).map { .index($0) } }
}

/// The region of an ordered collection.
final class RowsRegion: Region {
    /// The value at the last walk, which knows the positions of its rows.
    @exclusivity(unchecked) var value: (any OrderedValue)?
    /// The regions of the rows whose elements contain cells.
    @exclusivity(unchecked) private var rows: ContiguousArray<Region?> = []

    override init(of cell: Cell) { super.init(of: cell) }

    /// Sets the region of the element of a row, if it contains cells. Precondition: the row has no region.
    func set(_ region: Region?, row: UInt32) {
        guard let region else { return }
        while rows.count <= row { rows.append(nil) }
        rows[Int(row)] = region
    }

    /// Removes and returns the region of the element of a row.
    func remove(row: UInt32) -> Region? {
        guard row < rows.count, let region = rows[Int(row)] else { return nil }
        rows[Int(row)] = nil
        return region
    }

    /// Gives the regions of rows to other rows, which may be among the old ones. Precondition: no other element has a
    /// region at the new rows.
    func renumber(_ numbers: [(old: UInt32, new: UInt32)]) {
        let regions = numbers.map { remove(row: $0.old) }
        for (number, region) in zip(numbers, regions) {
            (region as? RowRegion)?.row = number.new
            set(region, row: number.new)
        }
    }

    override func invalidate(_ orphans: inout [Cell]) {
        for row in rows { row?.invalidate(&orphans) }
    }

    override func invalidate() {
        for row in rows { row?.invalidate() }
    }

    override func forEachChild(_ body: (Cell) -> Void) {
        for row in rows { row?.forEachChild(body) }
    }
}
