// Collections, for modules that record their changes and write them back.
//
// A collection is state. Its value is a snapshot: a copy costs O(1). A snapshot returns its difference from an earlier
// one in time proportional to that difference. So an observer keeps the snapshot that it saw last, and compares.
//
//     ordered   arrays and sets: elements have *rows*, numbers that stay the same while the element stays
//     keyed     dictionaries

// MARK: - Ordered collections

/// Elements at positions that can be edited: a collection, or a value of one.
package protocol EditableElements<Element> {
    associatedtype Element

    /// The number of elements.
    var elementCount: Int { get }
    /// Returns the element at a position.
    func element(at position: Int) -> Element
    /// Inserts elements before a position.
    mutating func insertElements(_ elements: [Element], at position: Int)
    /// Removes the elements of a range.
    mutating func removeElements(_ range: Range<Int>)
    /// Moves an element. `to` is its position after the move.
    mutating func moveElement(from: Int, to: Int)
    /// Replaces an element. It keeps its row, except in collections with unique elements.
    mutating func replaceElement(at position: Int, by element: Element)

    /// Whether no two elements are equal, as in a set. Inserting an element that is already there then does nothing.
    static var hasUniqueElements: Bool { get }
    /// Returns the position of an equal element; `nil` if there is none or if elements are not unique.
    ///
    /// - Complexity: O(log N).
    func position(ofUnique element: Element) -> Int?
}

extension EditableElements {
    package static var hasUniqueElements: Bool { false }
    package func position(ofUnique element: Element) -> Int? { nil }
}

/// A value of an ordered collection.
package protocol OrderedValue<Element>: EditableElements {
    /// Returns whether both values are known to be the same without a comparison. Complexity: O(1).
    func isIdentical(to other: Self) -> Bool
    /// Returns the row of the element at a position. Complexity: O(log N).
    func row(at position: Int) -> UInt32
    /// Returns the position of a row; `nil` if no element has it. Complexity: O(log N).
    func position(of row: UInt32) -> Int?
    /// Calls `body` with rows and elements in order. Complexity: O(N).
    func forEachElement(_ body: (UInt32, Element) -> Void)
    /// Returns the changes since an earlier value. Called with the lock of the collection's graph.
    ///
    /// - Returns: The difference, which may name rows that have not changed; `nil` if it is no longer known.
    /// - Complexity: O(changes).
    func difference(from old: Self) -> RowDifference?
    /// Returns the edits that turn an earlier value into this one, in order.
    ///
    /// - Complexity: O(log N) for each row of the difference.
    func edits(from old: Self, _ difference: RowDifference) -> [RowEdit]
}

/// A value of an ordered collection, whose elements can be encoded one by one.
package protocol EncodableElements: OrderedValue, Encodable where Element: Encodable {}

/// The changes of the rows of an ordered collection between two of its values.
package struct RowDifference {
    /// Rows of the old value whose elements were removed. A row may belong to a new element later.
    package var removed: [UInt32] = []
    /// Rows of the new value whose elements were inserted.
    package var inserted: [UInt32] = []
    /// Rows of both values whose elements differ.
    package var replaced: [UInt32] = []
    /// Rows of both values whose order among the others may have changed.
    package var moved: [UInt32] = []
    /// The old and the new rows of elements of both values whose row has changed, as by a removal and an insertion.
    /// Their order among the others may have changed.
    package var renumbered: [(old: UInt32, new: UInt32)] = []

    package init() {}
}

/// One edit of an ordered collection. Its positions are valid after the edits before it.
package enum RowEdit: Equatable {
    case remove(at: Int, row: UInt32)
    case insert(at: Int, row: UInt32)
    case move(from: Int, to: Int)
    case replace(at: Int, row: UInt32)
}

/// A collection.
package protocol RecordableCollection: RecordableState {}

/// An ordered collection.
package protocol RecordableElements: RecordableCollection, EditableElements
where Recorded: OrderedValue, Recorded.Element == Element {}

// MARK: - Keyed collections

/// A value of a dictionary.
package protocol KeyedValue<Key, Member> {
    associatedtype Key: Hashable
    associatedtype Member

    /// Whether values are encoded as arrays, in an order that a different process does not share.
    static var isUnordered: Bool { get }
    /// Returns whether both values are known to be the same without a comparison. Complexity: O(1).
    func isIdentical(to other: Self) -> Bool
    /// The number of members.
    var memberCount: Int { get }
    /// Returns the value of a key.
    func member(_ key: Key) -> Member?
    /// Calls `body` with all keys and values.
    func forEachMember(_ body: (Key, Member) -> Void)
    /// Sets the value of a key, or removes the key.
    mutating func setMember(_ member: Member?, for key: Key)
    /// Returns the changes since an earlier value. Called with the lock of the collection's graph.
    ///
    /// - Returns: The difference, in which a replaced value may be the same.
    /// - Complexity: O(changes); O(N) if the values share nothing.
    func difference(from old: Self) -> KeyDifference<Key>
}

/// The changes of the members of a dictionary between two of its values.
package struct KeyDifference<Key> {
    package var removed: [Key] = []
    package var inserted: [Key] = []
    /// The keys that are in both, with different values.
    package var replaced: [Key] = []

    package init() {}
}

/// A key of dictionaries that are encoded as objects.
package protocol MemberKey: Hashable, Encodable {
    init?(memberName: String)
    var memberName: String { get }
    /// Returns whether both are the same name. Two normal forms of one string are different names.
    func isSame(as other: Self) -> Bool
}

extension String: MemberKey {
    package init?(memberName: String) { self = memberName }
    package var memberName: String { self }
    // No test sees this always hold: names of the same bytes are equal, and this only saves comparing the bytes.
    package func isSame(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}

extension Int: MemberKey {
    package init?(memberName: String) { self.init(memberName) }
    package var memberName: String { String(self) }
    package func isSame(as other: Int) -> Bool { self == other }
}

/// A dictionary that is encoded as an object, and whose values can be encoded one by one.
package protocol MemberDictionary: KeyedValue, Encodable where Key: MemberKey, Member: Encodable {
    /// Returns the key as it is stored, with its value. The stored key may be spelled differently from an equal one.
    func stored(_ key: Key) -> (key: Key, member: Member)?
}

/// A dictionary.
package protocol RecordableMembers: RecordableCollection where Recorded: KeyedValue {
    /// Sets the value of a key, or removes the key.
    func setMember(_ member: Recorded.Member?, for key: Recorded.Key)
}

// MARK: - Types

/// A type whose values contain no observables, if the same holds for certain other types.
package protocol PlainIfPartsAre {
    static var partTypes: [any Any.Type] { get }
}
