// Translates a patch, which names elements by their indices, into edits.
//
// Each operation is translated for the document after the operations before it, and its edits are applied. So all edits
// together turn the original document into the same result.
//
//     where                                     add                replace             remove
//     member                                    set                set, text           remove
//     element with a usable identity            insert             set, or as below    remove
//       and a different identity after                             remove and insert
//     element without, and anything inside      splice             splice              splice
//
// If a list with usable identities is replaced, the lists are compared, and the differences are translated. If an empty
// list is replaced by a few elements with identities, they are inserted one by one: a different replica may have inserted
// others. Many elements are set as one value, because separate insertions could exceed the size of an entry. An element
// that is removed from one list and inserted in a different one is moved, if that produces the same document.

import ReactiveCodable

/// The error of an operation of a patch that does not fit a document.
package struct TranslationError: Error, CustomStringConvertible {
    /// The index of the operation.
    package let index: Int

    /// The operation and the reason.
    package let description: String
}

extension Document {
    /// Applies a patch, and returns edits with the same effect.
    ///
    /// - Parameters:
    ///   - patch: A patch that fits the document.
    ///   - texts: The strings whose changes are edits of a text.
    /// - Returns: Edits that turn the original document into the same result.
    /// - Throws: ``TranslationError`` if the patch does not fit. The document is unchanged then.
    /// - Complexity: O(log *n*) for each token of the patch's paths, and O(*m*) for *m* values in it. If elements are
    ///   moved to different lists, another O(*n* / 32) for each list that changes.
    package mutating func edits(
        applying patch: JSONPatch, texts: TextPaths = .none
    ) throws(TranslationError) -> [Edit] {
        var translator = Translator(document: self, texts: texts)
        for (index, operation) in patch.operations.enumerated() {
            do {
                try translator.translate(operation)
            } catch {
                throw TranslationError(
                    index: index, description: "operation \(index) \(operation.description.prefix(300)): \(error.cause)"
                )
            }
        }
        let edits = translator.editsWithMoves(from: self)
        self = translator.document
        return edits
    }
}

private struct Translator {
    /// The target of a pointer.
    enum Location {
        /// A value that has a path.
        case named(DocumentPath, Node)
        /// An element without a usable identity, or a value in it, to which `rest` leads.
        case unnamed(list: DocumentPath, List, index: Int, rest: [String])
    }

    /// The maximum number of elements that are inserted one by one when an empty list is replaced.
    private static var separateInsertions: Int { 100 }

    private(set) var document: Document
    let texts: TextPaths
    /// The path of the document in the one to which the patterns of `texts` refer.
    var prefix = DocumentPath.root
    private(set) var edits: [Edit] = []
    /// The values that edits have removed, by the index of the edit.
    private var removed: [Int: Node] = [:]

    init(document: Document, texts: TextPaths) {
        self.document = document
        self.texts = texts
    }

    mutating func translate(_ operation: JSONPatch.Operation) throws(Unfit) {
        switch operation {
        case .add(let path, let value): try add(value, at: path.tokens)
        case .remove(let path): try remove(path.tokens)
        case .replace(let path, let value): try replace(path.tokens, by: value)
        case .move(let from, let path): try move(from.tokens, to: path.tokens)
        case .copy(let from, let path): try add(value(at: from.tokens), at: path.tokens)
        case .test(let path, let value):
            let found = try self.value(at: path.tokens)
            guard found == value else { throw Unfit(.conflict, "the test failed: the value is \(found.summary)") }
        }
    }

    private mutating func emit(_ edit: Edit) throws(Unfit) {
        try document.apply(fitting: edit, limits: .unlimited)
        edits.append(edit)
    }
}

// MARK: - Finding

extension Translator {
    private func locate(_ tokens: some Collection<String>) throws(Unfit) -> Location {
        try locate(tokens, in: document)
    }

