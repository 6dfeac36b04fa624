// Whether a log fits a root: found out before anything is written.
//
// It fits if it leads there and back: all patches in one direction apply to the JSON of the root, all in the other
// direction apply to what comes out, and the result is the JSON again. That also finds values that differ: a patch that
// replaces "a" by "b" comes back with "a", whatever there was. What no patch touches may be anything.
//
// JSON knows no types. So the patches are applied once more, entry by entry, to a copy of the graph that is decoded from
// the JSON: there a value of a wrong type is an error. Nobody observes the copy.

import Reactive

/// Patches that are applied in order, and then taken back.
struct LogCheck {
    /// The patches there and back, each with the number of its entry.
    private let steps: [(entry: Int, patch: JSONPatch)]

    /// - Parameter entries: The entries, each with its number, in the order in which they are applied.
    init(_ entries: [(number: Int, entry: HistoryLog.Entry)]) {
        steps =
            entries.map { ($0.number, $0.entry.patch) } + entries.reversed().map { ($0.number, $0.entry.inverse) }
    }

    /// Throws unless this leads from a root to itself. Under the lock, untracked.
    func check<Root: Codable>(on root: Root, _ strategies: CodingStrategies) throws {
        if steps.isEmpty { return }
        let document = try JSONValue(encoding: root, strategies)
        try checkJSON(Root.self, document, strategies)
        try checkTypes(Root.self, document, strategies)
    }

    private func checkJSON<Root: Codable>(
        _ type: Root.Type, _ document: JSONValue, _ strategies: CodingStrategies
    ) throws {
        let operations = steps.flatMap { step in step.patch.operations.map { (entry: step.entry, operation: $0) } }
        let result: JSONValue
        do {
            result = try JSONPatch(operations.map(\.operation)).applying(to: document)
        } catch {
            throw HistoryError.logDoesNotFit(error.index.map { operations[$0].entry }, error.reason)
        }
        if document == result { return }
        // The values of a log do not say what has no order. The types do.
        let (old, new) = (
            document.inCanonicalOrder,
            try JSONValue(encoding: copy(type, of: result, strategies), strategies).inCanonicalOrder
        )
        if old == new { return }
        let path = JSONPatch(from: old, to: new).operations.first?.path ?? .root
        let entry = operations.last { $0.operation.path == path }?.entry
        throw HistoryError.logDoesNotFit(
            entry, "\(entry == nil ? "it " : "")changes \"\(path)\", which is not as it was then.", separator: " ")
    }

    private func checkTypes<Root: Codable>(
        _ type: Root.Type, _ document: JSONValue, _ strategies: CodingStrategies
    ) throws {
        let copy = try copy(type, of: document, strategies)
        let start = try JSONValue(encoding: copy, strategies).inCanonicalOrder
        for (entry, patch) in steps {
            do {
                try apply(patch, to: copy, strategies)
            } catch {
                throw HistoryError.logDoesNotFit(entry, (error as? JSONPatchError)?.reason ?? "\(error)")
            }
        }
        guard try start == JSONValue(encoding: copy, strategies).inCanonicalOrder else {
            throw HistoryError.logDoesNotFit(nil, "its values do not come back as they were once they are decoded.")
        }
    }

    /// A graph with the values of a document.
    private func copy<Root: Codable>(
        _ type: Root.Type, of document: JSONValue, _ strategies: CodingStrategies
    ) throws -> Root {
        do {
            let tree = JSONTree(document)
            let session = TreeDecoding(tree: tree, strategies: strategies)
            return try TreeDecoder(session: session, id: tree.root, codingPath: []).decode(type)
        } catch {
            throw HistoryError.logDoesNotFit(nil, "the root cannot be decoded from its own JSON: \(error)")
        }
    }
}

extension JSONValue {
    /// The document with all that has no order sorted by its text: sets, and dictionaries that are encoded as arrays.
    fileprivate var inCanonicalOrder: JSONValue {
        /// A container of which some children are done.
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
                    (keys, children, isUnordered) = (object.map(\.key), object.map(\.value), false)
                default: return nil
                }
            }

            var value: JSONValue {
                guard let keys else {
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
