// Paths that stay valid when elements are inserted and removed elsewhere.
//
//     JSON Pointer      /columns/0/cards/2/title                       an index means a different element tomorrow
//     document path     ["columns",{"id":"a"},"cards",{"id":7},"title"]
//
// An element is named by its *identity*: the member `id` of an element that is an object, if it is a string or a
// number. An identity is *usable* if exactly one element of its list has it. Both follow from the content alone.

import ReactiveCodable

/// A path in a document: the keys of members and the identities of elements between the root and a value.
package struct DocumentPath: Hashable, Sendable {
    /// A step of a path.
    package enum Token: Sendable {
        /// The member of an object.
        case member(String)

        /// The element of a list with an identity, a string or a number.
        case element(JSONValue)
    }

    /// The steps from the root.
    package var tokens: [Token]

    /// The whole document.
    package static let root = DocumentPath([])

    /// Creates a path of steps.
    package init(_ tokens: some Sequence<Token>) { self.tokens = Array(tokens) }

    /// Returns the path to a member of the value at this path.
    package func appending(_ key: String) -> DocumentPath { DocumentPath(tokens + [.member(key)]) }

    /// Returns the path to an element of the list at this path.
    package func appending(element identity: JSONValue) -> DocumentPath { DocumentPath(tokens + [.element(identity)]) }

    /// The path to the container; `nil` for the root.
    package var parent: DocumentPath? { tokens.isEmpty ? nil : DocumentPath(tokens.dropLast()) }

    /// Returns whether a different path leads to this value or into it.
    package func contains(_ other: DocumentPath) -> Bool { other.tokens.starts(with: tokens) }
}

extension DocumentPath.Token: Hashable {
    /// Returns whether both are members of one key, scalar by scalar, or elements of one identity.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.member(let left), .member(let right)): JSONValue.string(left) == .string(right)
        case (.element(let left), .element(let right)): left == right
        default: false
        }
    }

    /// Hashes the key or the identity.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .member(let key): hasher.combine(JSONValue.string(key))
        case .element(let identity):
            hasher.combine(1)
            hasher.combine(identity)
        }
    }
}

// MARK: - JSON

extension DocumentPath: Codable, CustomStringConvertible {
    /// The path in its JSON form: `["columns",{"id":"a"},"title"]`.
    package var json: JSONValue {
        .array(
            JSONArray(
                tokens.map { token in
                    switch token {
                    case .member(let key): .string(key)
                    case .element(let identity): ["id": identity]
                    }
                }))
    }

    /// Creates a path from its JSON form.
    ///
    /// - Throws: ``EditError``, which names the malformed step.
    package init(json: JSONValue) throws(EditError) {
        guard case .array(let steps) = json else {
            throw EditError("a path must be an array of keys and identities, not \(json.summary)")
        }
        tokens = []
        tokens.reserveCapacity(steps.count)
        for step in steps {
            if case .string(let key) = step {
                tokens.append(.member(key))
            } else if let identity = step["id"], identity.isIdentity {
                tokens.append(.element(identity))
            } else {
                throw EditError(
                    "a step of a path must be a key or {\"id\": a string or a number}, not \(step.summary)")
            }
        }
    }

    /// Decodes the JSON form.
    package init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Encodes the JSON form.
    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The path as JSON text.
    package var description: String { json.description }
}

// MARK: - Identities

extension JSONValue {
    /// Whether the value can be an identity: a string or a number.
    var isIdentity: Bool {
        switch self {
        case .string, .number: true
        default: false
        }
    }

    /// The identity that the value has as an element of a list; `nil` if it has none.
    var identity: JSONValue? {
        guard let id = self["id"], id.isIdentity else { return nil }
        return id
    }

    /// The value as short text for messages: its beginning, or its kind and size.
    var summary: String {
        switch self {
        case .null, .bool: description
        case .number, .string:
            description.utf8.count > 60 ? String(description.prefix(60)) + "…" : description
        case .array(let array): "an array of \(array.count) elements"
        case .object(let object): "an object of \(object.count) members"
        }
    }
}

// MARK: - Patterns

/// The strings of a document that are texts, whose concurrent changes are merged.
package struct TextPaths: Sendable {
    private let patterns: [[String]]

    /// No texts: the last write of a string wins.
    package static let none = TextPaths()

    private init() { patterns = [] }

    /// Creates a set of paths from patterns like `"/columns/*/cards/*/note"`.
    ///
    /// - Parameter patterns: JSON Pointers. The token `*` matches one key or element; elements match `*` alone.
    /// - Throws: `JSONPointerError` for a pattern that is not a JSON Pointer.
    package init(_ patterns: [String]) throws(JSONPointerError) {
        var parsed: [[String]] = []
        for pattern in patterns { parsed.append(try JSONPointer(pattern).tokens) }
        self.patterns = parsed
    }

    /// Returns whether the string at a path is a text.
    package func contains(_ path: DocumentPath) -> Bool {
        patterns.contains { pattern in
            pattern.count == path.tokens.count
                && zip(pattern, path.tokens).allSatisfy { expected, token in
                    guard expected != "*" else { return true }
                    return token == .member(expected)
                }
        }
    }
}
