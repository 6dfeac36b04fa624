// Whether a log fits a root: checked before anything is written.
//
// The log fits if its patches lead to a different state and back: all patches in one direction apply to the JSON of the
// root, all in the other direction apply to the result, and the final result is the original JSON. That also detects
// values that differ: a patch that replaces "a" by "b" restores "a", whatever was there before. Values that no patch
// touches may be anything.
//
// JSON has no types. So the patches are applied again, entry by entry, to a copy of the graph that is decoded from the
// JSON. There, a value of the wrong type is an error. The copy has no observers.

import Reactive

/// Patches to apply in order, and then to revert.
struct LogCheck {
    /// The patches in both directions, each with the number of its entry.
    private let patches: [(entry: Int, patch: JSONPatch)]

    /// - Parameter entries: The entries, each with its number, in the order in which they are applied.
    init(_ entries: [(number: Int, entry: HistoryLog.Entry)]) {
        patches =
            entries.map { ($0.number, $0.entry.patch) } + entries.reversed().map { ($0.number, $0.entry.inverse) }
    }

    /// Throws unless the patches lead from a root back to itself. Under the lock, untracked.
    func check<Root: Codable>(on root: Root, _ strategies: CodingStrategies) throws {
        if patches.isEmpty { return }
        let document = try JSONValue(encoding: root, strategies)
        try checkJSON(Root.self, document, strategies)
        try checkTypes(Root.self, document, strategies)
    }

    private func checkJSON<Root: Codable>(
        _ type: Root.Type, _ document: JSONValue, _ strategies: CodingStrategies
    ) throws {
        let operations = patches.flatMap { item in item.patch.operations.map { (entry: item.entry, operation: $0) } }
        let result: JSONValue
        do {
            result = try JSONPatch(operations.map(\.operation)).applying(to: document)
        } catch {
            throw HistoryError.logDoesNotFit(error.index.map { operations[$0].entry }, error.reason)
        }
        if document == result { return }
        // The values in a log do not show which of them have no order. The types do.
        let (old, new) = (
            document.inCanonicalOrder,
            try JSONValue(encoding: copy(type, of: result, strategies), strategies).inCanonicalOrder
        )
        if old == new { return }
        let path = JSONPatch(from: old, to: new).operations.first?.path ?? .root
        let entry = operations.last { $0.operation.path == path }?.entry
        throw HistoryError.logDoesNotFit(
            entry, "\(entry == nil ? "it " : "")changes \"\(path)\", whose value has changed since.", separator: " ")
    }

    private func checkTypes<Root: Codable>(
        _ type: Root.Type, _ document: JSONValue, _ strategies: CodingStrategies
    ) throws {
        let copy = try copy(type, of: document, strategies)
        let start = try JSONValue(encoding: copy, strategies).inCanonicalOrder
        for (entry, patch) in patches {
            do {
                try apply(patch, to: copy, strategies)
            } catch {
                throw HistoryError.logDoesNotFit(entry, (error as? JSONPatchError)?.reason ?? "\(error)")
            }
        }
        guard try start == JSONValue(encoding: copy, strategies).inCanonicalOrder else {
            throw HistoryError.logDoesNotFit(nil, "decoding and encoding its values changes them.")
        }
    }

    /// Returns a graph with the values of a document.
    private func copy<Root: Codable>(
        _ type: Root.Type, of document: JSONValue, _ strategies: CodingStrategies
    ) throws -> Root {
        do {
            let tree = JSONTree(document)
            let session = TreeDecoding(tree: tree, strategies: strategies)
            return try DecoderOfState.$current.withValue(.tree) { try TreeDecoder(session: session).decode(type) }
        } catch {
            throw HistoryError.logDoesNotFit(nil, "the root cannot be decoded from its own JSON: \(error)")
        }
    }
}

extension JSONValue {
    /// The document with everything sorted by its text that has no order: sets, and dictionaries encoded as arrays.
    fileprivate var inCanonicalOrder: JSONValue {
        /// A container of which some children have been sorted.
        struct Open {
            let keys: [String]?
            let isUnordered: Bool
            let children: [JSONValue]
            var done: [JSONValue] = []

            init?(_ value: JSONValue) {
                switch value {
                case .array(let array):
                    (keys, children, isUnordered) = (nil, array.elements, array.isUnordered)
                case .object(let object):
                    // No test sees this: only a container without keys is asked for its order.
                    (keys, children, isUnordered) = (object.map(\.key), object.map(\.value), false)
                default: return nil
                }
            }

            var value: JSONValue {
                guard let keys else {
                    // No test sees this boundary: elements with equal text are equal.
                    let sorted = isUnordered ? done.sorted { $0.description < $1.description } : done
                    return .array(JSONArray(sorted))
                }
                return .object(JSONObject(zip(keys, done).map { (key: $0, value: $1) }))
            }
        }
        var stack: [Open] = []
        var value = self
        while true {
            if let open = Open(value) {
                stack.append(open)
            } else if let top = stack.indices.last {
                stack[top].done.append(value)
            }
            while let top = stack.last, top.done.count == top.children.count {
                stack.removeLast()
                guard let outer = stack.indices.last else { return top.value }
                stack[outer].done.append(top.value)
            }
            guard let top = stack.last else { return value }
            value = top.children[top.done.count]
        }
    }
}
