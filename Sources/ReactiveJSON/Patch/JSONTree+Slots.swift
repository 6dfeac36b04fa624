// What operations do to slots, and what is known of them afterwards.
//
// In an annotated tree the rules are those of an object graph. A value that is put into a slot goes into its object; a
// value that is moved takes what is below it along, slots included. A slot itself belongs to the property that it was
// encoded from and stays; only in arrays and dictionaries, whose elements come and go, it moves with its element.
// Replacing a container by another one means: make it the other one. So it is done as the difference of the two, and
// slots within live on.

extension JSONTree {
    /// Gives a slot, or the root, the content of another node.
    func fill(_ slot: ID, with fresh: ID) throws {
        setParent(of: slot, to: JSONTree.detached)
        copyContent(of: fresh, to: slot)
        try markDirty(slot)
    }

    /// Takes the content out of a slot that stays.
    ///
    /// - Returns: the content, as a node that belongs nowhere.
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

    // MARK: - Dirt

    /// Notes that a node has changed, up to the slot that it is part of.
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
                    "something would change that is not under an @Observable, so that it could not be written")
                error.isOutsideObservables = true
                throw error
            }
            node = nodes[node].parent
        }
    }

    // MARK: - When all operations are applied

    /// Takes out a removed property that cannot be `nil`: only its owner can say what that means, by being decoded
    /// without it.
    package func takeOutProperty(_ slot: ID) throws {
        let owner = nodes[slot].parent
        guard let key = nodes[owner].members.first(where: { $0.value == slot })?.key else { return }
        current = nodes[slot].touchedBy
        removeMember(key, of: owner)
        nodes[slot].parent = JSONTree.detached
        try markDirty(owner)
    }

    /// Makes a slot an ordinary node of the slot around it, which is to be written instead. Its object keeps its value.
    ///
    /// - Returns: Whether there is a slot around it; if not, nothing has changed.
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

    /// Makes a slot an ordinary node, so that decoding what it lies in creates a new object with the same value.
    /// Precondition: something around it, up to the next slot, is dirty.
    package func detachObject(of slot: ID) throws {
        try open(slot)
        formerAbove[slot] = nodes[slot].above
        nodes[slot].above = []
        nodes[slot].slot = nil
        // What lies around it, in the same object, is not as it was encoded any more.
        var around = nodes[slot].parent
        while around != JSONTree.detached, !nodes[around].isDirty {
            nodes[around].isDirty = true
            around = nodes[around].parent
        }
    }

    /// The number of the operation that last touched a node, or what it lies in.
    package func operation(behind id: ID) -> Int? {
        var id = id
        while id != JSONTree.detached {
            if let index = nodes[id].touchedBy { return index }
            id = nodes[id].parent
        }
        return nil
    }
}
