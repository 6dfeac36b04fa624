// The JSON form of edits, and the text of an entry. Edit.swift describes the form.

import ReactiveCodable

extension Edit: Codable, CustomStringConvertible {
    /// The edit in its JSON form.
    package var json: JSONValue {
        var members: [JSONObject.Element] = []
        func add(_ anchor: Anchor) {
            if let after = anchor.after { members.append(("after", after)) }
            if let before = anchor.before { members.append(("before", before)) }
            if anchor.index != .max { members.append(("index", .number(JSONNumber(anchor.index)))) }
        }
        switch self {
        case .set(let path, let value):
            members = [("set", path.json), ("value", value)]
        case .text(let path, let base, let value):
            members = [("text", path.json), ("base", .string(base)), ("value", .string(value))]
        case .remove(let path):
            members = [("remove", path.json)]
        case .insert(let list, let value, let anchor):
            members = [("insert", list.json), ("value", value)]
            add(anchor)
        case .move(let list, let identity, let from, let anchor):
            members = [("move", list.json), ("id", identity)]
            if let from { members.append(("from", from.json)) }
            add(anchor)
        case .splice(let list, let index, let removed, let inserted, let after):
            members = [
                ("splice", list.json), ("index", .number(JSONNumber(index))),
                ("removed", .array(JSONArray(removed))), ("inserted", .array(JSONArray(inserted))),
            ]
            if let after { members.append(("after", after)) }
        }
        return .object(JSONObject(members))
    }

    /// Creates an edit from its JSON form.
    ///
    /// - Throws: ``EditError``, which names the member that is missing or has the wrong kind.
    package init(json: JSONValue) throws(EditError) {
        guard case .object(let object) = json else {
            throw EditError("an edit must be an object, not \(json.summary)")
        }
        let operations = ["set", "text", "remove", "insert", "move", "splice"].filter { object[$0] != nil }
        guard let operation = operations.first else {
            let keys = object.sortedKeys.prefix(8).map { JSONValue.string($0).summary }.joined(separator: ", ")
            throw EditError("none of the members is an operation that this version supports: \(keys)")
        }
        guard operations.count == 1 else {
            throw EditError("an edit must have one operation, not \(operations.joined(separator: " and "))")
        }
        let members = Members(operation: operation, object: object)
        let path = try members.path(operation)
        switch operation {
        case "set":
            self = .set(path, try members.value("value"))
        case "text":
            self = .text(path, base: try members.string("base"), value: try members.string("value"))
        case "remove":
            self = .remove(path)
        case "insert":
            self = .insert(path, try members.value("value"), try members.anchor())
        case "move":
            let from = object["from"] == nil ? nil : try members.path("from")
            guard let identity = try members.identity("id") else { throw members.error("\"id\" is missing") }
            self = .move(path, identity, from: from, try members.anchor())
        default:
            self = .splice(
                path, index: try members.index(), removed: try members.array("removed"),
                inserted: try members.array("inserted"), after: object["after"])
        }
    }

    /// Decodes the JSON form.
    package init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Encodes the JSON form.
    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The edit as JSON text.
    package var description: String { json.description }

    /// The members of an edit, for decoding.
    private struct Members {
        let operation: String
        let object: JSONObject

        func error(_ reason: String) -> EditError { EditError("\(operation): \(reason)") }

        func value(_ key: String) throws(EditError) -> JSONValue {
            guard let value = object[key] else { throw error("\"\(key)\" is missing") }
            return value
        }

        func string(_ key: String) throws(EditError) -> String {
            let value = try value(key)
            guard case .string(let string) = value else {
                throw error("\"\(key)\" must be a string, not \(value.summary)")
            }
            return string
        }

        func array(_ key: String) throws(EditError) -> [JSONValue] {
            let value = try value(key)
            guard case .array(let array) = value else {
                throw error("\"\(key)\" must be an array, not \(value.summary)")
            }
            return array.elements
        }

        func path(_ key: String) throws(EditError) -> DocumentPath {
            let value = try value(key)
            do {
                return try DocumentPath(json: value)
            } catch {
                throw self.error("in \"\(key)\", \(error)")
            }
        }

        func identity(_ key: String) throws(EditError) -> JSONValue? {
            guard let value = object[key] else { return nil }
            guard value.isIdentity else {
                throw error("\"\(key)\" must be an identity (a string or a number), not \(value.summary)")
            }
            return value
        }

        func index() throws(EditError) -> Int {
            let value = try value("index")
            guard case .number(let number) = value, let index = number.exactly(Int.self), index >= 0 else {
                throw error("\"index\" must be an integer of at least 0, not \(value.summary)")
            }
            return index
        }

        func anchor() throws(EditError) -> Anchor {
            let index = object["index"] == nil ? .max : try index()
            return Anchor(after: try identity("after"), before: try identity("before"), index: index)
        }
    }
}

/// The content of an entry of a log.
package struct EntryContent: Hashable, Sendable {
    /// The edits, in the order in which they are applied.
    package var edits: [Edit]

    /// Creates the content of an entry.
    package init(edits: [Edit]) { self.edits = edits }

    /// Creates the content from its JSON text: `{"edits":[…]}`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limits: The limits for the size of the text, the number of its values, and the depth of the values in edits.
    /// - Throws: `JSONParseError` for a text that is not JSON or exceeds a limit, before any value is created;
    ///   ``EditError`` for JSON that is not an edit.
    package init(parsing text: String, limits: DocumentLimits = .default) throws {
        var limits = limits
        // Four containers are around a value: the array of a splice, the edit, the array of edits, and the object.
        let (depth, overflows) = limits.depth.addingReportingOverflow(4)
        limits.depth = overflows ? .max : depth
        try self.init(json: JSONValue(parsing: text, limits: limits))
    }

    /// The content as JSON text.
    package var text: String { json.description }
}

extension EntryContent: Codable {
    /// The content in its JSON form.
    package var json: JSONValue { ["edits": .array(JSONArray(edits.map(\.json)))] }

    /// Creates the content from its JSON form. Members other than `edits` are ignored.
    ///
    /// - Throws: ``EditError``, which names the index of the edit.
    package init(json: JSONValue) throws(EditError) {
        guard case .array(let array)? = json["edits"] else {
            throw EditError("an entry must be an object with an array \"edits\", not \(json.summary)")
        }
        edits = []
        edits.reserveCapacity(array.count)
        for (index, element) in array.enumerated() {
            do {
                edits.append(try Edit(json: element))
            } catch {
                throw EditError("edit \(index): \(error)")
            }
        }
    }

    /// Decodes the JSON form.
    package init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Encodes the JSON form.
    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
