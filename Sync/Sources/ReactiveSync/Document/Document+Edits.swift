// Applies edits. Edit.swift describes the effect of each operation, and when it fits.
//
// An edit descends along its path, changes a copy of the node at its end, and copies the containers while it returns.
// If the identity of an element has changed, its list then checks that no other element has the new one. Nodes deeper
// than `Node.openedLevels` become plain JSON again.

import ReactiveCodable

/// An edit that does not fit a document.
package struct Misfit: Hashable, Sendable {
    /// The index of the edit.
    package let index: Int

    /// The operation, its path and the cause, as a sentence.
    package let reason: String
}

/// The reason why an edit does not fit.
struct Unfit: Error {
    enum Kind {
        /// There is no value at the path.
        case missing
        /// There is a value of a different kind at the path.
        case wrongKind
        /// The content of the document or a limit forbids the edit.
        case conflict
        /// The edit fits and has no effect.
        case noEffect
    }

    let kind: Kind
    let cause: String

    static let noEffect = Unfit(.noEffect, "")

    init(_ kind: Kind, _ cause: String) {
        self.kind = kind
        self.cause = cause
    }
}

extension Document {
    /// Applies edits, one after the other. An edit that does not fit changes nothing.
    ///
    /// The result depends only on the document's content, the edits and the limits. So all replicas of a document need
    /// the same limits. An edit may shrink a document that exceeds a limit.
    ///
    /// - Parameters:
    ///   - edits: The edits.
    ///   - limits: The limits for the document.
    ///   - footprint: Receives the parts that the edits read or change, whether they fit or not.
    /// - Returns: The edits that do not fit, in their order.
    /// - Complexity: O(log *n*) for each step of each path, and O(*m*) for *m* values in the edits.
    package mutating func apply(
        _ edits: [Edit], limits: DocumentLimits = .default, touching footprint: inout Footprint
    ) -> [Misfit] {
        var misfits: [Misfit] = []
        for (index, edit) in edits.enumerated() {
            footprint.touch(edit)
            do {
                try apply(fitting: edit, limits: limits)
            } catch {
                misfits.append(Misfit(index: index, reason: "\(edit.operation) \(edit.path.excerpt): \(error.cause)"))
            }
        }
        return misfits
    }

    /// Applies an edit.
    ///
    /// - Throws: ``Unfit`` if the edit does not fit. The document is unchanged then.
    mutating func apply(fitting edit: Edit, limits: DocumentLimits) throws(Unfit) {
        let changed: Node
        do {
            changed = try root.applying(edit, limits: limits)
        } catch {
            guard error.kind == .noEffect else { throw error }
            return
        }
        let (old, new) = (root.weight, changed.weight)
        if new.values > limits.valueCount, new.values > old.values {
            throw Unfit(.conflict, "the document would have more than \(limits.valueCount) values")
        }
        if new.bytes > limits.byteCount, new.bytes > old.bytes {
            throw Unfit(.conflict, "the document would have more than \(limits.byteCount) bytes")
        }
        root = changed
    }
}

extension Edit {
    /// The name of the operation.
    fileprivate var operation: String {
        switch self {
        case .set: "set"
        case .text: "text"
        case .remove: "remove"
        case .insert: "insert"
        case .move: "move"
        case .splice: "splice"
        }
    }
}

extension DocumentPath {
    /// The path as text for messages, which may be shortened.
    fileprivate var excerpt: String {
        let text = description
        return text.utf8.count > 200 ? text.prefix(200) + "…" : text
    }
}

// MARK: - Operations

