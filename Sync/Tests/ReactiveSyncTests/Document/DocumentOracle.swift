// A second implementation of edits: on plain JSON, in O(n), as Edit.swift specifies them.

import ReactiveCodable

@testable import ReactiveSync

struct DocumentOracle {
    private struct DoesNotFit: Error {}
    private struct NotThere: Error {}

    var json: JSONValue

    /// Applies edits and returns the indices of those that do not fit.
    mutating func apply(_ edits: [Edit]) -> [Int] {
        edits.indices.filter { !apply(edits[$0]) }
    }

    private mutating func apply(_ edit: Edit) -> Bool {
        do {
            json = try applied(edit)
            return true
        } catch {
            return false
        }
    }

    private func applied(_ edit: Edit) throws -> JSONValue {
        switch edit {
        case .set(let path, let value):
            guard let last = path.tokens.last else { return value }
            return try change(json, path.tokens.dropLast()) { container in
                switch (container, last) {
                case (.object(let object), .member(let key)): return .object(object.setting(key, to: value))
                case (.array(let array), .element(let identity)):
                    var elements = array.elements
                    let index = try self.index(identity, elements)
                    try check(elements[index], value, in: elements)
                    elements[index] = value
                    return .array(JSONArray(elements))
                default: throw DoesNotFit()
                }
            }
        case .text(let path, let base, let value):
            return try change(json, path.tokens[...]) { found in
                guard case .string(let current) = found,
                    let merged = TextMerge.merged(base: base, current: current, edited: value)
                else { throw DoesNotFit() }
                return .string(merged)
            }
        case .remove(let path):
            guard let last = path.tokens.last else { throw DoesNotFit() }
            do {
                return try change(json, path.tokens.dropLast()) { container in
                    switch (container, last) {
                    case (.object(let object), .member(let key)): return .object(object.setting(key, to: nil))
                    case (.array(let array), .element(let identity)):
                        return .array(JSONArray(try removing(identity, array.elements).rest))
                    default: throw NotThere()
                    }
                }
            } catch is NotThere {
                return json
            }
        case .insert(let path, let value, let anchor):
            return try changeList(json, path) { elements in
                guard let identity = self.identity(value) else { throw DoesNotFit() }
                let same = elements.filter { self.identity($0) == identity }
                if same.count == 1, same[0] == value { return elements }
                guard same.isEmpty else { throw DoesNotFit() }
                return inserting(value, anchor, elements)
            }
        case .move(let path, let identity, let from, let anchor):
            guard let from, from != path else {
                return try changeList(json, path) { elements in
                    let (element, rest) = try removing(identity, elements)
                    return inserting(element, anchor, rest)
                }
            }
            guard !path.tokens.starts(with: from.tokens + [.element(identity)]) else { throw DoesNotFit() }
            var moved = JSONValue.null
            let rest = try changeList(json, from) { elements in
                let (element, rest) = try removing(identity, elements)
                moved = element
                return rest
            }
            return try changeList(rest, path) { elements in
                guard !elements.contains(where: { self.identity($0) == identity }) else { throw DoesNotFit() }
                return inserting(moved, anchor, elements)
            }
        case .splice(let path, let index, let removed, let inserted, let after):
            return try changeList(json, path) { elements in
                if removed.isEmpty && inserted.isEmpty { return elements }
                func fits(_ position: Int) -> Bool {
                    if !removed.isEmpty {
                        return Array(elements[position...].prefix(removed.count)) == removed
                    }
                    guard let after else { return position == 0 }
                    guard position > 0 else { return false }
                    let before = elements[position - 1]
                    return identity(after).map { $0 == identity(before) } ?? (before == after)
                }
                let end = elements.count - removed.count
                let start = min(max(0, index), max(0, end))
                let all = end < 0 ? [] : (0...end).filter(fits)
                guard let position = all.min(by: { (abs($0 - start), $0) < (abs($1 - start), $1) }) else {
                    throw DoesNotFit()
                }
                var result = elements
                result.replaceSubrange(position..<(position + removed.count), with: inserted)
                return result
            }
        }
    }

    private func identity(_ value: JSONValue) -> JSONValue? {
        switch value["id"] {
        case .string(let id)?: .string(id)
        case .number(let id)?: .number(id)
        default: nil
        }
    }

    private func index(_ identity: JSONValue, _ elements: [JSONValue]) throws -> Int {
        let all = elements.indices.filter { self.identity(elements[$0]) == identity }
        guard all.count < 2 else { throw DoesNotFit() }
        guard let index = all.first else { throw NotThere() }
        return index
    }

    private func removing(
        _ identity: JSONValue, _ elements: [JSONValue]
    ) throws -> (element: JSONValue, rest: [JSONValue]) {
        var rest = elements
        let element = rest.remove(at: try index(identity, elements))
        return (element, rest)
    }

    private func inserting(_ value: JSONValue, _ anchor: Anchor, _ elements: [JSONValue]) -> [JSONValue] {
        var result = elements
        if let after = anchor.after, let index = try? index(after, elements) {
            result.insert(value, at: index + 1)
        } else if let before = anchor.before, let index = try? index(before, elements) {
            result.insert(value, at: index)
        } else {
            result.insert(value, at: min(anchor.index, elements.count))
        }
        return result
    }

    private func check(_ old: JSONValue, _ new: JSONValue, in elements: [JSONValue]) throws {
        guard let identity = identity(new), identity != self.identity(old) else { return }
        guard !elements.contains(where: { self.identity($0) == identity }) else { throw DoesNotFit() }
    }

    private func change(
        _ json: JSONValue, _ path: ArraySlice<DocumentPath.Token>, _ body: (JSONValue) throws -> JSONValue
    ) throws -> JSONValue {
        guard let token = path.first else { return try body(json) }
        switch (json, token) {
        case (.object(let object), .member(let key)):
            guard let member = object[key] else { throw NotThere() }
            return .object(object.setting(key, to: try change(member, path.dropFirst(), body)))
        case (.array(let array), .element(let identity)):
            var elements = array.elements
            let index = try index(identity, elements)
            let new = try change(elements[index], path.dropFirst(), body)
            try check(elements[index], new, in: elements)
            elements[index] = new
            return .array(JSONArray(elements))
        default: throw NotThere()
        }
    }

    private func changeList(
        _ json: JSONValue, _ path: DocumentPath, _ body: ([JSONValue]) throws -> [JSONValue]
    ) throws -> JSONValue {
        try change(json, path.tokens[...]) { found in
            guard case .array(let array) = found else { throw DoesNotFit() }
            return .array(JSONArray(try body(array.elements)))
        }
    }
}
