// A JSON document, or a part of one, as a value.

/// A JSON document, or a part of one.
///
/// ```swift
/// let json: JSONValue = ["name": "Ann", "tags": ["a", "b"], "age": 41]
/// print(json)                         // prints {"age":41,"name":"Ann","tags":["a","b"]}
/// print(json["tags"]?[1] ?? .null)    // prints "b"
/// ```
///
/// - Equality follows RFC 6902: it compares numbers by value, objects regardless of the order of their members, and
///   strings and keys scalar by scalar. An object may have two keys that differ only in their Unicode normal form.
/// - Text is written with members sorted by key. So equal documents have equal text, except for the notation of their
///   numbers.
/// - Memory limits the depth: comparing, hashing, parsing, printing, patching and releasing do not recurse. Only
///   `Codable` recurses, through coders that are not ours. It throws an error for more than ``maximumCodableDepth``
///   levels.
public enum JSONValue: Sendable {
    /// The value `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number, exact.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// A list of values.
    case array(JSONArray)
    /// Members by key.
    case object(JSONObject)

    /// The maximum number of levels that `Codable` reads and writes: the limit of `JSONDecoder`.
    public static let maximumCodableDepth = 512
}

// MARK: - Parts

extension JSONValue {
    /// The element at an index, or `nil` if this is no array or has no such element.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The member with a key, or `nil` if this is no object or has no such member.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The number of levels of arrays and objects: 0 for a scalar, 1 for an array of scalars.
    public var depth: Int { storage?.depth ?? 0 }

    /// The number of values, counting this one and everything that it contains; `Int.max` if there are more.
    ///
    /// A document that contains one part many times can have more values than would fit in memory.
    public var valueCount: Int { storage?.valueCount ?? 1 }

    /// The number of bytes of strings, keys and numbers, plus one for each value; `Int.max` if there are more.
    var byteCount: Int {
        switch self {
        case .null, .bool: 1
        case .number(let number): 1 + number.literalByteCount
        case .string(let string): 1 + string.utf8.count
        case .array(let array): array.storage.byteCount
        case .object(let object): object.storage.byteCount
        }
    }

    /// The storage of an array or object.
    var storage: JSONStorage? {
        switch self {
        case .array(let array): array.storage
        case .object(let object): object.storage
        default: nil
        }
    }

    /// The kind of the value, as named in error messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

// MARK: - Equality

extension JSONValue: Hashable {
    /// Whether two documents are equal as defined by RFC 6902, section 4.6.
    ///
    /// - Complexity: O(1) if they differ, except with a probability of 2⁻⁶⁴, or if they share their storage; otherwise
    ///   O(*n*) values.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasScalars(of: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value. O(1) for arrays and objects, which store their hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let string): string.hashScalars(into: &hasher)
        case .array(let array): hasher.combine(array)
        case .object(let object): hasher.combine(object)
        }
    }
}

// MARK: - Literals

// There is no `nil` literal: `condition ? value : nil` would silently become `null` instead of no value.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number from an integer.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// Creates a number from a floating-point literal.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(JSONArray(elements)) }
    /// Creates an object. If several members have the same key, the last one is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(keys: elements.map(\.0), values: elements.map(\.1)))
    }
}