extension Node {
    fileprivate func applying(_ edit: Edit, limits: DocumentLimits) throws(Unfit) -> Node {
        try checkLength(edit.path)
        switch edit {
        case .set(let path, let value):
            try check(depth: value.depth, at: path, limits)
            return try setting(path, to: Node(value, level: path.tokens.count))
        case .text(let path, let base, let value):
            return try changing(path.tokens[...]) { node throws(Unfit) in
                guard case .json(.string(let current)) = node else {
                    throw Unfit(.wrongKind, "the value is \(node.kind), not a string")
                }
                guard let merged = TextMerge.merged(base: base, current: current, edited: value) else {
                    throw Unfit(.conflict, "the same range of the text has changed")
                }
                return .json(.string(merged))
            }
        case .remove(let path):
            return try removing(path)
        case .insert(let list, let value, let anchor):
            try check(depth: value.depth + 1, at: list, limits)
            return try changingList(list) { elements throws(Unfit) in
                guard let identity = value.identity else {
                    throw Unfit(.wrongKind, "the element to insert has no identity")
                }
                let element = Node(value, level: list.tokens.count + 1)
                if let position = elements.position(of: identity), elements[position] == element {
                    throw Unfit.noEffect
                }
                try elements.checkIsFree(identity)
                elements.insert(element, at: elements.position(for: anchor))
            }
        case .move(let list, let identity, let from, let anchor):
            guard let from, from != list else {
                return try changingList(list) { elements throws(Unfit) in
                    let element = try elements.take(identity)
                    elements.insert(element, at: elements.position(for: anchor))
                }
            }
            return try moving(identity, from: from, to: list, anchor, limits)
        case .splice(let list, let index, let removed, let inserted, let after):
            try check(depth: (inserted.lazy.map(\.depth).max() ?? 0) + 1, at: list, limits)
            return try changingList(list) { elements throws(Unfit) in
                try elements.splice(
                    at: index, removed: removed,
                    inserted: inserted.map { Node($0, level: list.tokens.count + 1) }, after: after)
            }
        }
    }

    private func setting(_ path: DocumentPath, to value: Node) throws(Unfit) -> Node {
        guard case .member(let key)? = path.tokens.last else { return try changing(path.tokens[...]) { _ in value } }
        return try changing(path.tokens.dropLast()) { node throws(Unfit) in
            guard let object = node.asObject else {
                throw Unfit(.wrongKind, "the value is \(node.kind), not an object")
            }
            return .object(object.setting(key, to: value))
        }
    }

    private func removing(_ path: DocumentPath) throws(Unfit) -> Node {
        guard let last = path.tokens.last else { throw Unfit(.conflict, "a document cannot be removed") }
        do {
            return try changing(path.tokens.dropLast()) { node throws(Unfit) in
                switch last {
                case .member(let key):
                    guard let object = node.asObject, object[key] != nil else { throw Unfit.noEffect }
                    return .object(object.setting(key, to: nil))
                case .element(let identity):
                    guard var list = node.asList else { throw Unfit.noEffect }
                    _ = try list.take(identity)
                    return .list(ListNode(list))
                }
            }
        } catch {
            guard error.kind == .missing || error.kind == .wrongKind else { throw error }
            throw Unfit.noEffect
        }
    }

    private func moving(
        _ identity: JSONValue, from: DocumentPath, to list: DocumentPath, _ anchor: Anchor, _ limits: DocumentLimits
    ) throws(Unfit) -> Node {
        try checkLength(from)
        guard !from.appending(element: identity).contains(list) else {
            throw Unfit(.conflict, "an element cannot be moved into itself")
        }
        var taken: Node?
        let rest = try changingList(from) { elements throws(Unfit) in taken = try elements.take(identity) }
        guard var element = taken else { throw Unfit.noEffect }
        if list.tokens.count > from.tokens.count {
            let depth = element.depth + 1
            try check(depth: depth, at: list, limits)
            if list.tokens.count + depth > Node.openedLevels {
                element = Node(element.json, level: list.tokens.count + 1)
            }
        }
        return try rest.changingList(list) { elements throws(Unfit) in
            try elements.checkIsFree(identity)
            elements.insert(element, at: elements.position(for: anchor))
        }
    }

    private func checkLength(_ path: DocumentPath) throws(Unfit) {
        guard path.tokens.count <= Document.maximumPathLength else {
            throw Unfit(.conflict, "the path has more than \(Document.maximumPathLength) steps")
        }
    }

    private func check(depth: Int, at path: DocumentPath, _ limits: DocumentLimits) throws(Unfit) {
        guard path.tokens.count.addingSaturated(depth) <= limits.depth else {
            throw Unfit(.conflict, "the document would have more than \(limits.depth) levels")
        }
    }
}

// MARK: - Paths

extension Node {
    /// A container on a path, and the member or element of the next step.
    private enum Container {
        case member(String, of: ObjectNode)
        case element(at: Int, identity: JSONValue, of: List)
    }

