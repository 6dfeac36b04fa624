// Putting a log to use: replaying it, and finding out beforehand whether it fits (LogCheck.swift).

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HistoryLog {
    /// Does all that was done to a root that is as it was before the first entry.
    ///
    /// - The log is checked first, on a copy of the graph that is decoded from the root's JSON: all entries, in both
    ///   directions, and whether their values are of the right types. If anything does not fit, nothing is written.
    /// - Everything is written in one transaction, of the graph that the root's state belongs to.
    /// - What was undone is not done. `History(root, log: log)` continues from there, with all of it.
    ///
    /// - Parameters:
    ///   - root: The root, in this process or on this machine: a graph with the JSON that the recorded one had. The order
    ///     in sets, and in dictionaries with other keys than strings and integers, does not matter.
    ///   - encoder: The one that the history was created with, or one with the same strategies.
    ///   - decoder: Its counterpart.
    /// - Throws: ``HistoryError``, which names the entry that does not fit; what encoding throws.
    /// - Complexity: O(what encoding the root visits), and what applying all patches three times takes.
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

    /// Throws unless the log fits a root that is as it was when the log was taken. Under the lock, untracked.
    func check(against root: some Codable, _ strategies: CodingStrategies) throws {
        let back = done.enumerated().reversed().map { ($0 + 1, Entry(patch: $1.inverse, inverse: $1.patch)) }
        try LogCheck(back).check(on: root, strategies)
        try LogCheck(undone.enumerated().map { (done.count + $0 + 1, $1) }).check(on: root, strategies)
    }
}
