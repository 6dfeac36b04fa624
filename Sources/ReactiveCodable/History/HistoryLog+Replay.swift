// Using a log: replaying it, and checking first whether it fits (LogCheck.swift).

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HistoryLog {
    /// Applies all done entries to a root that is in the state before the first entry.
    ///
    /// - The log is checked first, on a copy of the graph that is decoded from the root's JSON. The check covers all
    ///   entries, in both directions, and the types of their values. If an entry does not fit, nothing is written.
    /// - All writes are one transaction, in the graph of the root's state.
    /// - Undone entries are not applied. `History(root, log: log)` continues with all entries.
    /// - Parameters:
    ///   - root: The root of a graph with the same JSON as the recorded one. The order in sets, and in dictionaries
    ///     whose keys are neither strings nor integers, does not matter.
    ///   - encoder: The encoder of the history, or one with the same strategies.
    ///   - decoder: The counterpart of `encoder`.
    /// - Throws: ``HistoryError``, which names the entry that does not fit; any error that encoding throws.
    /// - Complexity: O(what encoding the root visits), and the time to apply all patches three times.
    public func replay<Root: Codable>(
        onto root: Root, encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) throws {
        try GraphHandle(ofStateIn: root).withUntrackedLock {
            let strategies = CodingStrategies(encoder: encoder, decoder: decoder)
            try LogCheck(done.enumerated().map { ($0 + 1, $1) }).check(on: root, strategies)
            try inTransaction {
                for (index, entry) in done.enumerated() {
                    do {
                        try apply(entry.patch, to: root, strategies)
                    } catch {
                        throw HistoryError.logDoesNotFit(index + 1, (error as? JSONPatchError)?.reason ?? "\(error)")
                    }
                }
            }
        }
    }

    /// Throws unless the log fits a root in the state at the end of the log. Under the lock, untracked.
    func check(against root: some Codable, _ strategies: CodingStrategies) throws {
        let back = done.enumerated().reversed().map { ($0 + 1, Entry(patch: $1.inverse, inverse: $1.patch)) }
        try LogCheck(back).check(on: root, strategies)
        try LogCheck(undone.enumerated().map { (done.count + $0 + 1, $1) }).check(on: root, strategies)
    }
}
