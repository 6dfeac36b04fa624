// The composition of one patch: the order of its changes, and which changes others contain.

import Reactive

struct PatchComposition {
    /// The parts that an outer change covers.
    private enum Cover {
        /// Everything below its path.
        case whole
        /// The elements without an origin.
        case elements(ArrayAlignment)
        /// The elements without an origin.
        case rows(any SavedRows)
        /// The members with these names.
        case members(Set<String>)
    }

    /// The changes at one path. There are several if an observable contains nothing but another observable.
    private struct Group {
        var changes: [PatchBuilder.Change]
        var isDone = false
    }

    private let builder: PatchBuilder
    private let order: [PatchBuilder.Change]
    private var groups: [[String]: Group] = [:]
    /// The lengths of the paths of changes, ascending: the possible lengths of the paths of outer changes.
    private var lengths: [Int] = []
    private var covers: [[String]: Cover] = [:]
    private var operations: [JSONPatch.Operation] = []
    /// For each part of the operations, from the first to the last, the operations that undo it.
    private var undoing: [[JSONPatch.Operation]] = []
    /// The graph before and after, if it must be read.
    private var documents: (before: JSONTree, after: JSONTree)?

    init(_ builder: PatchBuilder, _ changes: [PatchBuilder.Change]) {
        self.builder = builder
        order = changes
        // No test sees this always hold: it only saves groups that nothing looks up, below collections without an order.
        for change in changes where change.path.unorderedLength == nil {
            groups[change.path.names, default: Group(changes: [])].changes.append(change)
        }
        lengths = Set(groups.keys.map(\.count)).sorted()
    }

    private var strategies: CodingStrategies { builder.strategies }

    mutating func compose() throws -> JSONPatch {
        for change in order {
            if let length = change.path.unorderedLength {
                try composeCollection(at: Array(change.path.keys[..<length]))
            } else {
                try composeGroup(at: change.path.names)
            }
        }
        return JSONPatch(operations, undoing: Array(undoing.reversed().joined()))
    }

    private mutating func add(_ patch: JSONPatch) {
        operations += patch.operations
        undoing.append(patch.undoing ?? [])
    }

    // MARK: - The order of changes

    /// Composes the changes at a path, after those that may contain them.
    private mutating func composeGroup(at names: [String]) throws {
        guard let group = groups[names], !group.isDone, let change = group.changes.first else { return }
        groups[names]?.isDone = true
        guard try !composeOuter(of: change.path.keys, names) else { return }
        covers[names] =
            if group.changes.count > 1 || strategies.keysDependOnPath {
                try composeDocuments(at: change.path.keys)
            } else {
                try compose(change)
            }
    }

    /// Composes a change inside a collection without an order as a change of the collection.
    private mutating func composeCollection(at keys: [any CodingKey]) throws {
        let names = keys.map(\.stringValue)
        if groups[names] != nil { return try composeGroup(at: names) }
        guard covers[names] == nil, try !composeOuter(of: keys, names) else { return }
        covers[names] = try composeDocuments(at: keys)
    }

    /// Composes the changes that contain a path.
    ///
    /// - Returns: Whether one of them covers the path.
    private mutating func composeOuter(of keys: [any CodingKey], _ names: [String]) throws -> Bool {
        for length in lengths where length < names.count {
            let outer = Array(names[..<length])
            guard groups[outer] != nil else { continue }
            try composeGroup(at: outer)
            switch covers[outer] {
            case .whole: return true
            case .elements(let alignment):
                guard let index = keys[length].intValue, alignment.origin(of: index) != nil else { return true }
            case .rows(let rows):
                guard let index = keys[length].intValue, rows.origin(of: index) != nil else { return true }
            case .members(let covered): if covered.contains(names[length]) { return true }
            // No test sees this: the group is covered itself, by one with a shorter path that covers this path too.
            case nil: return true
            }
        }
        return false
    }

    /// Returns the path of a value before the changes around it.
    private func keysBefore(_ keys: [any CodingKey]) -> [any CodingKey] {
        let names = keys.map(\.stringValue)
        return keys.indices.map { position in
            let origin: Int? =
                switch covers[Array(names[..<position])] {
                case .elements(let alignment): keys[position].intValue.flatMap(alignment.origin)
                case .rows(let rows): keys[position].intValue.flatMap(rows.origin)
                default: nil
                }
            guard let origin else { return keys[position] }
            return AnyKey.index(origin)
        }
    }

    // MARK: - One change

