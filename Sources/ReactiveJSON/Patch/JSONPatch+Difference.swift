// The patch from one document to another.
//
// Both documents are traversed together, depth first, with a stack of frames instead of recursion. Equal containers are
// skipped: a difference of their hashes is found in O(1) (JSONContainers.swift), so only the paths to differing values
// are traversed. Members of objects correspond by key, elements of arrays as `ArrayAlignment` finds.
//
// A frame emits its operations in this order, so that each path is right when its operation is applied:
//
//     changes inside corresponding children          at their paths in the old container
//     removals, from the last to the first           at their indices or keys in the old container
//     moves                                          each to its final index among the arranged elements
//     insertions, from the first to the last         at their indices or keys in the new container
//
// It also emits the inverse of each operation. When a frame is finished and its operations cost more than replacing the
// whole container, they are replaced by that. The cost of a patch is the number of its operations plus the number of
// values in them.

extension JSONPatch {
    /// Creates the patch from one document to another. It has an ``inverse``.
    ///
    /// - Inserting, removing or moving one element of an array is one operation. So is changing one value anywhere.
    /// - The number of operations and values of the patch is never larger than that of a patch which replaces the
    ///   document or a container in it.
    ///
    /// - Parameters:
    ///   - old: The document before the patch.
    ///   - new: The document after the patch.
    ///   - path: The path of both in a larger document. The paths of the patch start with it.
    /// - Complexity: O(*n*) for what differs, and O(*k* · *d*) for arrays of *k* elements with *d* insertions and
    ///   removals; *d* is bounded.
    public init(from old: JSONValue, to new: JSONValue, at path: JSONPointer = .root) {
        self = JSONPatch.difference(from: old, to: new, at: path, isBounded: true)
    }

    /// Returns the difference of two documents.
    ///
    /// - Parameter isBounded: Whether to replace a container if that costs less. Otherwise everything stays that can
    ///   stay.
    static func difference(from old: JSONValue, to new: JSONValue, at path: JSONPointer, isBounded: Bool) -> JSONPatch {
        var difference = Difference(isBounded: isBounded, path: path.tokens)
        difference.run(old, new)
        return JSONPatch(difference.operations, undoing: difference.undoing.reversed())
    }

    /// Returns the patch for the elements of an array: according to their alignment, and inside changed elements.
    ///
    /// - Parameters:
    ///   - old: Returns the JSON of an old element that was removed or changed.
    ///   - new: Returns the JSON of a new element that was inserted or has changed.
    /// - Returns: The patch and its cost, the number of operations and of values in them.
    package static func editing(
        _ alignment: ArrayAlignment, at path: JSONPointer, old: (Int) -> JSONValue, new: (Int) -> JSONValue
    ) -> (patch: JSONPatch, cost: Int) {
        var difference = Difference(isBounded: true, path: path.tokens)
        for pair in alignment.pairs {
            difference.path.append(String(pair.old))
            difference.run(old(pair.old), new(pair.new))
            difference.path.removeLast()
        }
        difference.finish(alignment, old, new)
        return (JSONPatch(difference.operations, undoing: difference.undoing.reversed()), difference.cost)
    }

    /// Returns the patch for those members of an object that are in at least one of two parts of it. The object itself
    /// stays.
    ///
    /// - Parameters:
    ///   - old: The members that are removed or changed.
    ///   - new: The members that are added or have changed.
    /// - Returns: The patch and its cost, the number of operations and of values in them.
    package static func editing(
        _ old: JSONObject, to new: JSONObject, at path: JSONPointer
    ) -> (patch: JSONPatch, cost: Int) {
        var difference = Difference(isBounded: true, path: path.tokens)
        for key in old.sortedKeys {
            guard let old = old[key], let new = new[key] else { continue }
            difference.path.append(key)
            difference.run(old, new)
            difference.path.removeLast()
        }
        difference.finish(old, new)
        return (JSONPatch(difference.operations, undoing: difference.undoing.reversed()), difference.cost)
    }
}

private struct Difference {
    /// Two corresponding values, with the key or index of the old one.
    typealias Pair = (token: String, old: JSONValue, new: JSONValue)

    /// Two differing containers of one kind.
    struct Frame {
        let old: JSONValue
        let new: JSONValue
        /// The corresponding children that differ.
        let pairs: [Pair]
        /// The alignment of the elements of an array.
        let alignment: ArrayAlignment?
        /// The number of operations before this frame.
        let start: Int
        let costBefore: Int
        var next = 0
    }

