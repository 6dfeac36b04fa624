// Operations on slot nodes, and queries after all operations are applied.
//
// In an annotated tree, the rules are those of an object graph. A value that is written to a slot node goes into its
// object. A moved value takes everything below it along, including slot nodes. The slot node itself belongs to the
// property that it was encoded from, and stays. Only in arrays and dictionaries, where elements are inserted and
// removed, a slot node moves with its element. Replacing a container means to make it equal to the new one: the
// difference of the two is applied, so that slot nodes within it survive.

extension JSONTree {
    /// Gives a slot node or the root the contents of a different node.
    func fill(_ slot: ID, with fresh: ID) throws {
        setParent(of: slot, to: JSONTree.detached)
        copyContent(of: fresh, to: slot)
        try markDirty(slot)
    }

    /// Removes the contents of a slot node, which stays.
    ///
    /// - Returns: The contents, as a node without a parent.
    func empty(_ slot: ID) throws -> ID {
        try open(slot)
        let content = makeNode()
        copyContent(of: slot, to: content)
        nodes[content].isDirty = nodes[slot].isDirty
        nodes[slot].kind = .absent
        nodes[slot].json = .null
        nodes[slot].elements = []
        nodes[slot].lazyElements = nil
        nodes[slot].members = [:]
        nodes[slot].lazyMembers = nil
        nodes[slot].originals = []
        if isAnnotated { formerParents[content, default: []].append(slot) }
        try markDirty(slot)
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
        if let former = formerParents[source] { formerParents[target, default: []] += former }
        setParent(of: target, to: target)
    }

    private func setParent(of id: ID, to parent: ID) {
        for child in nodes[id].elements { nodes[child].parent = parent }
        nodes[id].lazyElements?.forEachNode { nodes[$0].parent = parent }
        for child in nodes[id].members.values { nodes[child].parent = parent }
    }

    // MARK: - Marking changes

    /// Marks a node as changed, and all nodes around it up to the nearest slot node.
    func markDirty(_ id: ID) throws {
        guard isAnnotated else { return }
        nodes[id].touchedBy = current
        var node = id
        while true {
            let wasDirty = nodes[node].isDirty
            nodes[node].isDirty = true
            if nodes[node].slot != nil {
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

    /// Removes a property that cannot be `nil`, and was removed by an operation: decoding its owner without the
    /// property decides what that means.
    package func takeOutProperty(_ slot: ID) throws {
        let owner = nodes[slot].parent
        guard let key = nodes[owner].members.first(where: { $0.value == slot })?.key else { return }
        current = nodes[slot].touchedBy
        removeMember(key, of: owner)
        nodes[slot].parent = JSONTree.detached
        try markDirty(owner)
    }

    /// Turns a slot node into an ordinary part of the slot node around it, which is then written instead. The object
    /// keeps its value.
    ///
    /// - Returns: Whether there is a slot node around it. If not, nothing has changed.
    package func cut(_ slot: ID) throws -> Bool {
        var around = nodes[slot].parent
        while around != JSONTree.detached, nodes[around].slot == nil { around = nodes[around].parent }
        guard around != JSONTree.detached else { return false }
        current = operation(behind: slot)
        let parent = nodes[slot].parent
        try markDirty(parent)
        try detachObject(of: slot)
        return true
    }

    /// Turns a slot node into an ordinary node, so that decoding the value around it creates a new object with the same
    /// value. Precondition: a node around it, up to the next slot node, is dirty.
    package func detachObject(of slot: ID) throws {
        try open(slot)
        formerAbove[slot] = nodes[slot].above
        nodes[slot].above = []
        nodes[slot].slot = nil
        // The nodes around it, in the same object, are no longer as they were encoded.
        var around = nodes[slot].parent
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
