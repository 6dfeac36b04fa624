// Keys of objects, compared by their Unicode scalars.
//
// Swift strings are equal if they are canonically equivalent: "é" as one scalar equals "e" with a combining accent. In
// JSON (RFC 8259, 8.3) these are two keys, and an object may have both. So this module always compares, hashes and
// sorts keys by their UTF-8, whose order is that of the scalars.

extension String {
    /// Calls a closure with the string's UTF-8.
    @inline(__always)
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }

    /// Whether both strings have the same Unicode scalars.
    func hasScalars(of other: String) -> Bool {
        withBytes { left in
            other.withBytes { right in left.count == right.count && String.firstDifference(left, right) == nil }
        }
    }

    /// Whether the string's Unicode scalars come before those of a different string.
    func hasScalars(before other: String) -> Bool {
        withBytes { left in
            other.withBytes { right in
                guard let index = String.firstDifference(left, right) else { return left.count < right.count }
                return left[index] < right[index]
            }
        }
    }

    /// Hashes the string's Unicode scalars.
    func hashScalars(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // This byte does not occur in UTF-8: it separates the string from the data after it.
        hasher.combine(0xFF as UInt8)
    }

    /// The first eight bytes of the UTF-8 as a number with the same order.
    var scalarPrefix: UInt64 {
        withBytes { bytes in
            guard bytes.count < 8 else { return bytes.loadUnaligned(as: UInt64.self).bigEndian }
            var prefix: UInt64 = 0
            for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
            return bytes.isEmpty ? 0 : prefix << (64 - 8 * UInt64(bytes.count))
        }
    }

    /// Returns the first index at which two byte strings differ, if they differ before one of them ends.
    @inline(__always)
    private static func firstDifference(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int? {
        let count = Swift.min(left.count, right.count)
        var index = 0
        while index + 8 <= count {
            let difference =
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
                ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            guard difference == 0 else { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            guard left[index] == right[index] else { return index }
            index += 1
        }
        return nil
    }
}

/// A key of an object, for sets and dictionaries: equal to a different key if both have the same Unicode scalars.
package struct JSONKey: Hashable, Comparable, Sendable {
    package let string: String

    package init(_ string: String) { self.string = string }

    package static func == (left: JSONKey, right: JSONKey) -> Bool { left.string.hasScalars(of: right.string) }
    package static func < (left: JSONKey, right: JSONKey) -> Bool { left.string.hasScalars(before: right.string) }
    package func hash(into hasher: inout Hasher) { string.hashScalars(into: &hasher) }
}

/// Mutable values by key: a dictionary that compares its keys by their Unicode scalars.
package struct JSONMembers<Value>: ExpressibleByDictionaryLiteral {
    private var byKey: [JSONKey: Value]

    private init(_ values: [JSONKey: Value]) { byKey = values }

    /// Creates an empty dictionary.
    package init() { byKey = [:] }

    /// Creates a dictionary. If several values have the same key, the last one is used.
    package init(dictionaryLiteral elements: (String, Value)...) {
        byKey = Dictionary(elements.map { (JSONKey($0.0), $0.1) }) { _, last in last }
    }

    package subscript(key: String) -> Value? {
        get { byKey[JSONKey(key)] }
        set { byKey[JSONKey(key)] = newValue }
    }

    package var keys: some Sequence<String> { byKey.keys.lazy.map(\.string) }
    package var values: Dictionary<JSONKey, Value>.Values { byKey.values }
    package var count: Int { byKey.count }
    package var isEmpty: Bool { byKey.isEmpty }

    package func mapValues<Result>(_ transform: (Value) throws -> Result) rethrows -> JSONMembers<Result> {
        JSONMembers<Result>(try byKey.mapValues(transform))
    }
}

extension JSONMembers: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate var base: Dictionary<JSONKey, Value>.Iterator

        package mutating func next() -> (key: String, value: Value)? {
            base.next().map { ($0.key.string, $0.value) }
        }
    }

    package func makeIterator() -> Iterator { Iterator(base: byKey.makeIterator()) }

    package func filter(
        _ isIncluded: ((key: String, value: Value)) throws -> Bool
    ) rethrows -> JSONMembers {
        JSONMembers(try byKey.filter { try isIncluded(($0.key.string, $0.value)) })
    }
}

extension JSONMembers where Value == JSONValue {
    /// Creates a dictionary with the members of an object.
    package init(_ object: JSONObject) {
        byKey = Dictionary(object.lazy.map { (JSONKey($0.key), $0.value) }) { _, last in last }
    }
}