    let isBounded: Bool
    /// The present path of the traversal.
    var path: [String]
    var operations: [JSONPatch.Operation] = []
    /// The inverse of each operation.
    var undoing: [JSONPatch.Operation] = []
    var cost = 0

    init(isBounded: Bool, path: [String]) {
        self.isBounded = isBounded
        self.path = path
    }

    mutating func run(_ old: JSONValue, _ new: JSONValue) {
        var stack: [Frame] = []
        visit(old, new, &stack)
        while let top = stack.indices.last {
            if stack[top].next > 0 { path.removeLast() }
            if stack[top].next < stack[top].pairs.count {
                let pair = stack[top].pairs[stack[top].next]
                stack[top].next += 1
                path.append(pair.token)
                visit(pair.old, pair.new, &stack)
            } else {
                finish(stack.removeLast())
            }
        }
    }

    /// Emits the difference of two values, or pushes a frame that will emit it.
    private mutating func visit(_ old: JSONValue, _ new: JSONValue, _ stack: inout [Frame]) {
        guard old != new else { return }
        switch (old, new) {
        case (.array(let oldArray), .array(let newArray)) where oldArray.isUnordered || newArray.isUnordered:
            emit(.replace(path: here, value: new), undo: .replace(path: here, value: old), cost: 1 + new.valueCount)
        case (.object(let oldObject), .object(let newObject)):
            let pairs = oldObject.sortedKeys.compactMap { key -> Pair? in
                guard let old = oldObject[key], let new = newObject[key], old != new else { return nil }
                return (key, old, new)
            }
            stack.append(
                Frame(old: old, new: new, pairs: pairs, alignment: nil, start: operations.count, costBefore: cost))
        case (.array(let oldArray), .array(let newArray)):
            let alignment = ArrayAlignment(from: oldArray.elements, to: newArray.elements)
            let pairs = alignment.pairs.map { (String($0.old), oldArray[$0.old], newArray[$0.new]) }
            stack.append(
                Frame(
                    old: old, new: new, pairs: pairs, alignment: alignment, start: operations.count, costBefore: cost))
        default:
            emit(.replace(path: here, value: new), undo: .replace(path: here, value: old), cost: 1 + new.valueCount)
        }
    }

    /// Emits the operations for children without a counterpart.
    private mutating func finish(_ frame: Frame) {
        switch (frame.old, frame.new) {
        case (.object(let old), .object(let new)): finish(old, new)
        case (.array(let old), .array(let new)):
            if let alignment = frame.alignment { finish(alignment, { old[$0] }, { new[$0] }) }
        default: break
        }
        let replacing = 1 + frame.new.valueCount
        guard isBounded, cost - frame.costBefore > replacing else { return }
        operations.removeSubrange(frame.start...)
        undoing.removeSubrange(frame.start...)
        cost = frame.costBefore
        emit(
            .replace(path: here, value: frame.new), undo: .replace(path: here, value: frame.old), cost: replacing)
    }

    mutating func finish(_ old: JSONObject, _ new: JSONObject) {
        for key in old.sortedKeys where new[key] == nil {
            guard let value = old[key] else { continue }
            emit(.remove(path: child(key)), undo: .add(path: child(key), value: value), cost: 1)
        }
        for key in new.sortedKeys where old[key] == nil {
            guard let value = new[key] else { continue }
            emit(.add(path: child(key), value: value), undo: .remove(path: child(key)), cost: 1 + value.valueCount)
        }
    }

    mutating func finish(_ alignment: ArrayAlignment, _ old: (Int) -> JSONValue, _ new: (Int) -> JSONValue) {
        for index in alignment.removals.reversed() {
            emit(.remove(path: child(index)), undo: .add(path: child(index), value: old(index)), cost: 1)
        }
        for (from, to) in alignment.moves() {
            emit(
                .move(from: child(from), path: child(to)), undo: .move(from: child(to), path: child(from)), cost: 1)
        }
        for index in alignment.insertions {
            let value = new(index)
            emit(.add(path: child(index), value: value), undo: .remove(path: child(index)), cost: 1 + value.valueCount)
        }
    }

    private mutating func emit(_ operation: JSONPatch.Operation, undo: JSONPatch.Operation, cost: Int) {
        operations.append(operation)
        undoing.append(undo)
        self.cost += cost
    }

    private var here: JSONPointer { JSONPointer(tokens: path) }
    private func child(_ key: String) -> JSONPointer { here.appending(key) }
    private func child(_ index: Int) -> JSONPointer { here.appending(index) }
}
