// Writes a patch into an object graph.
//
// The graph is encoded into a tree whose nodes remember the values that they were encoded from (JSONTree.swift), along
// the paths of the patch. The operations change the tree. Each operation marks the changed nodes as dirty, up to the
// nearest observable around them, which is then to be written:
//
//     root ── items ◉ ── 0 ── title ◉         ◉ the node of an observable
//                    └── 1 ── title ◉
//
//     replace /items/1/title     dirty: title of 1             written: that title, nothing else
//     add     /items/0           dirty: items                  written: items: the new element and two old ones
//     replace /items/1/id        dirty: items, 1               written: items: element 1, new with its old title
//
// If the patch names only some of the paths to an observable, the observable is not written: see Unsharing.swift.
//
// In an observable collection, only the changed elements are written; see CollectionWrites.swift.
//
// The new value of an observable is decoded. "Decoding" a part that is not dirty returns the value that was encoded
// (TreeDecoder.swift). All values are decoded before the first is written, and all are written in one transaction. So
// the whole patch is applied or nothing.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Applies a patch to an object graph, by writing to the observables that the graph already has.
///
/// ```swift
/// let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/items/1/title", "value": "Milk"}]"#)
/// try apply(patch, to: list)
/// ```
///
/// - All writes are one transaction, in the graph of the root's state. If an operation fails, nothing is written.
/// - Observers stay attached. Only observables whose value differs are written. Elements of an array keep their
///   identity when others are inserted, removed or moved around them. Objects and observables keep theirs when
///   something beside them changes.
/// - Replacing an object or an array by a new one writes the difference of the two.
/// - An object of a class that is not inside the value of an observable keeps its identity, because only observables
///   are written. An object inside the value of an observable is created anew, with its old observables, if a property
///   of it has changed that is not an observable.
/// - A removed member becomes `nil` if it belongs to an observable of an optional, also if the value is an observable or
///   a collection itself, as in `@Observable var tags: ObservableArray<String>?`. `null` removes such a value, too.
/// - An `ObservableArray`, `ObservableDictionary` or `ObservableSet` stays the same object. Only the elements that the
///   patch changes are written.
/// - Positions in an `ObservableSet` are those in its encoded form, which follows the patch. An element that the set
///   already contains is not added again and keeps its position.
/// - If an object or observable also has paths that the patch does not name, it is replaced at the named paths and not
///   overwritten: it stays unchanged at the other paths. If the patch names all paths, with the same value, as recorded
///   changes do, the object is written and stays shared. An observable that the root itself contains twice is always
///   written.
/// - Memory alone limits the depth of the graph. `limits` bounds what the patch adds to it. If decoding the result
///   would overflow the stack, `apply` throws.
///
/// - Parameters:
///   - patch: The patch. Its paths and values refer to the JSON that `encoder` creates from `root`.
///   - root: The root of the graph. It is not replaced itself.
///   - encoder: The encoder whose strategies and user info apply to the JSON of the patch: dates, data, keys and so on.
///   - decoder: The counterpart of `encoder`.
///   - limits: The limits for what the patch adds. The existing graph does not count.
/// - Throws: `JSONPatchError`, which names the operation and the path, in these cases:
///   - there is nothing at a path, or a test fails;
///   - a value has the wrong type;
///   - something would change that is not inside an `@Observable`;
///   - a path leads to state that cannot be used because this thread is in a transaction of a different graph;
///   - the patch exceeds a limit, or decoding would overflow the stack.
/// - Complexity: O(the length of the paths), and the decoding of new values. In arrays, and in dictionaries with string
///   or integer keys, only the elements on the paths are encoded. Inserting, removing or moving an element copies the
///   array without encoding it. The first patch to a root also traverses the graph, O(*n*), to find the objects that
///   several paths lead to. The traversal is repeated after writes of others than `apply`. It is not needed while
///   `deepObserve` observes the same root.
public func apply<Root: Codable>(
    _ patch: JSONPatch, to root: Root, encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
    limits: JSONLimits = .default
) throws {
    try GraphHandle(ofStateIn: root).withUntrackedLock {
        try apply(patch, to: root, CodingStrategies(encoder: encoder, decoder: decoder), limits: limits)
    }
}

