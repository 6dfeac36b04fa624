// The arrays and objects of JSON.
//
// Both are immutable and share one class for their storage. When it is made, from children that are complete, it works
// out in O(width) what concerns the whole subtree: a hash, the number of values and the depth. So subtrees that differ
// are told apart in O(1), which is what makes a diff cheap, and a subtree that is too deep for a recursion is known to
// be.
//
// A class, because its deinitialiser can free a deep document without recursion: a storage deeper than `recursionDepth`
// moves its children to a list and empties itself; whoever on that list has no other owner is emptied likewise before
// it goes.

/// A list of JSON values; immutable.
public struct JSONArray: Sendable {
    let storage: JSONStorage

    /// Creates an array of the given values.
    ///
    /// - Complexity: O(*n*) for *n* elements, however large they are.
    public init(_ elements: some Sequence<JSONValue>) { storage = JSONStorage(elements: Array(elements)) }

    /// Creates an array of what a collection without an order was encoded to.
    package init(unordered elements: [JSONValue]) { storage = JSONStorage(elements: elements, isUnordered: true) }

    /// Whether the order of the elements says nothing that holds in a different process: a difference replaces such an
    /// array as a whole. Arrays with and without it are equal.
    package var isUnordered: Bool { storage.isUnordered }

    /// The values as a Swift array.
    public var elements: [JSONValue] { storage.elements }
}

extension JSONArray: RandomAccessCollection, ExpressibleByArrayLiteral {
    /// Creates an array of the given values.
    public init(arrayLiteral elements: JSONValue...) { self.init(elements) }
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { storage.elements.count }
    /// The element at an index.
    public subscript(index: Int) -> JSONValue { storage.elements[index] }
}

extension JSONArray: Hashable {
    /// Whether the elements are equal, one by one.
    public static func == (left: JSONArray, right: JSONArray) -> Bool { left.storage.isEqual(to: right.storage) }
    /// Hashes the array; O(1).
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.digest) }
}

/// The members of a JSON object; immutable.
///
/// A collection of keys and values in the order of the text: sorted by the Unicode scalars of the keys. Two keys are
/// the same if their scalars are: `"\u{e9}"` and `"e\u{301}"`, which Swift's strings hold for equal, are two keys here,
/// as they are in JSON.
public struct JSONObject: Sendable {
    /// A member: its key and its value.
    public typealias Element = (key: String, value: JSONValue)

    let storage: JSONStorage

    /// Creates an object of the given members.
    ///
    /// - Complexity: O(*n* log *n*) for *n* members, however large they are.
    public init(_ members: [String: JSONValue]) {
        storage = JSONStorage(keys: Array(members.keys), values: Array(members.values))
    }

    /// Creates an object of the given members; of two with one key the last counts.
    ///
    /// - Complexity: O(*n*) for *n* members that are sorted, else O(*n* log *n*).
    public init(_ members: some Sequence<Element>) {
        var keys: [String] = []
        var values: [JSONValue] = []
        for (key, value) in members {
            keys.append(key)
            values.append(value)
        }
        storage = JSONStorage(keys: keys, values: values)
    }

    init(keys: [String], values: [JSONValue]) { storage = JSONStorage(keys: keys, values: values) }

    /// The members as a Swift dictionary, which compares keys as Swift compares strings: of several keys that differ in
    /// their Unicode normal form only, it has one, with the value of the last. The object itself has all.
    ///
    /// - Complexity: O(*n*).
    public var members: [String: JSONValue] {
        Dictionary(zip(storage.keys, storage.elements)) { _, last in last }
    }

    /// The keys in the order of the text: sorted by their Unicode scalars.
    public var sortedKeys: [String] { storage.keys }

    /// The member with a key, or `nil` if there is none.
    ///
    /// - Complexity: O(log *n*).
    public subscript(key: String) -> JSONValue? {
        storage.index(of: key).map { storage.elements[$0] }
    }

    /// The object with the value of one member changed, or with the member added or removed.
    ///
    /// - Parameters:
    ///   - key: The key of the member.
    ///   - value: The value that it shall have, or `nil` if it shall not be there.
    /// - Complexity: O(*n*).
    public func setting(_ key: String, to value: JSONValue?) -> JSONObject {
        var (keys, values) = (storage.keys, storage.elements)
        let index = storage.insertionIndex(of: key)
        let isThere = index < keys.count && keys[index].hasScalars(of: key)
        switch (value, isThere) {
        case (let value?, true): values[index] = value
        case (let value?, false):
            keys.insert(key, at: index)
            values.insert(value, at: index)
        case (nil, true):
            keys.remove(at: index)
            values.remove(at: index)
        case (nil, false): return self
        }
        return JSONObject(keys: keys, values: values)
    }
}

extension JSONObject: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { storage.elements.count }
    /// The member at a position in the order of the text.
    public subscript(position: Int) -> Element { (storage.keys[position], storage.elements[position]) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; of two members with one key the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(keys: elements.map(\.0), values: elements.map(\.1))
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same keys, scalar by scalar, with equal values.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.storage.isEqual(to: right.storage) }
    /// Hashes the object; O(1).
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.digest) }
}

// MARK: - Storage

