// What a transaction changed, as a JSON Patch; see PatchBuilder.swift.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DeepChanges {
    /// The changes as a JSON Patch (RFC 6902), which knows its `inverse`.
    ///
    /// Applied to the JSON that `encoder` made of the root before, it gives the JSON of the root after. Applied to
    /// another copy of the graph, with ``apply(_:to:encoder:decoder:limits:)``, it makes that the same.
    ///
    /// - An array is compared element by element, without encoding: an element that was inserted, removed, moved or
    ///   replaced is one operation, and only such elements are encoded.
    /// - So is a dictionary whose keys are strings or integers, key by key.
    /// - An `ObservableSet` is compared element by element, too: its encoded form has an order while it is observed.
    /// - A plain set, or a dictionary that is encoded as an array, is replaced as a whole: its order means nothing in a
    ///   different process.
    /// - If a change has more paths than were looked for, the patch is the difference of the whole documents.
    ///
    /// - Parameter encoder: Whose strategies and user info to follow.
    /// - Returns: The patch: for each observable that changed the difference of its old and new value.
    /// - Throws: What encoding the values throws; `EncodingError` inside a transaction of a different graph, and for a
    ///   graph that contains itself, if the whole of it must be encoded.
    /// - Complexity: O(*n*) for what the changed observables contain, before and after. For an array or a dictionary
    ///   O(*k*) comparisons of *k* elements, and O(*n*) for what the elements contain that changed. If the encoder has a
    ///   strategy for keys, also O(*n*) for what lies on the paths to the changes.
    public func jsonPatch(using encoder: JSONEncoder = JSONEncoder()) throws -> JSONPatch {
        try jsonPatch(CodingStrategies(encoder: encoder, decoder: JSONDecoder()))
    }

    /// The changes as a JSON Patch that follows the given strategies.
    func jsonPatch(_ strategies: CodingStrategies) throws -> JSONPatch {
        let graph = record.observer.graph
        if let obstacle = graph.obstacle(to: "a recorded change") {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: [], debugDescription: obstacle))
        }
        return try graph.withUntrackedLock {
            let builder = PatchBuilder(
                before: record.moment(isBefore: true), after: record.moment(isBefore: false), strategies: strategies)
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
