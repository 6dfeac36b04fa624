// Operations on held nodes, and queries after all operations are applied.
//
// In an annotated tree, the rules are those of an object graph. A value that is written to a held node goes into its
// object. A moved value takes everything below it along, including held nodes. The held node itself belongs to the
// property that it was encoded from, and stays. Only in arrays and dictionaries, where elements are inserted and
// removed, a held node moves with its element. Replacing a container means to make it equal to the new one: the
// difference of the two is applied, so that held nodes within it survive.

extension JSONTree {
    /// Gives a held node or the root the contents of a different node.
    func fill(_ node: ID, with fresh: ID) throws {
        setParent(of: node, to: JSONTree.detached)
        copyContent(of: fresh, to: node)
        try markDirty(node)
    }

    /// Removes the contents of a held node, which stays.
    ///
    /// - Returns: The contents, as a node without a parent.
    func empty(_ node: ID) throws -> ID {
        try open(node)
        let content = makeNode()
        copyContent(of: node, to: content)
        nodes[content].isDirty = nodes[node].isDirty
        nodes[node].kind = .absent
        nodes[node].json = .null
        nodes[node].elements = []
        nodes[node].lazyElements = nil
        nodes[node].members = [:]
        nodes[node].lazyMembers = nil
        nodes[node].originals = []
        if isAnnotated { formerParents[content, default: []].append(node) }
        try markDirty(node)
        return content
    }

    private func copyContent(of source: ID, to target: ID) {
        nodes[target].kind = nodes[source].kind
        nodes[target].json = nodes[source].json
        nodes[target].elements = nodes[source].elements
        nodes[target].lazyElements = nodes[source].lazyElements
        nodes[target].members = nodes[source].members
        nodes[target].lazyMembers = nodes[source].lazyMembers
        nodes[target].originals = nodes[source].originals
        nodes[target].isDictionary = nodes[source].isDictionary
        nodes[target].isUnordered = nodes[source].isUnordered
        if let former = formerParents[source] {
            // A node in the document has not moved: its own parent is the first.
            let own = nodes[target].parent
            formerParents[target, default: own == JSONTree.detached ? [] : [own]] += former
        }
        setParent(of: target, to: target)
    }

    private func setParent(of id: ID, to parent: ID) {
        for child in nodes[id].elements { nodes[child].parent = parent }
        nodes[id].lazyElements?.forEachNode { nodes[$0].parent = parent }
        for child in nodes[id].members.values { nodes[child].parent = parent }
    }

    // MARK: - Marking changes

    /// Marks a node as changed, and all nodes around it up to the nearest held node.
    func markDirty(_ id: ID) throws {
        guard isAnnotated else { return }
        nodes[id].touchedBy = current
        var node = id
        while true {
            let wasDirty = nodes[node].isDirty
            nodes[node].isDirty = true
            if nodes[node].holder != nil {
                if !wasDirty { pending.append(node) }
                return
            }
            guard nodes[node].parent != JSONTree.detached else {
                let path = pointer(to: id)
                var error = path.error(
                    at: path.tokens.count,
                    "the value is not in an @Observable, so a patch cannot change it")
                error.isOutsideObservables = true
                throw error
            }
            node = nodes[node].parent
        }
    }

    // MARK: - After all operations

    /// Whether the value of a node is `null`.
    package func isNull(_ node: ID) -> Bool {
        if case .json = nodes[node].kind, case .null = nodes[node].json { true } else { false }
    }

    /// Removes a property that cannot be `nil`, and was removed by an operation: decoding its owner without the
    /// property decides what that means.
    package func removeProperty(_ node: ID) throws {
        let owner = nodes[node].parent
        guard let key = nodes[owner].members.first(where: { $0.value == node })?.key else { return }
        current = nodes[node].touchedBy
        removeMember(key, of: owner)
        nodes[node].parent = JSONTree.detached
        try markDirty(owner)
    }

    /// Lets the next object around the holder of a changed node hold it, if the values of both are encoded at this
    /// node. That object is then written instead.
    ///
    /// - Returns: Whether there is one. If not, nothing has changed.
    package func releaseToOuterHolder(_ node: ID) -> Bool {
        guard let outer = outerHolders[node]?.popLast() else { return false }
        formerAbove[node] = formerAbove[node] ?? nodes[node].above
        nodes[node].above.removeSubrange(outer.aboveCount...)
        nodes[node].holder = outer.holder
        return true
    }

    /// Turns a held node into an ordinary part of the next object around it, which is then written instead. The node's
    /// own object keeps its value.
    ///
    /// - Returns: Whether there is an object around it. If not, nothing has changed.
    package func cut(_ node: ID) throws -> Bool {
        if releaseToOuterHolder(node) { return true }
        var around = nodes[node].parent
        while around != JSONTree.detached, nodes[around].holder == nil { around = nodes[around].parent }
        guard around != JSONTree.detached else { return false }
        current = operation(behind: node)
        let parent = nodes[node].parent
        try markDirty(parent)
        try detachObject(of: node)
        return true
    }

    /// Turns a held node into an ordinary node, so that decoding the value around it creates a new object with the same
    /// value. Precondition: a node around it, up to the next held node, is dirty.
    package func detachObject(of node: ID) throws {
        try open(node)
        formerAbove[node] = nodes[node].above
        nodes[node].above = []
        nodes[node].holder = nil
        // The nodes around it, in the same object, are no longer as they were encoded.
        var around = nodes[node].parent
        while around != JSONTree.detached, !nodes[around].isDirty {
            nodes[around].isDirty = true
            around = nodes[around].parent
        }
    }

    /// Returns the number of the operation that last changed a node or a node around it.
    package func operation(behind id: ID) -> Int? {
        var id = id
        while id != JSONTree.detached {
            if let index = nodes[id].touchedBy { return index }
            id = nodes[id].parent
        }
        return nil
    }
}