    /// Returns the node with the node at the end of a path changed. Does not recurse.
    private func changing(
        _ path: ArraySlice<DocumentPath.Token>, _ change: (Node) throws(Unfit) -> Node
    ) throws(Unfit) -> Node {
        var (node, containers) = (self, [Container]())
        containers.reserveCapacity(path.count)
        for token in path {
            switch token {
            case .member(let key):
                guard let object = node.asObject else {
                    throw Unfit(
                        .wrongKind, "there is \(node.kind), which has no member \(JSONValue.string(key).summary)")
                }
                guard let member = object[key] else {
                    throw Unfit(.missing, "there is no member \(JSONValue.string(key).summary)")
                }
                containers.append(.member(key, of: object))
                node = member
            case .element(let identity):
                guard let list = node.asList else {
                    throw Unfit(.wrongKind, "there is \(node.kind), which has no element \(identity.summary)")
                }
                let position = try list.position(required: identity)
                containers.append(.element(at: position, identity: identity, of: list))
                node = list[position]
            }
        }
        node = try change(node)
        if path.count >= Node.openedLevels { node = .json(node.json) }
        for (level, container) in containers.enumerated().reversed() {
            switch container {
            case .member(let key, let object):
                node = .object(object.setting(key, to: node))
            case .element(let position, let identity, var list):
                if let new = node.identity, new != identity { try list.checkIsFree(new) }
                list.replace(at: position, with: node)
                node = .list(ListNode(list))
            }
            if level >= Node.openedLevels { node = .json(node.json) }
        }
        return node
    }

    private func changingList(
        _ path: DocumentPath, _ change: (inout List) throws(Unfit) -> Void
    ) throws(Unfit) -> Node {
        try changing(path.tokens[...]) { node throws(Unfit) in
            guard var list = node.asList else { throw Unfit(.wrongKind, "the value is \(node.kind), not a list") }
            try change(&list)
            return .list(ListNode(list))
        }
    }
}

extension List {
    /// The maximum distance from its index at which a splice searches the elements that it replaces.
    static let searchedDistance = 4_096

    fileprivate func position(required identity: JSONValue) throws(Unfit) -> Int {
        if let position = position(of: identity) { return position }
        switch occurrences(of: identity) {
        case 0: throw Unfit(.missing, "there is no element \(identity.summary)")
        case let count: throw Unfit(.conflict, "\(count) elements have the identity \(identity.summary)")
        }
    }

    fileprivate func checkIsFree(_ identity: JSONValue) throws(Unfit) {
        guard occurrences(of: identity) == 0 else {
            throw Unfit(.conflict, "a different element has the identity \(identity.summary)")
        }
    }

    fileprivate mutating func take(_ identity: JSONValue) throws(Unfit) -> Node {
        let position = try position(required: identity)
        let element = self[position]
        remove(at: position)
        return element
    }

    /// Returns the index to which an anchor leads.
    func position(for anchor: Anchor) -> Int {
        if let after = anchor.after, let position = position(of: after) { return position + 1 }
        if let before = anchor.before, let position = position(of: before) { return position }
        return Swift.min(Swift.max(0, anchor.index), count)
    }

    fileprivate mutating func splice(
        at index: Int, removed: [JSONValue], inserted: [Node], after: JSONValue?
    ) throws(Unfit) {
        guard !removed.isEmpty || !inserted.isEmpty else { throw Unfit.noEffect }
        func isRight(_ position: Int) -> Bool {
            guard removed.isEmpty else {
                return removed.indices.allSatisfy { self[position + $0] == .json(removed[$0]) }
            }
            guard let after else { return position == 0 }
            guard position > 0 else { return false }
            if let identity = after.identity { return self[position - 1].identity == identity }
            return self[position - 1] == .json(after)
        }
        guard removed.count <= count,
            let position = nearestPosition(to: index, in: 0...(count - removed.count), isRight)
        else {
            throw Unfit(
                .conflict,
                removed.isEmpty
                    ? "the element to insert after does not exist" : "the elements to replace do not exist")
        }
        for _ in removed { remove(at: position) }
        for (offset, element) in inserted.enumerated() { insert(element, at: position + offset) }
    }

    /// Returns the position nearest to an index that satisfies a condition; the lower one of two.
    private func nearestPosition(to index: Int, in range: ClosedRange<Int>, _ isRight: (Int) -> Bool) -> Int? {
        let start = Swift.min(Swift.max(index, range.lowerBound), range.upperBound)
        for distance in 0...List.searchedDistance {
            let (lower, upper) = (start - distance, start + distance)
            if lower < range.lowerBound, upper > range.upperBound { return nil }
            if lower >= range.lowerBound, isRight(lower) { return lower }
            if distance > 0, upper <= range.upperBound, isRight(upper) { return upper }
        }
        return nil
    }
}
