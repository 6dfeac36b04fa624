// Applies the operations of a patch to a tree.

extension JSONTree {
    /// Applies a patch. After an error, the tree must not be used any more.
    ///
    /// - Returns: The operations that undo the patch, if `recordsInverse`.
    @discardableResult
    package func apply(
        _ patch: JSONPatch, recordsInverse: Bool = false
    ) throws(JSONPatchError) -> [JSONPatch.Operation] {
        var inverses: [[JSONPatch.Operation]] = []
        for (index, operation) in patch.operations.enumerated() {
            current = index
            do {
                let inverse = try apply(operation, recordsInverse: recordsInverse)
                if recordsInverse { inverses.append(inverse) }
            } catch {
                throw patchError(error, operation, index)
            }
        }
        return inverses.reversed().flatMap { $0 }
    }

    /// Returns the error of an operation, for any error that was thrown.
    private func patchError(_ error: any Error, _ operation: JSONPatch.Operation, _ index: Int) -> JSONPatchError {
        if let error = error as? JSONPointerError {
            let from: JSONPointer? =
                switch operation {
                case .move(let from, _), .copy(let from, _): from
                default: nil
                }
            let path = from?.description == error.pointer ? from : operation.path
            var result = JSONPatchError(
                index: index, operation: operation.description, path: path, reason: error.reason)
            result.isOutsideObservables = error.isOutsideObservables
            return result
        }
        return JSONPatchError(
            index: index, operation: operation.description, path: operation.path,
            reason: "encoding failed: \(error)", underlying: error)
    }

    private func apply(_ operation: JSONPatch.Operation, recordsInverse: Bool) throws -> [JSONPatch.Operation] {
        switch operation {
        case .add(let path, let value):
            return try set(value, at: path, recordsInverse)
        case .remove(let path):
            let taken = try take(path)
            return recordsInverse ? [.add(path: path, value: try snapshot(taken))] : []
        case .replace(let path, let value):
            let node = try find(path)
            let old = recordsInverse ? try snapshot(node) : nil
            try admit(value, at: path, replacing: node)
            try assign(value, to: node, at: path)
            return old.map { [.replace(path: path, value: $0)] } ?? []
        case .move(let from, let path):
            return try move(from, path, recordsInverse)
        case .copy(let from, let path):
            return try set(try snapshot(find(from)), at: path, recordsInverse)
        case .test(let path, let value):
            let found = try snapshot(find(path))
            guard found == value else {
                throw path.error(at: path.tokens.count, "the test failed: the value is \(found.excerpt(100))")
            }
            return []
        }
    }

    // MARK: - Finding

    /// Returns the node that a pointer refers to.
    private func find(_ pointer: JSONPointer) throws -> ID { try find(pointer, upTo: pointer.tokens.count) }

    private func find(_ pointer: JSONPointer, upTo end: Int) throws -> ID {
        var id = root
        for depth in 0..<end {
            let token = pointer.tokens[depth]
            try open(id)
            switch nodes[id].kind {
            case .array:
                id = try element(at: pointer.index(token, count: elementCount(of: id), depth: depth), of: id)
            case .object, .empty:
                guard let child = try presentMember(token, of: id) else {
                    throw pointer.error(at: depth, "there is no member \"\(token)\"")
                }
                id = child
            default:
                throw pointer.error(at: depth, "there is \(nodes[id].json.kind), which has no \"\(token)\"")
            }
        }
        return id
    }

    /// Returns the container of the node that a pointer refers to. The node itself need not exist.
    private func container(of pointer: JSONPointer) throws -> (id: ID, token: String)? {
        guard let token = pointer.tokens.last else { return nil }
        let depth = pointer.tokens.count - 1
        let id = try find(pointer, upTo: depth)
        try open(id)
        switch nodes[id].kind {
        case .array, .object, .empty: return (id, token)
        default: throw pointer.error(at: depth, "there is \(nodes[id].json.kind), which has no \"\(token)\"")
        }
    }

    /// Returns the index at which a new element is inserted.
    private func insertionIndex(_ pointer: JSONPointer, _ token: String, count: Int) throws -> Int {
        guard token != "-" else { return count }
        // One more than the number of elements: inserting after the last one is allowed.
        return try pointer.index(token, count: count + 1, depth: pointer.tokens.count - 1)
    }

    // MARK: - Adding and replacing

    /// Performs the operation `add` with a JSON value.
    private func set(_ value: JSONValue, at path: JSONPointer, _ recordsInverse: Bool) throws -> [JSONPatch.Operation] {
        let existing = try existing(at: path)
        try admit(value, at: path, replacing: existing)
        if let existing {
            let old = recordsInverse ? try snapshot(existing) : nil
            try assign(value, to: existing, at: path)
            return old.map { [.replace(path: path, value: $0)] } ?? []
        }
        let node = makeNode(kind: .json, json: value)
        nodes[node].touchedBy = current
        return [.remove(path: try insert(node, at: path))]
    }