/// What an array or an object consists of, and what is known of it.
///
/// Sendable because it never changes, but for its deinitialiser, which empties those storages that it alone refers to.
final class JSONStorage: @unchecked Sendable {
    /// Storages up to this depth are freed the ordinary way, which recurses.
    private static let recursionDepth = 64

    /// The elements of an array, or the values of an object's members.
    private(set) var elements: [JSONValue] = []
    /// The keys of an object, ascending by their scalars; those of an array are empty.
    private(set) var keys: [String] = []
    /// A hash of everything: equal for equal containers.
    let digest: Int
    /// The number of values, counting this one.
    let valueCount: Int
    /// The number of levels, counting this one; as all counts here, `Int.max` if it is larger.
    let depth: Int
    /// The bytes of strings, keys and numbers, and one for each value.
    let byteCount: Int
    /// Whether the order of the elements says nothing.
    let isUnordered: Bool

    init(elements: [JSONValue], isUnordered: Bool = false) {
        var hasher = Hasher()
        var valueCount = 1
        var byteCount = 1
        var depth = 0
        hasher.combine(1)
        for element in elements {
            hasher.combine(element)
            valueCount = valueCount.addingSaturated(element.valueCount)
            byteCount = byteCount.addingSaturated(element.byteCount)
            depth = max(depth, element.depth)
        }
        self.elements = elements
        self.isUnordered = isUnordered
        self.digest = hasher.finalize()
        self.valueCount = valueCount
        self.byteCount = byteCount
        self.depth = depth.addingSaturated(1)
    }

    /// The storage of an object; of members with one key the last counts.
    init(keys: [String], values: [JSONValue]) {
        let (keys, values) = JSONStorage.sorted(keys, values)
        var hasher = Hasher()
        var valueCount = 1
        var byteCount = 1
        var depth = 0
        hasher.combine(2)
        for index in values.indices {
            let value = values[index]
            keys[index].hashScalars(into: &hasher)
            hasher.combine(value)
            valueCount = valueCount.addingSaturated(value.valueCount)
            byteCount = byteCount.addingSaturated(value.byteCount).addingSaturated(keys[index].utf8.count)
            depth = max(depth, value.depth)
        }
        self.elements = values
        self.keys = keys
        self.isUnordered = false
        self.digest = hasher.finalize()
        self.valueCount = valueCount
        self.byteCount = byteCount
        self.depth = depth.addingSaturated(1)
    }

    /// Members in the order of their keys, each key once.
    private static func sorted(_ keys: [String], _ values: [JSONValue]) -> ([String], [JSONValue]) {
        guard !keys.indices.dropFirst().allSatisfy({ keys[$0 - 1].hasScalars(before: keys[$0]) }) else {
            return (keys, values)
        }
        // Most keys differ in their first bytes.
        var order = keys.indices.map { (prefix: keys[$0].scalarPrefix, index: $0) }
        order.sort { left, right in
            guard left.prefix == right.prefix else { return left.prefix < right.prefix }
            let (leftKey, rightKey) = (keys[left.index], keys[right.index])
            if leftKey.hasScalars(before: rightKey) { return true }
            return left.index < right.index && leftKey.hasScalars(of: rightKey)
        }
        var sortedKeys: [String] = []
        var sortedValues: [JSONValue] = []
        sortedKeys.reserveCapacity(keys.count)
        sortedValues.reserveCapacity(keys.count)
        for (_, index) in order {
            if let last = sortedKeys.last, last.hasScalars(of: keys[index]) {
                sortedValues[sortedValues.count - 1] = values[index]
            } else {
                sortedKeys.append(keys[index])
                sortedValues.append(values[index])
            }
        }
        return (sortedKeys, sortedValues)
    }

    /// The index of the first key that is not before a given one.
    func insertionIndex(of key: String) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].hasScalars(before: key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of a key, if it is there.
    func index(of key: String) -> Int? {
        let index = insertionIndex(of: key)
        return index < keys.count && keys[index].hasScalars(of: key) ? index : nil
    }

    deinit {
        guard depth > JSONStorage.recursionDepth else { return }
        var orphans: [JSONStorage] = []
        moveChildren(to: &orphans)
        while var next = orphans.popLast() {
            if isKnownUniquelyReferenced(&next) { next.moveChildren(to: &orphans) }
        }
    }

    private func moveChildren(to orphans: inout [JSONStorage]) {
        func keep(_ value: JSONValue) {
            if let storage = value.storage, storage.depth > JSONStorage.recursionDepth { orphans.append(storage) }
        }
        elements.forEach(keep)
        elements = []
    }

    /// Compares containers of one kind.
    func isEqual(to other: JSONStorage) -> Bool {
        var pairs = [(self, other)]
        while let (left, right) = pairs.popLast() {
            guard left !== right else { continue }
            guard
                left.digest == right.digest, left.elements.count == right.elements.count,
                left.keys.count == right.keys.count
            else { return false }
            for index in left.keys.indices where !left.keys[index].hasScalars(of: right.keys[index]) { return false }
            func compare(_ left: JSONValue, _ right: JSONValue) -> Bool {
                switch (left, right) {
                case (.array(let left), .array(let right)): pairs.append((left.storage, right.storage))
                case (.object(let left), .object(let right)): pairs.append((left.storage, right.storage))
                default: return left == right
                }
                return true
            }
            for index in left.elements.indices where !compare(left.elements[index], right.elements[index]) {
                return false
            }
        }
        return true
    }
}