    private func locate(_ tokens: some Collection<String>, in document: Document) throws(Unfit) -> Location {
        var (path, node) = (DocumentPath.root, document.root)
        var rest = Array(tokens)[...]
        while let token = rest.popFirst() {
            if let object = node.asObject {
                guard let member = object[token] else {
                    throw Unfit(.missing, "there is no member \(JSONValue.string(token).summary)")
                }
                path = path.appending(token)
                node = member
            } else if let list = node.asList {
                let index = try index(token, below: list.count)
                guard let identity = list.usableIdentity(at: index) else {
                    return .unnamed(list: path, list, index: index, rest: Array(rest))
                }
                path = path.appending(element: identity)
                node = list[index]
            } else {
                throw Unfit(.wrongKind, "there is \(node.kind), which has no \(JSONValue.string(token).summary)")
            }
        }
        return .named(path, node)
    }

    private func value(at tokens: [String]) throws(Unfit) -> JSONValue {
        switch try locate(tokens) {
        case .named(_, let node): return node.json
        case .unnamed(_, let list, let index, let rest):
            do {
                return try list[index].json.value(at: JSONPointer(tokens: rest))
            } catch {
                throw Unfit(.missing, error.reason)
            }
        }
    }

    private func index(_ token: String, below end: Int) throws(Unfit) -> Int {
        guard let index = Int(token), index >= 0, String(index) == token, index < end else {
            throw Unfit(.missing, "there is no element \(JSONValue.string(token).summary)")
        }
        return index
    }
}

// MARK: - Operations

extension Translator {
    private mutating func add(_ value: JSONValue, at tokens: [String]) throws(Unfit) {
        guard let last = tokens.last else { return try replace(.root, document.root, by: value) }
        switch try locate(tokens.dropLast()) {
        case .unnamed(let path, let list, let index, let rest):
            try change(path, list, index, .add(path: JSONPointer(tokens: rest + [last]), value: value))
        case .named(let path, let node):
            if let object = node.asObject {
                if let member = object[last] {
                    try replace(path.appending(last), member, by: value)
                } else {
                    try emit(.set(path.appending(last), value))
                }
            } else if let list = node.asList {
                let index = last == "-" ? list.count : try index(last, below: list.count + 1)
                try insert(value, at: index, of: list, path)
            } else {
                throw Unfit(.wrongKind, "there is \(node.kind), which has no \(JSONValue.string(last).summary)")
            }
        }
    }

    private mutating func remove(_ tokens: [String]) throws(Unfit) {
        switch try locate(tokens) {
        case .unnamed(let path, let list, let index, let rest):
            if rest.isEmpty {
                try exchange(path, list, index, by: nil)
            } else {
                try change(path, list, index, .remove(path: JSONPointer(tokens: rest)))
            }
        case .named(let path, let node):
            removed[edits.count] = node
            try emit(.remove(path))
        }
    }

    private mutating func replace(_ tokens: [String], by value: JSONValue) throws(Unfit) {
        switch try locate(tokens) {
        case .unnamed(let path, let list, let index, let rest):
            if rest.isEmpty {
                try exchange(path, list, index, by: value)
            } else {
                try change(path, list, index, .replace(path: JSONPointer(tokens: rest), value: value))
            }
        case .named(let path, let node): try replace(path, node, by: value)
        }
    }

