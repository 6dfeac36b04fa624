// The patch that turns one version of a document into a different one, searched where edits have touched them.
//
// Both versions are traversed together along the footprint. Where anything may have changed, whole parts are compared,
// except those that both versions share. Members correspond by key, and elements as ListDifference.swift finds.
//
// Elements that moved to a different list come first. Each is one move, which is applied to the old version before the
// rest is compared. So a model to which the patch is applied keeps their objects.

import ReactiveCodable

extension Document {
    /// Returns the patch that turns this version of a document into a different one.
    ///
    /// The patch changes only the values that differ. An element whose identity is in both versions is kept: at most it
    /// is moved, within its list, or to a different list to which an edit has moved it.
    ///
    /// - Parameters:
    ///   - other: The different version.
    ///   - footprint: The parts where the versions may differ: the footprint of all edits since a common version,
    ///     whether the edits have fitted or not.
    /// - Complexity: O(log *n*) for each region of the footprint, and O(*m*) for *m* values that differ there. A list
    ///   whose elements without identities were replaced at several positions takes up to O(*n* / 32).
    package func patch(to other: Document, at footprint: Footprint) -> JSONPatch {
        var difference = Difference()
        let old = difference.relocate(in: self, to: other, footprint)
        difference.compare(old.root, other.root, footprint.root)
        return JSONPatch(difference.operations)
    }

    /// Returns the patch that turns this version of a document into a different one, wherever they differ.
    ///
    /// - Complexity: O(*n*) for *n* values that the versions do not share.
    package func patch(to other: Document) -> JSONPatch {
        var difference = Difference()
        difference.compare(root, other.root, nil)
        return JSONPatch(difference.operations)
    }
}

/// The operations that turn an old version into a new one.
struct Difference {
    private(set) var operations: [JSONPatch.Operation] = []
    /// The current location of the traversal: keys and indices of the old version, in which no elements have been
    /// removed or moved yet.
    private var path: [String] = []

    /// Compares two nodes.
    ///
    /// - Parameter region: The parts inside that may differ; `nil` if anything may.
    mutating func compare(_ old: Node, _ new: Node, _ region: Footprint.Region?) {
        guard !old.isIdentical(to: new) else { return }
        let region = region.flatMap { $0.isWhole ? nil : $0 }
        guard path.count < Node.openedLevels else {
            operations += JSONPatch(from: old.json, to: new.json, at: here).operations
            return
        }
        if let old = old.asObject, let new = new.asObject {
            compare(old, new, region)
        } else if let old = old.asList, let new = new.asList {
            compare(old, new, region)
        } else if region == nil || old.kind != new.kind {
            emit(.replace(path: here, value: new.json))
        }
    }

    private mutating func compare(_ old: ObjectNode, _ new: ObjectNode, _ region: Footprint.Region?) {
        guard let region else {
            for key in old.sortedKeys { compareMember(key, old, new, nil) }
            for key in new.sortedKeys where old[key] == nil { compareMember(key, old, new, nil) }
            return
        }
        var members: [(key: String, region: Footprint.Region)] = []
        for (token, child) in region.children {
            if case .member(let key) = token { members.append((key, child)) }
        }
        members.sort { String.hasScalarsInOrder($0.key, $1.key) }
        for (key, child) in members { compareMember(key, old, new, child) }
    }

    private mutating func compareMember(
        _ key: String, _ old: ObjectNode, _ new: ObjectNode, _ region: Footprint.Region?
    ) {
        switch (old[key], new[key]) {
        case (let old?, let new?): descend(key) { $0.compare(old, new, region) }
        case (nil, let new?): emit(.add(path: here.appending(key), value: new.json))
        case (_?, nil): emit(.remove(path: here.appending(key)))
        case (nil, nil): break
        }
    }

