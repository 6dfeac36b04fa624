// Checks limits while a patch is applied.
//
// Only `add`, `replace` and `copy` enlarge a document, and only these and `move` make it deeper. So each of them checks
// the budget first. The counts of the document are upper bounds: removed values are not subtracted. If a bound exceeds
// its limit, the tree is counted, which takes O(opened nodes and their children). The parts that were not opened know
// their counts.

/// The remaining growth of a document while a patch is applied.
package struct JSONBudget {
    package var limits: JSONLimits
    /// An upper bound of the number of values in the document.
    var valueCount: Int
    /// An upper bound of the number of bytes in the document.
    var byteCount: Int

    /// Creates a budget for a document with the given number of values and bytes.
    package init(limits: JSONLimits, valueCount: Int = 0, byteCount: Int = 0) {
        self.limits = limits
        self.valueCount = valueCount
        self.byteCount = byteCount
    }

    fileprivate var isExceeded: Bool { valueCount > limits.valueCount || byteCount > limits.byteCount }
}

extension JSONTree {
    /// Checks that a value may be added at a path, and counts it.
    ///
    /// - Parameter existing: The node that the value replaces.
    /// - Throws: `JSONPointerError` that names the limit.
    /// - Complexity: O(1), or O(*n*) in the number of opened nodes and their children if the document may be too large.
    package func admit(_ value: JSONValue, at path: JSONPointer, replacing existing: ID?) throws {
        guard let budget else { return }
        try checkDepth(value.depth, at: path)
        self.budget?.valueCount = budget.valueCount.addingSaturated(value.valueCount)
        self.budget?.byteCount = budget.byteCount.addingSaturated(value.byteCount)
        guard self.budget?.isExceeded == true else { return }
        let size = measure(root)
        let replaced = existing.map { measure($0) } ?? (valueCount: 0, byteCount: 0, depth: 0)
        self.budget?.valueCount = (size.valueCount - replaced.valueCount).addingSaturated(value.valueCount)
        self.budget?.byteCount = (size.byteCount - replaced.byteCount).addingSaturated(value.byteCount)
        guard let counted = self.budget, counted.isExceeded else { return }
        let reason =
            counted.valueCount > budget.limits.valueCount
            ? JSONLimits.reasonForValueCount(budget.limits.valueCount)
            : JSONLimits.reasonForByteCount(budget.limits.byteCount)
        throw path.error(at: path.tokens.count, "a value of \(value.valueCount) values would lead to \(reason)")
    }

    /// Checks that a node may be moved from one path to another.
    ///
    /// - Throws: `JSONPointerError` that names the limit.
    /// - Complexity: O(1) if the new path is not longer, otherwise O(*n*) in the number of opened nodes below the node.
    package func admitMove(of node: ID, from: JSONPointer, to path: JSONPointer) throws {
        guard budget != nil, path.tokens.count > from.tokens.count else { return }
        try checkDepth(measure(node).depth, at: path)
    }

    private func checkDepth(_ depth: Int, at path: JSONPointer) throws {
        // A scalar adds no level.
        guard depth > 0, let limit = budget?.limits.depth else { return }
        guard path.tokens.count.addingSaturated(depth) > limit else { return }
        throw path.error(
            at: path.tokens.count,
            "a value of \(depth) levels would lead to \(JSONLimits.reasonForDepth(limit))")
    }

    /// Returns the size of a node and everything below it. An unread node counts as one value.
    private func measure(_ id: ID) -> (valueCount: Int, byteCount: Int, depth: Int) {
        var size = (valueCount: 0, byteCount: 0, depth: 0)
        func add(_ json: JSONValue, at level: Int) {
            size.valueCount = size.valueCount.addingSaturated(json.valueCount)
            size.byteCount = size.byteCount.addingSaturated(json.byteCount)
            size.depth = max(size.depth, level + json.depth)
        }
        var stack = [(id: id, level: 0)]
        while let (id, level) = stack.popLast() {
            let node = nodes[id]
            switch node.kind {
            case .absent: continue
            case .json: add(node.json, at: level)
            case .array, .object, .empty, .unread:
                size.valueCount = size.valueCount.addingSaturated(1)
                size.byteCount = size.byteCount.addingSaturated(1)
                size.depth = max(size.depth, level + 1)
                for child in node.elements { stack.append((child, level + 1)) }
                node.lazyElements?.forEachSegment { segment in
                    switch segment {
                    case .node(let child): stack.append((child, level + 1))
                    case .untouched(let range): range.forEach { add(node.json(ofElement: $0), at: level + 1) }
                    }
                }
                if let lazy = node.lazyMembers {
                    for key in lazy.source.keys where !lazy.touched.contains(JSONKey(key)) {
                        size.byteCount = size.byteCount.addingSaturated(key.utf8.count)
                        add((lazy.source as? JSONObjectMembers)?.object[key] ?? .null, at: level + 1)
                    }
                }
                for (key, child) in node.members {
                    size.byteCount = size.byteCount.addingSaturated(key.utf8.count)
                    stack.append((child, level + 1))
                }
            }
        }
        return size
    }
}

extension JSONTree.Node {
    /// Returns an element without a node, as far as it is known without encoding it.
    fileprivate func json(ofElement index: Int) -> JSONValue {
        (lazyElements?.source as? JSONArrayElements)?.array[index] ?? .null
    }
}