    private mutating func replace(_ path: DocumentPath, _ old: Node, by value: JSONValue) throws(Unfit) {
        let new = Node(value)
        guard old != new else { return }
        if case .element(let identity)? = path.tokens.last, value.identity != identity, let parent = path.parent,
            let list = document.node(at: parent)?.asList, let index = list.position(of: identity)
        {
            guard let other = value.identity, list.occurrences(of: other) == 0 else {
                return try exchange(parent, list, index, by: value)
            }
            removed[edits.count] = old
            try emit(.remove(path))
            guard let rest = document.node(at: parent)?.asList else { return }
            return try insert(value, at: index, of: rest, parent)
        }
        if path.tokens.last == .member("id"), value.isIdentity, let parent = path.parent,
            case .element(let identity)? = parent.tokens.last, let listPath = parent.parent,
            let list = document.node(at: listPath)?.asList, list.occurrences(of: value) > 0,
            let index = list.position(of: identity), let element = list[index].asObject
        {
            return try exchange(listPath, list, index, by: .object(element.setting("id", to: new).json))
        }
        if case .json(.string(let base)) = old, case .string(let text) = value,
            texts.contains(DocumentPath(prefix.tokens + path.tokens))
        {
            return try emit(.text(path, base: base, value: text))
        }
        if let list = old.asList, list.isEmpty, case .array(let elements) = value,
            elements.count <= Self.separateInsertions, elements.allSatisfy({ $0.identity != nil })
        {
            for (index, element) in elements.enumerated() {
                guard let list = document.node(at: path)?.asList else { return }
                try insert(element, at: index, of: list, path)
            }
            return
        }
        if let list = old.asList, case .array = value,
            list.indices.contains(where: { list.usableIdentity(at: $0) != nil }),
            let pointer = document.pointer(of: path)
        {
            var difference = Difference()
            difference.compare(old, new, nil)
            for operation in difference.operations { try translate(operation.prefixed(by: pointer)) }
            return
        }
        try emit(.set(path, value))
    }

    private mutating func move(_ from: [String], to tokens: [String]) throws(Unfit) {
        let source = try locate(from)
        // Pointers compare scalar by scalar, where arrays of strings would not.
        let (fromPointer, pointer) = (JSONPointer(tokens: from), JSONPointer(tokens: tokens))
        guard fromPointer != pointer else { return }
        guard !fromPointer.contains(pointer), let last = tokens.last else {
            throw Unfit(.conflict, "a value cannot be moved into itself")
        }
        if case .named(let path, _) = source, case .element(let identity)? = path.tokens.last,
            let sourceList = path.parent
        {
            var rest = document
            try rest.apply(fitting: .remove(path), limits: .unlimited)
            if case .named(let target, let targetNode) = try locate(tokens.dropLast(), in: rest),
                let list = targetNode.asList,
                list.occurrences(of: identity) == 0
            {
                let index = last == "-" ? list.count : try index(last, below: list.count + 1)
                return try emit(
                    .move(target, identity, from: target == sourceList ? nil : sourceList, list.anchor(at: index)))
            }
        }
        let value = try value(at: from)
        try remove(from)
        try add(value, at: tokens)
    }

    private mutating func insert(
        _ value: JSONValue, at index: Int, of list: List, _ path: DocumentPath
    ) throws(Unfit) {
        if let identity = value.identity, list.occurrences(of: identity) == 0 {
            try emit(.insert(path, value, list.anchor(at: index)))
        } else {
            try emit(.splice(path, index: index, removed: [], inserted: [value], after: list.neighbour(at: index - 1)))
        }
    }

    /// Replaces an element as a whole; removes it for `nil`.
    private mutating func exchange(
        _ path: DocumentPath, _ list: List, _ index: Int, by value: JSONValue?
    ) throws(Unfit) {
        let old = list[index].json
        guard old != value else { return }
        try emit(
            .splice(
                path, index: index, removed: [old], inserted: value.map { [$0] } ?? [],
                after: list.neighbour(at: index - 1)))
    }

    /// Replaces an element as a whole, because an operation changes a value inside it.
    private mutating func change(
        _ path: DocumentPath, _ list: List, _ index: Int, _ operation: JSONPatch.Operation
    ) throws(Unfit) {
        do {
            let value = try JSONPatch([operation]).applying(to: list[index].json, limits: .unlimited)
            try exchange(path, list, index, by: value)
        } catch let error as Unfit {
            throw error
        } catch {
            throw Unfit(.missing, "\(error)")
        }
    }
}

extension List {
    /// Returns the anchor for an element at an index.
    ///
    /// At the start and at the end, the anchor has no neighbours: the element goes to the start or to the end, even if
    /// others have inserted elements there.
    fileprivate func anchor(at index: Int) -> Anchor {
        if index == count { return .end }
        if index == 0 { return .start }
        return Anchor(after: usableIdentity(at: index - 1), before: usableIdentity(at: index), index: index)
    }