    /// Returns the node that `add` replaces: the root, or an existing member.
    private func existing(at path: JSONPointer) throws -> ID? {
        guard let (container, token) = try container(of: path) else { return root }
        return nodes[container].kind == .array ? nil : try presentMember(token, of: container)
    }

    /// Adds a node that replaces nothing.
    ///
    /// - Returns: The path, with an index for `-`.
    private func insert(_ node: ID, at path: JSONPointer) throws -> JSONPointer {
        guard let (container, token) = try container(of: path) else { return path }
        guard nodes[container].kind == .array else {
            if let existing = try member(token, of: container) {
                // The member is absent.
                try fill(existing, with: node)
            } else {
                nodes[container].kind = .object
                setMember(token, of: container, to: node)
                try markDirty(container)
            }
            return path
        }
        let index = try insertionIndex(path, token, count: elementCount(of: container))
        try insertElement(node, at: index, of: container)
        try markDirty(container)
        return JSONPointer(tokens: path.tokens.dropLast() + [String(index)])
    }

    /// Assigns a value to a node. In an annotated tree this applies the difference of the values, so that unchanged
    /// parts stay the same.
    private func assign(_ value: JSONValue, to node: ID, at path: JSONPointer) throws {
        if isAnnotated {
            let old = try snapshot(node)
            guard old != value else { return }
            switch (old, value) {
            case (.array(let old), .array) where old.isEmpty: break
            case (.array, .array), (.object, .object):
                for operation in JSONPatch.difference(from: old, to: value, at: path, isBounded: false).operations {
                    try applyStep(operation)
                }
                return
            default: break
            }
        }
        try put(value, in: node, at: path)
    }

    /// Applies an operation of a difference.
    private func applyStep(_ operation: JSONPatch.Operation) throws {
        if case .replace(let path, let value) = operation {
            try put(value, in: find(path), at: path)
        } else {
            _ = try apply(operation, recordsInverse: false)
        }
    }

    /// Replaces a node by a value.
    private func put(_ value: JSONValue, in node: ID, at path: JSONPointer) throws {
        let fresh = makeNode(kind: .json, json: value)
        nodes[fresh].touchedBy = current
        try put(fresh, in: node, at: path)
    }

    /// Replaces a node by a different one: fills its holder, if it has one.
    private func put(_ fresh: ID, in node: ID, at path: JSONPointer) throws {
        guard nodes[node].holder == nil, let (container, token) = try container(of: path) else {
            return try fill(node, with: fresh)
        }
        if nodes[container].kind == .array {
            let index = try path.index(token, count: elementCount(of: container), depth: path.tokens.count - 1)
            try replaceElement(at: index, of: container, by: fresh)
        } else {
            setMember(token, of: container, to: fresh)
        }
        nodes[node].parent = JSONTree.detached
        try markDirty(container)
    }

    // MARK: - Removing and moving

    /// Removes the node that a pointer refers to.
    ///
    /// - Returns: The detached node.
    private func take(_ path: JSONPointer) throws -> ID {
        let node = try find(path)
        guard let (container, token) = try container(of: path) else {
            throw path.error(at: 0, "the document itself cannot be removed")
        }
        if nodes[container].kind == .array {
            try removeElement(
                at: path.index(token, count: elementCount(of: container), depth: path.tokens.count - 1), of: container)
        } else if nodes[node].holder != nil,
            !nodes[container].isDictionary
        {
            return try empty(node)
        } else {
            removeMember(token, of: container)
        }
        if isAnnotated { formerParents[node, default: []].append(container) }
        nodes[node].parent = JSONTree.detached
        try markDirty(container)
        return node
    }

    private func move(_ from: JSONPointer, _ path: JSONPointer, _ recordsInverse: Bool) throws -> [JSONPatch.Operation]
    {
        guard from != path else {
            _ = try find(from)
            return []
        }
        guard !from.contains(path) else {
            throw path.error(at: from.tokens.count, "a value cannot be moved into itself")
        }
        try admitMove(of: find(from), from: from, to: path)
        let node = try take(from)
        nodes[node].touchedBy = current
        guard let existing = try existing(at: path) else {
            let target = try insert(node, at: path)
            guard recordsInverse, target.contains(from) else { return [.move(from: target, path: from)] }
            // The element was moved out of an element that is now behind it. The inverse move would seem to move the
            // value into itself, which the RFC forbids.
            return [.remove(path: target), .add(path: from, value: try snapshot(node))]
        }
        // The inverse is not a move: that could shift the path of the replaced value.
        let inverse: [JSONPatch.Operation] =
            recordsInverse
            ? [.replace(path: path, value: try snapshot(existing)), .add(path: from, value: try snapshot(node))] : []
        try put(node, in: existing, at: path)
        return inverse
    }
}
