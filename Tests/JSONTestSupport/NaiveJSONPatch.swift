// A second implementation of RFC 6902, to test the first: a recursion over plain values that follows the text of the
// RFC. It shares only the types of documents and operations with the library.

package import ReactiveJSON

package enum NaiveJSONPatch {
    package struct Failure: Error {}

    package static func apply(_ patch: JSONPatch, to document: JSONValue) throws -> JSONValue {
        var document = document
        for operation in patch.operations {
            switch operation {
            case .add(let path, let value): document = try add(value, path.tokens, document)
            case .remove(let path): document = try remove(path.tokens, document)
            case .replace(let path, let value):
                _ = try get(path.tokens, document)
                document = path.tokens.isEmpty ? value : try add(value, path.tokens, remove(path.tokens, document))
            case .move(let from, let path):
                let value = try get(from.tokens, document)
                guard from == path || !path.tokens.starts(with: from.tokens, by: isSame) else { throw Failure() }
                if from != path { document = try add(value, path.tokens, remove(from.tokens, document)) }
            case .copy(let from, let path): document = try add(get(from.tokens, document), path.tokens, document)
            case .test(let path, let value):
                guard try get(path.tokens, document) == value else { throw Failure() }
            }
        }
        return document
    }

    /// Whether two keys are the same: scalar by scalar.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        Array(left.unicodeScalars) == Array(right.unicodeScalars)
    }

    private static func index(_ token: String, below limit: Int) throws -> Int {
        guard let index = Int(token), String(index) == token, index >= 0, index < limit else { throw Failure() }
        return index
    }

    private static func get(_ tokens: [String], _ value: JSONValue) throws -> JSONValue {
        guard let token = tokens.first else { return value }
        let rest = Array(tokens.dropFirst())
        switch value {
        case .array(let array): return try get(rest, array.elements[index(token, below: array.count)])
        case .object(let object):
            guard let member = object.first(where: { isSame($0.key, token) }) else { throw Failure() }
            return try get(rest, member.value)
        default: throw Failure()
        }
    }

    /// Changes the container that the last token refers to.
    private static func change(
        _ tokens: [String], _ value: JSONValue,
        elements: (inout [JSONValue], String) throws -> Void,
        members: (inout [JSONObject.Element], String) throws -> Void
    ) throws -> JSONValue {
        let rest = Array(tokens.dropFirst())
        switch value {
        case .array(let array):
            var changed = array.elements
            if rest.isEmpty {
                try elements(&changed, tokens[0])
            } else {
                let index = try index(tokens[0], below: changed.count)
                changed[index] = try change(rest, changed[index], elements: elements, members: members)
            }
            return .array(JSONArray(changed))
        case .object(let object):
            var changed = Array(object)
            if rest.isEmpty {
                try members(&changed, tokens[0])
            } else {
                guard let index = changed.firstIndex(where: { isSame($0.key, tokens[0]) }) else { throw Failure() }
                changed[index].value = try change(rest, changed[index].value, elements: elements, members: members)
            }
            return .object(JSONObject(changed))
        default: throw Failure()
        }
    }

    private static func add(_ new: JSONValue, _ tokens: [String], _ value: JSONValue) throws -> JSONValue {
        guard !tokens.isEmpty else { return new }
        return try change(
            tokens, value,
            elements: { $0.insert(new, at: $1 == "-" ? $0.count : try index($1, below: $0.count + 1)) },
            members: { members, key in
                members.removeAll { isSame($0.key, key) }
                members.append((key, new))
            })
    }

    private static func remove(_ tokens: [String], _ value: JSONValue) throws -> JSONValue {
        guard !tokens.isEmpty else { throw Failure() }
        return try change(
            tokens, value, elements: { $0.remove(at: try index($1, below: $0.count)) },
            members: { members, key in
                guard let index = members.firstIndex(where: { isSame($0.key, key) }) else { throw Failure() }
                members.remove(at: index)
            })
    }
}