    /// Returns the value by which a splice names the element at an index; `nil` if there is none.
    fileprivate func neighbour(at index: Int) -> JSONValue? {
        guard indices.contains(index) else { return nil }
        let element = self[index]
        return element.identity.map { ["id": $0] } ?? element.json
    }
}

// MARK: - Elements that moved to a different list

extension Translator {
    /// Returns the edits, with a move for each element that was removed from one list and inserted in a different one.
    func editsWithMoves(from start: Document) -> [Edit] {
        guard !removed.isEmpty, let moved = withMoves() else { return edits }
        // A move takes the element later or earlier than the patch did. Edits in between may depend on that.
        var check = start
        for edit in moved {
            do throws(Unfit) {
                try check.apply(fitting: edit, limits: .unlimited)
            } catch {
                return edits
            }
        }
        return check == document ? moved : edits
    }

    private func withMoves() -> [Edit]? {
        var removals: [JSONValue: [Int]] = [:]
        for index in removed.keys.sorted() {
            guard case .element(let identity)? = edits[index].path.tokens.last else { continue }
            removals[identity, default: []].append(index)
        }
        var replacements: [Int: [Edit]] = [:]
        for (index, edit) in edits.enumerated() {
            guard case .insert(let list, let value, let anchor) = edit, let identity = value.identity,
                let position = removals[identity]?.firstIndex(where: { isSame($0, value, in: list) }),
                let removal = removals[identity]?.remove(at: position), let from = edits[removal].path.parent,
                let element = removed[removal]
            else { continue }
            replacements[removal] = []
            let move = Edit.move(list, identity, from: from == list ? nil : from, anchor)
            let target = list.appending(element: identity)
            replacements[index] = [move] + inside(element, Node(value), at: target)
        }
        guard !replacements.isEmpty else { return nil }
        return edits.indices.flatMap { replacements[$0] ?? [edits[$0]] }
    }

    /// Returns whether a removed element is probably the one that is inserted with the same identity: their lists have
    /// the same key, or they have the same members. A card and a column with the same number are different elements.
    private func isSame(_ removal: Int, _ value: JSONValue, in list: DocumentPath) -> Bool {
        guard let from = edits[removal].path.parent else { return false }
        if from.tokens.last == list.tokens.last { return true }
        return removed[removal]?.asObject?.sortedKeys == Node(value).asObject?.sortedKeys
    }

    /// Returns the edits that turn an element into a different one with the same identity.
    private func inside(_ old: Node, _ new: Node, at path: DocumentPath) -> [Edit] {
        guard old != new else { return [] }
        var document = Document(.null)
        document.root = old
        var translator = Translator(document: document, texts: texts)
        translator.prefix = DocumentPath(prefix.tokens + path.tokens)
        var difference = Difference()
        difference.compare(old, new, nil)
        for operation in difference.operations {
            do throws(Unfit) {
                try translator.translate(operation)
            } catch {
                return [.set(path, new.json)]
            }
        }
        return translator.edits.map { $0.prefixed(by: path) }
    }
}

extension Edit {
    /// Returns the edit for a document that contains the original one at a path.
    fileprivate func prefixed(by prefix: DocumentPath) -> Edit {
        func at(_ path: DocumentPath) -> DocumentPath { DocumentPath(prefix.tokens + path.tokens) }
        return switch self {
        case .set(let path, let value): .set(at(path), value)
        case .text(let path, let base, let value): .text(at(path), base: base, value: value)
        case .remove(let path): .remove(at(path))
        case .insert(let list, let value, let anchor): .insert(at(list), value, anchor)
        case .move(let list, let identity, let from, let anchor): .move(at(list), identity, from: from.map(at), anchor)
        case .splice(let list, let index, let removed, let inserted, let after):
            .splice(at(list), index: index, removed: removed, inserted: inserted, after: after)
        }
    }
}
