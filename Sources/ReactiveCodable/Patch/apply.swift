// Writing a patch into an object graph.
//
// The graph is encoded into a tree whose nodes remember what they came from (JSONTree.swift), as far as the paths of
// the patch lead. The operations change the tree. Each marks what it changed, up to the nearest observable around it,
// which is then to be written:
//
//     root ── items ◉ ── 0 ── title ◉         ◉ the slot of an observable
//                    └── 1 ── title ◉
//
//     replace /items/1/title     dirty: title of 1             written: that title, nothing else
//     add     /items/0           dirty: items                  written: items: the new element and two old ones
//     replace /items/1/id        dirty: items, 1               written: items: element 1, made anew around its title
//
// An observable to which several paths lead, of which the patch names one, is not written: see Unsharing.swift.
//
// Of a collection that is state itself, only the elements that changed are written; see CollectionWrites.swift.
//
// The new value of an observable is decoded, where "decoding" a part that is not dirty gives the very value that was
// encoded (TreeDecoder.swift). All values are decoded before the first is written, and all in one transaction: so that
// it is all or nothing.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Changes an object graph as a patch says, by writing to the observables that it already has.
///
/// ```swift
/// let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/items/1/title", "value": "Milk"}]"#)
/// try apply(patch, to: list)
/// ```
///
/// - Everything is written in one transaction, of the graph that the root's state belongs to. If anything does not fit,
///   nothing is written.
/// - Observers stay attached, and only observables whose value differs are written. Elements of an array keep their
///   identity when others are inserted, removed or moved around them; objects and observables do when something next to
///   them changes.
/// - Replacing an object or array by another one writes the difference of the two.
/// - An object of a class that is not itself under an observable keeps its identity, since only observables are
///   written. One that is in the value of an observable, and has a changed property that is no observable, is made anew
///   around the observables it had.
/// - A removed member becomes `nil` if it belongs to an observable of an optional.
/// - An `ObservableArray`, `ObservableDictionary` or `ObservableSet` stays the same object. Only the elements that the
///   patch changes are written.
/// - Positions in an `ObservableSet` are those in its encoded form, which follows the patch. An element that the set has
///   already is not added again, and stays where it is.
/// - If other paths, which the patch does not name, lead to an object or observable too, it is replaced and not
///   overwritten: the other paths keep it as it is. If the patch names all paths, with the same value, as recorded
///   changes do, it is written and stays shared. An observable that the root itself has twice is always written.
/// - Memory alone limits the depth of the graph. `limits` bounds what the patch adds to it. If decoding that would
///   overflow the stack, it throws.
///
/// - Parameters:
///   - patch: The patch. Its paths and values are those of the JSON that `encoder` makes of `root`.
///   - root: The root of the graph; it is not replaced itself.
///   - encoder: The encoder whose strategies and user info the JSON of the patch followed: dates, data, keys and so on.
///   - decoder: The counterpart of `encoder`.
///   - limits: The limits for what the patch adds. The graph as it is does not count.
/// - Throws: `JSONPatchError`, which names the operation and the path: when there is nothing at a path, a test fails, a
///   value is of the wrong type, something would change that is not under an `@Observable`, or a path leads to state
///   that cannot be used here because this thread is in a transaction of a different graph; when the patch exceeds a
///   limit, or decoding would overflow the stack.
/// - Complexity: O(the length of the paths), and the decoding of new values. Of arrays, and of dictionaries with string
///   or integer keys, only the elements on the paths are encoded. Inserting, removing or moving an element copies the
///   array without encoding it. The first patch to a root also walks through the graph, O(*n*), to find what several
///   paths lead to. The walk is repeated after writes that are not those of `apply`. It is not needed while
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
    try takeOutProperties(session, patch)
    guard let observable = tree.pending.first.flatMap(tree.observable(at:)) else { return }
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
        for write in try writes(session, patch) { write() }
    }
    sharing.remember(isValid: !unsharing.hasSplit)
}

/// Takes out the removed properties that cannot be `nil`.
private func takeOutProperties(_ session: TreeDecoding, _ patch: JSONPatch) throws {
    let tree = session.tree
    do {
        // The list can grow.
        var next = 0
        while next < tree.pending.count {
            let slot = tree.pending[next]
            session.lastVisited = slot
            if tree.nodes[slot].kind == .absent, tree.observable(at: slot)?.canBeNil == false, tree.isAttached(slot) {
                try tree.takeOutProperty(slot)
            }
            next += 1
        }
    } catch {
        throw patchError(error, session, patch)
    }
}

/// What is to be written.
private func writes(_ session: TreeDecoding, _ patch: JSONPatch) throws -> [() -> Void] {
    let tree = session.tree
    var writes: [() -> Void] = []
    do {
        for slot in tree.pending where tree.isAttached(slot) {
            session.lastVisited = slot
            if let observable = tree.observable(at: slot) {
                writes.append(try write(to: observable, from: slot, session))
            }
        }
    } catch {
        throw patchError(error, session, patch)
    }
    return writes
}

/// Decodes the new value of an observable.
private func write<O: EncodableObservable>(
    to observable: O, from slot: JSONTree.ID, _ session: TreeDecoding
) throws -> () -> Void {
    if let obstacle = observable.obstacle { throw session.tree.pointer(to: slot).error(at: 0, obstacle) }
    guard let type = O.Recorded.self as? any Decodable.Type else {
        throw session.tree.pointer(to: slot).error(at: 0, "\(O.Recorded.self) is not Decodable")
    }
    let path = session.tree.pointer(to: slot).tokens.map(AnyKey.name)
    let decoder = TreeDecoder(session: session, id: slot, codingPath: path, isInSlot: true)
    if let write = try decoder.elementWrites(to: observable) { return write }
    let decoded: Any = try decoder.decode(type)
    guard let value = decoded as? O.Recorded else {
        preconditionFailure("internal inconsistency: decoded a different type")
    }
    return { observable.value = value }
}

/// The error that names the operation which led to a value that cannot be decoded.
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
