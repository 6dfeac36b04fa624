// The members of an object: two arrays sorted by key while they are few, else a persistent dictionary.
//
// A change copies the array of values, or O(log n) of the dictionary. Versions of an object with the same keys share
// the array of keys.

import HashTreeCollections
import ReactiveCodable

/// A key of an object. Two keys are equal if their Unicode scalars are; strings of Swift compare by canonical
/// equivalence.
struct MemberKey: Hashable, Sendable {
    let string: String

    static func == (left: MemberKey, right: MemberKey) -> Bool {
        JSONValue.string(left.string) == .string(right.string)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(JSONValue.string(string)) }
}

/// An object of a document; immutable.
final class ObjectNode: Sendable {
    /// The maximum number of members that are stored as arrays.
    static let maximumSmallCount = 32

    private enum Storage: Sendable {
        /// Sorted by the scalars of the keys.
        case small(keys: [String], values: [Node])
        case large(TreeDictionary<MemberKey, Node>)
    }

    private let storage: Storage
    /// The size that counts towards the limits.
    let weight: Weight

    private init(_ storage: Storage, _ weight: Weight) {
        self.storage = storage
        self.weight = weight
    }

    /// Creates an object.
    ///
    /// - Parameter keys: The keys, each once, sorted by their scalars.
    convenience init(keys: [String], values: [Node]) {
        var weight = Weight.container
        for (key, value) in zip(keys, values) { weight += value.weight + Weight(values: 0, bytes: key.utf8.count) }
        if keys.count <= ObjectNode.maximumSmallCount {
            self.init(.small(keys: keys, values: values), weight)
        } else {
            self.init(
                .large(TreeDictionary(uniqueKeysWithValues: zip(keys.lazy.map(MemberKey.init), values))), weight)
        }
    }

    /// The number of members.
    var count: Int {
        switch storage {
        case .small(let keys, _): keys.count
        case .large(let members): members.count
        }
    }

    /// The keys, sorted by their scalars.
    var sortedKeys: [String] {
        switch storage {
        case .small(let keys, _): keys
        case .large(let members): members.keys.map(\.string).sorted(by: String.hasScalarsInOrder)
        }
    }

    /// The values, in no particular order.
    var values: [Node] {
        switch storage {
        case .small(_, let values): values
        case .large(let members): Array(members.values)
        }
    }

    /// The member with a key; `nil` if there is none.
    subscript(key: String) -> Node? {
        switch storage {
        case .small(let keys, let values):
            let (index, isThere) = ObjectNode.search(key, in: keys)
            return isThere ? values[index] : nil
        case .large(let members): return members[MemberKey(string: key)]
        }
    }

    /// The object as JSON.
    var json: JSONObject {
        switch storage {
        case .small(let keys, let values): JSONObject(zip(keys, values.lazy.map(\.json)).lazy.map { ($0, $1) })
        case .large(let members): JSONObject(members.lazy.map { ($0.key.string, $0.value.json) })
        }
    }

    /// Returns the object with a member set to a value; without the member if the value is `nil`.
    func setting(_ key: String, to value: Node?) -> ObjectNode {
        let old = self[key]
        var weight = weight
        let keyWeight = Weight(values: 0, bytes: key.utf8.count)
        if let old { weight -= old.weight + keyWeight }
        if let value { weight += value.weight + keyWeight }
        switch storage {
        case .small(var keys, var values):
            let (index, isThere) = ObjectNode.search(key, in: keys)
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
            guard keys.count > ObjectNode.maximumSmallCount else {
                return ObjectNode(.small(keys: keys, values: values), weight)
            }
            return ObjectNode(
                .large(TreeDictionary(uniqueKeysWithValues: zip(keys.lazy.map(MemberKey.init), values))), weight)
        case .large(var members):
            members[MemberKey(string: key)] = value
            return ObjectNode(.large(members), weight)
        }
    }

    /// Returns the index of a key among sorted keys, or the index where it belongs.
    private static func search(_ key: String, in keys: [String]) -> (index: Int, isThere: Bool) {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if String.hasScalarsInOrder(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return (low, low < keys.count && JSONValue.string(keys[low]) == .string(key))
    }
}

extension ObjectNode: Equatable {
    /// Whether both have the same keys with equal values.
    static func == (left: ObjectNode, right: ObjectNode) -> Bool {
        guard left !== right else { return true }
        // The bytes of equal numbers may differ, since they are kept as written.
        return left.weight.values == right.weight.values && left.hasMembers(of: right)
    }

    private func hasMembers(of other: ObjectNode) -> Bool {
        guard count == other.count else { return false }
        switch (storage, other.storage) {
        case (.small(let leftKeys, let leftValues), .small(let rightKeys, let rightValues)):
            return zip(leftKeys, rightKeys).allSatisfy { JSONValue.string($0) == .string($1) }
                && leftValues == rightValues
        case (.large(let left), .large(let right)):
            return left == right
        case (.small, .large), (.large, .small):
            return sortedKeys.allSatisfy { self[$0] == other[$0] }
        }
    }
}

extension String {
    /// Whether the scalars of one string come before those of a different one.
    static func hasScalarsInOrder(_ left: String, _ right: String) -> Bool {
        // The order of UTF-8 is that of the scalars.
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
