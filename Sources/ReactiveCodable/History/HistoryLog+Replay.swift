// Putting a log to use: replaying it, and finding out beforehand whether it fits.
//
// A log fits a root if it leads there and back: all patches in one direction apply to the JSON of the root, all in the
// other direction apply to what comes out, and the result is the JSON again. That also finds values that differ: a
// patch that replaces "a" by "b" comes back with "a", whatever there was. What no patch touches may be anything.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HistoryLog {
    /// Does all that was done to a root that is as it was before the first entry.
    ///
    /// - Everything is written in one transaction, of the graph that the root's state belongs to. If anything does not
    ///   fit, nothing is written.
    /// - What was undone is not done. `History(root, log: log)` goes on from there, with all of it.
    ///
    /// - Parameters:
    ///   - root: The root, in this process or on this machine: a graph with the JSON that the recorded one had.
    ///   - encoder: The one that the history was made with, or one with the same strategies.
    ///   - decoder: Its counterpart.
    /// - Throws: ``HistoryError``, which names the entry that does not fit; what encoding throws; `JSONPatchError` if
    ///   the root cannot take a value, because something that is not under an `@Observable` would change.
    public func replay<Root: Codable>(
        onto root: Root, encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) throws {
        try GraphHandle(ofStateIn: root).withUntrackedLock {
            let strategies = CodingStrategies(encoder: encoder, decoder: decoder)
            let document = try JSONValue(encoding: root, strategies)
            try RoundTrip(done.enumerated().map { ($0 + 1, $1.invertible) }).check(on: document)
            let patch = JSONPatch(done.flatMap(\.patch.operations))
            try apply(patch, to: root, strategies)
        }
    }

    /// Throws unless the log fits a root that is as it was when the log was taken.
    func check(against root: some Encodable, _ strategies: CodingStrategies) throws {
        let document = try JSONValue(encoding: root, strategies)
        let back = done.enumerated().reversed().map {
            ($0 + 1, JSONPatch($1.inverse.operations, undoing: $1.patch.operations))
        }
        try RoundTrip(back).check(on: document)
        try RoundTrip(undone.enumerated().map { (done.count + $0 + 1, $1.invertible) }).check(on: document)
    }
}

/// Patches that are applied in order, and then taken back.
private struct RoundTrip {
    /// The operations there and back, each with the number of its entry.
    private var steps: [(entry: Int, operation: JSONPatch.Operation)] = []

    init(_ patches: [(entry: Int, patch: JSONPatch)]) {
        for (entry, patch) in patches { steps += patch.operations.map { (entry, $0) } }
        for (entry, patch) in patches.reversed() { steps += (patch.undoing ?? []).map { (entry, $0) } }
    }

    /// Throws unless this leads from a document to itself.
    func check(on document: JSONValue) throws {
        let result: JSONValue
        do {
            result = try JSONPatch(steps.map(\.operation)).applying(to: document)
        } catch {
            let entry = error.index.map { "entry \(steps[$0].entry): " } ?? ""
            throw HistoryError.logDoesNotFit("\(entry)\(error.reason)")
        }
        guard result != document else { return }
        let place = JSONPatch(from: document, to: result).operations.first?.path ?? .root
        let entry = steps.last { $0.operation.path == place }.map { "entry \($0.entry) changes" } ?? "it changes"
        throw HistoryError.logDoesNotFit("\(entry) \"\(place)\", which is not as it was then.")
    }
}
