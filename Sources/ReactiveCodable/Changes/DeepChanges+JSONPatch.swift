// The changes of a transaction as a JSON Patch; see PatchBuilder.swift.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DeepChanges {
    /// Returns the changes as a JSON Patch (RFC 6902) with an `inverse`.
    ///
    /// Applied to the JSON that `encoder` created from the root before, the patch produces the JSON of the root after.
    /// Applied to another copy of the graph, with ``apply(_:to:encoder:decoder:limits:)``, it makes the copy equal.
    ///
    /// - Arrays are compared element by element, without encoding. An inserted, removed, moved or replaced element is
    ///   one operation, and only such elements are encoded.
    /// - Dictionaries whose keys are strings or integers are compared key by key, in the same manner.
    /// - An `ObservableSet` is compared element by element, too: its encoded form has an order while it is observed.
    /// - A plain set, or a dictionary that is encoded as an array, is replaced as a whole: its order has no meaning in
    ///   a different process.
    /// - If a change has more paths than the limit, the patch is the difference of the whole documents.
    ///
    /// - Parameter encoder: The encoder whose strategies and user info the patch follows.
    /// - Returns: The patch: the difference of the old and the new value of each changed observable. It is empty if all
    ///   values are as before, although they count as changed.
    /// - Throws: Any error that encoding the values throws. `EncodingError` inside a transaction of a different graph,
    ///   and for a graph with cycles if the whole graph must be encoded.
    /// - Complexity: O(*n*) in the contents of the changed observables, before and after. For an array or a dictionary
    ///   O(*k*) comparisons of *k* elements, and O(*n*) in the contents of the changed elements. If the encoder has a
    ///   key strategy, also O(*n*) in the values on the paths to the changes.
    public func jsonPatch(using encoder: JSONEncoder = JSONEncoder()) throws -> JSONPatch {
        try jsonPatch(CodingStrategies(encoder: encoder, decoder: JSONDecoder()))
    }

    /// Returns the changes as a JSON Patch that follows the given strategies.
    ///
    /// - Parameter namesMembers: Whether the changed members of a dictionary are named, even if replacing the dictionary
    ///   would be smaller.
    func jsonPatch(_ strategies: CodingStrategies, namesMembers: Bool = false) throws -> JSONPatch {
        let graph = record.observer.graph
        if let obstacle = graph.obstacle(to: "a recorded change") {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: [], debugDescription: obstacle))
        }
        return try graph.withUntrackedLock {
            let builder = PatchBuilder(
                before: record.moment(isBefore: true), after: record.moment(isBefore: false), strategies: strategies,
                namesMembers: namesMembers)
            return try record.omitsPaths ? builder.patchOfEverything() : builder.patch(of: record.patchChanges())
        }
    }
}

extension ChangeRecord {
    /// The graph before or after this update.
    fileprivate func moment(isBefore: Bool) -> PatchBuilder.Moment {
        let view = RecordedPast(self, isBefore: isBefore)
        return PatchBuilder.Moment(view: view, root: root.flatMap { view.saved(ofCell: $0) })
    }

    /// The changes with both values.
    fileprivate func patchChanges() -> [PatchBuilder.Change] {
        let after = RecordedPast(self, isBefore: false)
        return resolve().map { index, path in
            let (cell, old) = (entries[index].cell, entries[index].old)
            return PatchBuilder.Change(
                path: path, old: old, new: after.saved(ofCell: cell), difference: difference(of: cell))
        }
    }
}
