// The arrays and objects of JSON.
//
// Both are immutable and share one class for their storage. A storage is created from complete children. On creation it
// computes, in O(width), properties of the whole subtree: a hash, the number of values and the depth. So differing
// subtrees are distinguished in O(1), which makes a diff cheap, and a subtree that is too deep for recursion is known.
//
// The storage is a class because its deinitializer can release a deep document without recursion. A storage deeper than
// `recursionDepth` moves its children to a list and empties itself. Each storage on that list without another owner is
// emptied in the same manner before it is released.

/// An immutable list of JSON values.
public struct JSONArray: Sendable {
    let storage: JSONStorage

    /// Creates an array with the given values.
    ///
    /// - Complexity: O(*n*) for *n* elements, whatever their size.
    public init(_ elements: some Sequence<JSONValue>) { storage = JSONStorage(elements: Array(elements)) }

    /// Creates an array from the encoded elements of a collection without an order.
    package init(unordered elements: [JSONValue]) { storage = JSONStorage(elements: elements, isUnordered: true) }

    /// Whether the order of the elements has no meaning in a different process. A difference replaces such an array as
    /// a whole. Equality ignores this property.
    package var isUnordered: Bool { storage.isUnordered }

    /// The values as a Swift array.
    public var elements: [JSONValue] { storage.elements }
}

extension JSONArray: RandomAccessCollection, ExpressibleByArrayLiteral {
    /// Creates an array with the given values.
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

/// The immutable members of a JSON object.
///
/// A collection of keys and values in the order of the text: sorted by the Unicode scalars of the keys. Two keys are
/// the same if their scalars are: `"\u{e9}"` and `"e\u{301}"`, which are equal as Swift strings, are two keys here, as
/// in JSON.
public struct JSONObject: Sendable {
    /// A member: its key and its value.
    public typealias Element = (key: String, value: JSONValue)

    let storage: JSONStorage

    /// Creates an object with the given members.
    ///
    /// - Complexity: O(*n* log *n*) for *n* members, whatever their size.
    public init(_ members: [String: JSONValue]) {
        storage = JSONStorage(keys: Array(members.keys), values: Array(members.values))
    }

    /// Creates an object with the given members. If several have the same key, the last one is used.
    ///
    /// - Complexity: O(*n*) for *n* sorted members, otherwise O(*n* log *n*).
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

    /// The members as a Swift dictionary, which compares keys as Swift strings. If several keys differ only in their
    /// Unicode normal form, the dictionary contains one of them, with the value of the last. The object itself contains
    /// all.
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

    /// Returns the object with one member changed, added or removed.
    ///
    /// - Parameters:
    ///   - key: The key of the member.
    ///   - value: The new value of the member, or `nil` to remove it.
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
    /// Creates an object. If several members have the same key, the last one is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(keys: elements.map(\.0), values: elements.map(\.1))
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same keys, scalar by scalar, and equal values.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.storage.isEqual(to: right.storage) }
    /// Hashes the object; O(1).
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.digest) }
}

// MARK: - Storage

/// The contents of an array or an object, and their computed properties.
///
/// Sendable because it never changes, except in its deinitializer, which empties storages that have no other owner.
final class JSONStorage: @unchecked Sendable {
    /// The depth up to which storages are released normally, which recurses.
    private static let recursionDepth = 64

    /// The elements of an array, or the values of an object's members.
    private(set) var elements: [JSONValue] = []
    /// The keys of an object, ascending by their scalars; those of an array are empty.
    private(set) var keys: [String] = []
    /// A hash of the contents. Equal containers have equal hashes.
    let digest: Int
    /// The number of values, counting this one.
    let valueCount: Int
    /// The number of levels, counting this one. All counts here are `Int.max` if they are larger.
    let depth: Int
    /// The number of bytes of strings, keys and numbers, plus one for each value.
    let byteCount: Int
    /// Whether the order of the elements has no meaning.
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

    /// Creates the storage of an object. If several members have the same key, the last one is used.
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

    /// Returns members in the order of their keys, each key once.
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

    /// Returns the index of the first key that is not before a given one.
    func insertionIndex(of key: String) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].hasScalars(before: key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the index of a key, if it exists.
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

    /// Whether two containers of one kind are equal.
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