    /// Composes a change that is alone at its path.
    private mutating func compose(_ change: PatchBuilder.Change) throws -> Cover {
        let path = try pointer(to: change.path.keys)
        switch (change.old, change.new) {
        case (let old?, let new?) where change.path.leavesOutNil && old.isNil != new.isNil:
            let value = try old.isNil ? builder.after.json(new, strategies) : builder.before.json(old, strategies)
            let adding = [JSONPatch.Operation.add(path: path, value: value)]
            let removing = [JSONPatch.Operation.remove(path: path)]
            add(old.isNil ? JSONPatch(adding, undoing: removing) : JSONPatch(removing, undoing: adding))
            return .whole
        case (let old?, let new?) where change.path.leavesOutNil && old.isNil && new.isNil:
            return .whole
        case (let old?, let new?):
            if let elements = old.elements(comparedTo: new), let cover = try compose(elements, at: path) {
                return cover
            }
            if let rows = old.rows(comparedTo: new, change.difference), let cover = try compose(rows, at: path) {
                return cover
            }
            if let members = old.members(comparedTo: new, change.difference),
                let cover = try compose(members, at: path)
            {
                return cover
            }
        default: break
        }
        add(
            JSONPatch(
                from: try builder.before.json(change.old, strategies),
                to: try builder.after.json(change.new, strategies),
                at: path))
        return .whole
    }

    /// Composes the change of an array from its elements, if that is not larger than the difference of the values.
    private mutating func compose(_ elements: some SavedElements, at path: JSONPointer) throws -> Cover? {
        let matched = ArrayAlignment(matching: elements)
        let (removed, inserted) = (matched.unmatchedOld.count, matched.unmatchedNew.count)
        // Elements that were all created anew may still be equal as JSON.
        // No test sees this: any bound near it would serve.
        let hasManyNew = min(removed, inserted) > 8 && 4 * (removed + inserted) > elements.oldCount + elements.newCount
        // No test sees this: it only saves encoding elements. The comparison of the costs, or of the documents, decides.
        guard !hasManyNew, removed - inserted <= 2 + elements.newCount else { return nil }
        var old: [Int: JSONValue] = [:]
        for index in matched.unmatchedOld {
            old[index] = try builder.before.json(elements.oldElement(index), strategies)
        }
        var new: [Int: JSONValue] = [:]
        for index in matched.unmatchedNew {
            new[index] = try builder.after.json(elements.newElement(index), strategies)
        }
        var alignment = matched
        alignment.pairUnmatched(old: { old[$0] ?? .null }, new: { new[$0] ?? .null })
        let (patch, cost) = JSONPatch.editing(
            alignment, at: path, old: { old[$0] ?? .null }, new: { new[$0] ?? .null })
        // The minimum cost of replacing the array.
        let replacing = new.values.reduce(2 + elements.newCount - inserted) { $0 + $1.valueCount }
        // No test sees this boundary: the difference of the documents costs as much.
        guard cost <= replacing else { return nil }
        add(patch)
        return .elements(matched)
    }

    /// Composes the change of a collection from its edits, if that is not larger than the difference of the values.
    private mutating func compose(_ rows: any SavedRows, at path: JSONPointer) throws -> Cover? {
        // Elements that were all created anew may still be equal as JSON.
        // No test sees this: any bound near it would serve.
        guard 2 * rows.edits.count <= 16 + rows.oldCount + rows.newCount else { return nil }
        func old(_ row: UInt32) throws -> JSONValue { try builder.before.json(rows.oldElement(row), strategies) }
        func new(_ row: UInt32) throws -> JSONValue { try builder.after.json(rows.newElement(row), strategies) }
        var (operations, undoing): ([JSONPatch.Operation], [[JSONPatch.Operation]]) = ([], [])
        var (cost, replacing) = (0, 2 + rows.newCount)
        for edit in rows.edits {
            switch edit {
            case .remove(let position, let row):
                let pointer = path.appending(position)
                operations.append(.remove(path: pointer))
                undoing.append([.add(path: pointer, value: try old(row))])
                cost += 1
            case .insert(let position, let row):
                let (pointer, value) = (path.appending(position), try new(row))
                operations.append(.add(path: pointer, value: value))
                undoing.append([.remove(path: pointer)])
                cost += 1 + value.valueCount
                // No test sees this: with a smaller bound, the documents are compared, which only takes longer.
                replacing += value.valueCount - 1
            case .move(let from, let to):
                let (from, to) = (path.appending(from), path.appending(to))
                operations.append(.move(from: from, path: to))
                undoing.append([.move(from: to, path: from)])
                // No test sees this: any bound near it would serve.
                cost += 1
            case .replace(let position, let row):
                let value = try new(row)
                let patch = JSONPatch(from: try old(row), to: value, at: path.appending(position))
                operations += patch.operations
                undoing.append(patch.undoing ?? [])
                cost += patch.operations.reduce(0) { $0 + $1.cost }
                // No test sees this: with a smaller bound, the documents are compared, which only takes longer.
                replacing += value.valueCount - 1
            }
        }
        // No test sees this boundary: the difference of the documents costs as much.
        guard cost <= replacing else { return nil }
        add(JSONPatch(operations, undoing: Array(undoing.reversed().joined())))
        return .rows(rows)
    }

