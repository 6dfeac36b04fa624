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

/// Members of a JSON object by key; immutable.
public struct JSONObject: Sendable {
    let storage: JSONStorage

    /// Creates an object of the given members.
    ///
    /// - Complexity: O(*n*) for *n* members, however large they are.
    public init(_ members: [String: JSONValue]) { storage = JSONStorage(members: members) }

    /// The members as a Swift dictionary.
    public var members: [String: JSONValue] { storage.members }

    /// The number of members.
    public var count: Int { storage.members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { storage.members.isEmpty }

    /// The keys in the order of the text: sorted.
    public var sortedKeys: [String] { storage.members.keys.sorted() }

    /// The member with a key, or `nil` if there is none.
    public subscript(key: String) -> JSONValue? { storage.members[key] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; of two members with one key the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(Dictionary(elements) { _, last in last })
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same keys with equal values.
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

    private(set) var elements: [JSONValue] = []
    private(set) var members: [String: JSONValue] = [:]
    /// A hash of everything: equal for equal containers.
    let digest: Int
    /// The number of values, counting this one.
    let valueCount: Int
    /// The number of levels, counting this one.
    let depth: Int

    init(elements: [JSONValue]) {
        var hasher = Hasher()
        var valueCount = 1
        var depth = 0
        hasher.combine(1)
        for element in elements {
            hasher.combine(element)
            valueCount += element.valueCount
            depth = max(depth, element.depth)
        }
        self.elements = elements
        self.digest = hasher.finalize()
        self.valueCount = valueCount
        self.depth = depth + 1
    }

    init(members: [String: JSONValue]) {
        var sum = 2
        var valueCount = 1
        var depth = 0
        for (key, value) in members {
            // A sum, because the members have no order.
            var hasher = Hasher()
            hasher.combine(key)
            hasher.combine(value)
            sum &+= hasher.finalize()
            valueCount += value.valueCount
            depth = max(depth, value.depth)
        }
        self.members = members
        self.digest = sum
        self.valueCount = valueCount
        self.depth = depth + 1
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
        members.values.forEach(keep)
        members = [:]
    }

    /// Compares containers of one kind.
    func isEqual(to other: JSONStorage) -> Bool {
        var pairs = [(self, other)]
        while let (left, right) = pairs.popLast() {
            guard left !== right else { continue }
            guard
                left.digest == right.digest, left.elements.count == right.elements.count,
                left.members.count == right.members.count
            else { return false }
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
            for (key, value) in left.members {
                guard let counterpart = right.members[key], compare(value, counterpart) else { return false }
            }
        }
        return true
    }
}
