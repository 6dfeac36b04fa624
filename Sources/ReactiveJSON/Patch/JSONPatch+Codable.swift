// The RFC's form of a patch: an array of objects with a member `op`.

extension JSONPatch {
    /// Creates a patch from its JSON form. Members that the RFC does not define are ignored.
    ///
    /// - Throws: ``JSONPatchError``, which names the invalid operation and its member.
    public init(json: JSONValue) throws(JSONPatchError) {
        guard case .array(let elements) = json else {
            throw JSONPatchError(reason: "a patch must be an array of operations, not \(json.kind)")
        }
        var operations: [Operation] = []
        for (index, element) in elements.enumerated() {
            do {
                operations.append(try Operation(json: element))
            } catch {
                var error = error
                error.index = index
                throw error
            }
        }
        self.init(operations)
    }

    /// Creates a patch from JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limits: The limits for the size of the text and the depth of each value in it.
    /// - Throws: ``JSONParseError`` or ``JSONPatchError``.
    public init(parsing text: String, limits: JSONLimits = .default) throws {
        try self.init(json: JSONValue(parsing: text, limits: limits.ofPatch))
    }

    /// The patch in its JSON form.
    public var json: JSONValue { .array(JSONArray(operations.map(\.json))) }
}

extension JSONLimits {
    /// The limits for the text of a patch, in which values are two levels deep.
    var ofPatch: JSONLimits {
        JSONLimits(depth: depth.addingSaturated(2), valueCount: valueCount, byteCount: byteCount)
    }
}

extension JSONPatch: Codable, CustomStringConvertible {
    /// Decodes the RFC's form. The ``inverse`` is not part of it.
    public init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Encodes the RFC's form. The ``inverse`` is not part of it.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The patch as JSON text.
    public var description: String { json.description }
}

extension JSONPatch.Operation: Codable, CustomStringConvertible {
    /// Creates an operation from its JSON form. Members that the RFC does not define are ignored.
    ///
    /// - Throws: ``JSONPatchError``, which names the member.
    public init(json: JSONValue) throws(JSONPatchError) {
        let members = Members(json: json)
        switch try members.string("op") {
        case "add": self = .add(path: try members.pointer("path"), value: try members.value())
        case "remove": self = .remove(path: try members.pointer("path"))
        case "replace": self = .replace(path: try members.pointer("path"), value: try members.value())
        case "move": self = .move(from: try members.pointer("from"), path: try members.pointer("path"))
        case "copy": self = .copy(from: try members.pointer("from"), path: try members.pointer("path"))
        case "test": self = .test(path: try members.pointer("path"), value: try members.value())
        case let other: throw members.error("unknown operation \"\(other)\"")
        }
    }

    /// The operation in its JSON form.
    public var json: JSONValue {
        switch self {
        case .add(let path, let value): ["op": "add", "path": .string(path.description), "value": value]
        case .remove(let path): ["op": "remove", "path": .string(path.description)]
        case .replace(let path, let value): ["op": "replace", "path": .string(path.description), "value": value]
        case .move(let from, let path):
            ["op": "move", "from": .string(from.description), "path": .string(path.description)]
        case .copy(let from, let path):
            ["op": "copy", "from": .string(from.description), "path": .string(path.description)]
        case .test(let path, let value): ["op": "test", "path": .string(path.description), "value": value]
        }
    }

    /// Decodes the RFC's form.
    public init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Encodes the RFC's form.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The operation as JSON text.
    public var description: String { json.description }

    /// The members of an operation that is being decoded.
    private struct Members {
        let json: JSONValue

        func value(_ key: String = "value") throws(JSONPatchError) -> JSONValue {
            guard case .object(let object) = json else {
                throw error("an operation must be an object, not \(json.kind)")
            }
            guard let value = object[key] else { throw error("the member \"\(key)\" is missing") }
            return value
        }

        func string(_ key: String) throws(JSONPatchError) -> String {
            let value = try value(key)
            guard case .string(let string) = value else {
                throw error("\"\(key)\" must be a string, not \(value.kind)")
            }
            return string
        }

        func pointer(_ key: String) throws(JSONPatchError) -> JSONPointer {
            let text = try string(key)
            do {
                return try JSONPointer(text)
            } catch {
                throw self.error("in \"\(key)\": \(error)")
            }
        }

        func error(_ reason: String) -> JSONPatchError {
            JSONPatchError(operation: json.description, reason: reason)
        }
    }
}