    /// Composes the change of a dictionary from its members, if that is not larger than the difference of the values.
    private mutating func compose(_ members: some SavedMembers, at path: JSONPointer) throws -> Cover? {
        let (removed, inserted, replaced) = members.counts
        let namesMembers = builder.namesMembers && members.newCount > 0
        // If most members differ, encoding all costs no more.
        // No test sees this: any bound near it would serve.
        guard namesMembers || 2 * (removed + inserted + 2 * replaced) <= members.oldCount + members.newCount,
            case .object(let old) = try builder.before.json(members.oldPart, strategies),
            case .object(let new) = try builder.after.json(members.newPart, strategies)
        else { return nil }
        let (patch, cost) = JSONPatch.editing(old, to: new, at: path)
        let keptCount = members.newCount - inserted - replaced
        // The minimum cost of replacing the dictionary.
        // No test sees this: with a smaller bound, the documents are compared, which only takes longer.
        let replacing = JSONValue.object(new).valueCount + 1 + keptCount
        // No test sees this boundary: the difference of the documents costs as much.
        guard namesMembers || cost <= replacing else { return nil }
        add(patch)
        return .members(Set(members.names))
    }

    // MARK: - The documents

    private mutating func readDocuments() throws -> (before: JSONTree, after: JSONTree) {
        // No test sees this never hold: it only saves reading them again.
        if let documents { return documents }
        let read = (try builder.before.tree(strategies), try builder.after.tree(strategies))
        // No test sees this: as above.
        documents = read
        return read
    }

    /// Returns the pointer to a path in the document.
    private mutating func pointer(to keys: [any CodingKey]) throws -> JSONPointer {
        if strategies.keepsEncodedKeys { return JSONPointer(codingPath: keys) }
        return try readDocuments().after.find(keys, strategies).pointer
    }

    /// Composes the difference of the old and the new value at a path, of any kind.
    private mutating func composeDocuments(at keys: [any CodingKey]) throws -> Cover {
        let (before, after) = try readDocuments()
        let (oldID, oldPointer) = try before.find(keysBefore(keys), strategies)
        let (newID, newPointer) = try after.find(keys, strategies)
        switch (try oldID.map(before.snapshot), try newID.map(after.snapshot)) {
        case (let old?, let new?): add(JSONPatch(from: old, to: new, at: newPointer))
        case (nil, let new?):
            add(JSONPatch([.add(path: newPointer, value: new)], undoing: [.remove(path: newPointer)]))
        case (let old?, nil):
            let pointer = JSONPointer(tokens: newPointer.tokens.dropLast() + oldPointer.tokens.suffix(1))
            add(JSONPatch([.remove(path: pointer)], undoing: [.add(path: pointer, value: old)]))
        case (nil, nil): break
        }
        return .whole
    }
}

extension JSONPatch.Operation {
    /// The cost that the operation adds to a patch.
    fileprivate var cost: Int {
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value): 1 + value.valueCount
        case .remove, .move, .copy: 1
        }
    }
}

extension JSONTree {
    /// Returns the node that an encoder created for the given keys, if it exists, and its pointer in the document.
    fileprivate func find(
        _ path: [any CodingKey], _ strategies: CodingStrategies
    ) throws -> (id: ID?, pointer: JSONPointer) {
        var id = root
        var tokens: [String] = []
        for key in path {
            try open(id)
            // No test sees this always hold: an object has no elements, and the path of a change leads to one that exists.
            if nodes[id].kind == .array, let index = key.intValue, nodes[id].elements.indices.contains(index) {
                tokens.append(String(index))
                id = nodes[id].elements[index]
            } else if let (name, child) = try member(under: key, of: id, strategies) {
                tokens.append(name)
                id = child
            } else {
                let name = try strategies.encodedKey(key) { codingPath(to: id) }
                return (nil, JSONPointer(tokens: tokens + [name]))
            }
        }
        return (nodes[id].kind == .absent ? nil : id, JSONPointer(tokens: tokens))
    }

    /// Returns the member that was encoded under a key, whatever its name is.
    private func member(
        under key: any CodingKey, of id: ID, _ strategies: CodingStrategies
    ) throws -> (String, ID)? {
        for name in [key.stringValue, try strategies.encodedKey(key) { codingPath(to: id) }] {
            if let child = nodes[id].members[name], nodes[child].key?.stringValue == key.stringValue {
                return (name, child)
            }
        }
        return nil
    }
}