    private mutating func compare(_ old: List, _ new: List, _ region: Footprint.Region?) {
        // Writing many elements as one value takes much less time.
        if old.isEmpty, new.count > List.width { return emit(.replace(path: here, value: Node.json(of: new))) }
        let difference: ListDifference
        if let region, !region.isSpliced {
            difference = ListDifference(old, new, at: region)
        } else {
            difference = ListDifference(old, new)
        }
        for (oldIndex, newIndex, child) in difference.changed {
            descend(String(oldIndex)) { $0.compare(old[oldIndex], new[newIndex], child) }
        }
        for operation in difference.operations {
            switch operation {
            case .remove(let index): emit(.remove(path: here.appending(index)))
            case .move(let from, let to): emit(.move(from: here.appending(from), path: here.appending(to)))
            case .insert(let index, let newIndex):
                emit(.add(path: here.appending(index), value: new[newIndex].json))
            }
        }
    }

    private mutating func descend(_ token: String, _ body: (inout Difference) -> Void) {
        path.append(token)
        body(&self)
        path.removeLast()
    }

    private mutating func emit(_ operation: JSONPatch.Operation) { operations.append(operation) }

    private var here: JSONPointer { JSONPointer(tokens: path) }
}

// MARK: - Elements that moved to a different list

extension Difference {
    /// Moves elements to the list where the new version has them.
    ///
    /// - Returns: The old version with the elements moved.
    mutating func relocate(in old: Document, to new: Document, _ footprint: Footprint) -> Document {
        guard !footprint.relocations.isEmpty else { return old }
        var lists: [JSONValue: Set<DocumentPath>] = [:]
        for relocation in footprint.relocations {
            lists[relocation.identity, default: []].formUnion([relocation.from, relocation.to])
        }
        var document = old
        for (identity, paths) in lists.sorted(by: { $0.key.description < $1.key.description }) {
            func has(_ version: Document, _ list: DocumentPath) -> Bool {
                version.node(at: list)?.asList?.position(of: identity) != nil
            }
            let sources = paths.filter { has(document, $0) && !has(new, $0) }
            let targets = paths.filter { !has(document, $0) && has(new, $0) }
            var pairs = footprint.relocations.filter { $0.identity == identity }.flatMap {
                [(from: $0.from, to: $0.to), (from: $0.to, to: $0.from)]
            }
            // An element that was moved more than once.
            if sources.count == 1, targets.count == 1, let from = sources.first, let to = targets.first {
                pairs = [(from, to)]
            }
            for (from, to) in pairs where sources.contains(from) && targets.contains(to) {
                move(identity, from: from, to: to, in: &document, new)
            }
        }
        return document
    }

    private mutating func move(
        _ identity: JSONValue, from: DocumentPath, to: DocumentPath, in document: inout Document, _ new: Document
    ) {
        // An earlier pair may have moved the element already.
        guard let source = document.node(at: from)?.asList?.position(of: identity),
            let fromPointer = document.pointer(of: from), let target = new.node(at: to)?.asList,
            let index = target.position(of: identity)
        else { return }
        var rest = document
        do throws(Unfit) {
            try rest.apply(fitting: .remove(from.appending(element: identity)), limits: .unlimited)
        } catch {
            return
        }
        guard let list = rest.node(at: to)?.asList, let toPointer = rest.pointer(of: to),
            list.occurrences(of: identity) == 0
        else { return }
        // After the removal, the index of the moved element means the next one. If the target is inside that, RFC 6902
        // rejects the operation as a move into itself.
        guard !fromPointer.appending(source).contains(toPointer) else { return }
        let anchor = Anchor(
            after: target.usableIdentity(at: index - 1), before: target.usableIdentity(at: index + 1), index: index)
        let position = list.position(for: anchor)
        do throws(Unfit) {
            try document.apply(
                fitting: .move(to, identity, from: from, Anchor(index: position)), limits: .unlimited)
        } catch {
            return
        }
        operations.append(.move(from: fromPointer.appending(source), path: toPointer.appending(position)))
    }
}

extension Document {
    /// Returns the JSON Pointer of a path, with the current indices; `nil` if there is no value.
    func pointer(of path: DocumentPath) -> JSONPointer? {
        var tokens: [String] = []
        var node = root
        for token in path.tokens {
            switch token {
            case .member(let key):
                guard let member = node.asObject?[key] else { return nil }
                tokens.append(key)
                node = member
            case .element(let identity):
                guard let list = node.asList, let position = list.position(of: identity) else { return nil }
                tokens.append(String(position))
                node = list[position]
            }
        }
        return JSONPointer(tokens: tokens)
    }
}