/// Applies a patch. Under the lock, untracked.
func apply(
    _ patch: JSONPatch, to root: some Codable, _ strategies: CodingStrategies, limits: JSONLimits = .unlimited
) throws {
    let tree: JSONTree
    do {
        tree = try JSONTree(encoding: root, strategies: strategies, isAnnotated: true)
    } catch {
        throw JSONPatchError(reason: "The root could not be encoded: \(error)", underlying: error)
    }
    tree.budget = JSONBudget(limits: limits)
    try tree.apply(patch)
    let session = TreeDecoding(tree: tree, strategies: strategies)
    try DecoderOfState.$current.withValue(.tree) { try settleMissingValues(session, patch) }
    guard let observable = tree.pending.lazy.compactMap(tree.observable(at:)).first else { return }
    let sharing = SharedIdentities(
        below: root, from: observable, in: GraphHandle.held ?? GraphHandle(of: observable),
        info: strategies.encoderInfo)
    let unsharing = Unsharing(tree, sharing)
    do {
        try unsharing.run()
    } catch {
        session.lastVisited = unsharing.lastVisited
        throw patchError(error, session, patch)
    }
    try inTransaction {
        for write in try DecoderOfState.$current.withValue(.tree, operation: { try writes(session, patch) }) { write() }
    }
    sharing.remember(isValid: !unsharing.hasSplit)
}

/// Chooses what is written for members that operations have removed or set to `null`.
private func settleMissingValues(_ session: TreeDecoding, _ patch: JSONPatch) throws {
    let tree = session.tree
    do {
        // The list can grow.
        var next = 0
        while next < tree.pending.count {
            let node = tree.pending[next]
            session.lastVisited = node
            try settleMissingValue(at: node, session)
            next += 1
        }
    } catch {
        throw patchError(error, session, patch)
    }
}

/// Chooses what is written for a held node that is absent or `null`, unless its observable takes that: an observable
/// around it at the same node, or the value that has it as a property or an element.
private func settleMissingValue(at node: JSONTree.ID, _ session: TreeDecoding) throws {
    let tree = session.tree
    // The outermost observable of an optional is the one without which there is no member.
    while tree.nodes[node].kind == .absent, tree.outerObservables(at: node).contains(where: \.canBeNil) {
        _ = tree.releaseToOuterHolder(node)
    }
    while tree.isAttached(node), let observable = tree.observable(at: node), !observable.canBeNil {
        if tree.nodes[node].kind == .absent { return try tree.removeProperty(node) }
        // Some types that are no optionals can be decoded from `null`.
        guard tree.isNull(node), (try? write(to: observable, from: node, session)) == nil, try tree.cut(node)
        else { return }
    }
}

/// Returns the closures that write the new values.
private func writes(_ session: TreeDecoding, _ patch: JSONPatch) throws -> [() -> Void] {
    let tree = session.tree
    var writes: [() -> Void] = []
    do {
        for node in tree.pending where tree.isAttached(node) {
            session.lastVisited = node
            if let observable = tree.observable(at: node) {
                writes.append(try write(to: observable, from: node, session))
            }
        }
    } catch {
        throw patchError(error, session, patch)
    }
    return writes
}

/// Decodes the new value of an observable, and returns a closure that writes it.
private func write<O: EncodableObservable>(
    to observable: O, from node: JSONTree.ID, _ session: TreeDecoding
) throws -> () -> Void {
    if let obstacle = observable.obstacle { throw session.tree.pointer(to: node).error(at: 0, obstacle) }
    guard let type = O.Recorded.self as? any Decodable.Type else {
        throw session.tree.pointer(to: node).error(at: 0, "\(O.Recorded.self) is not Decodable")
    }
    let path = session.tree.pointer(to: node).tokens.map(AnyKey.name)
    let decoder = TreeDecoder(session: session, id: node, codingPath: path, in: StateName(of: observable))
    if let write = try decoder.elementWrites(to: observable) { return write }
    let decoded: Any = try decoder.decode(type)
    guard let value = decoded as? O.Recorded else {
        preconditionFailure("internal inconsistency: decoded a different type")
    }
    return { observable.value = value }
}

/// Returns the error that names the operation which led to a value that cannot be decoded.
private func patchError(_ error: any Error, _ session: TreeDecoding, _ patch: JSONPatch) -> JSONPatchError {
    let tree = session.tree
    let index = tree.operation(behind: session.lastVisited)
    var path = tree.pointer(to: session.lastVisited)
    let reason: String
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
        reason = context.debugDescription
    case let error as JSONPointerError:
        reason = error.reason
        if let index { path = patch.operations[index].path }
    default:
        reason = "\(error)"
    }
    return JSONPatchError(
        index: index, operation: index.map { patch.operations[$0].description },
        path: path, reason: reason, underlying: error)
}
