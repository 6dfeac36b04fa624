// One model in several processes, by way of a log that all of them read.
//
//     here      a transaction  →  its patch  →  pending, and sent to the log
//     the log   puts the entries of everybody into one order
//     here      each entry of the log  →  agreed  →  with what is still pending on top, into the model
//
// The rule for conflicts: the order of the log decides. An entry is applied as a whole to what those before it have made; if it does not fit
// that any more, nobody applies it. So of two writes to one value the later one stands, two writes to different values both do, and a write
// into what has been removed has no effect. Since the rule looks at nothing but the log, everybody who has read the same part of it has
// agreed to the same.
//
// A process does not wait for the log: it works on what it has, and what has not been agreed to yet is put on top again whenever the
// rest has changed. What is shared should be kept by identity, in dictionaries: a path into an array names a place, not a thing.

import Foundation
import Reactive
import ReactiveCodable

/// A change that a process makes and the log puts in order.
package struct Entry: Codable, Sendable {
    /// Who made it: a copy of the model, in one run of a process.
    package let author: String
    /// Which of its author's changes it is, from 1 on.
    package let number: Int
    /// What it changes.
    package let patch: JSONPatch
}

/// One process's copy of a model. Used by one thread at a time, as is the model.
package final class Replica<Root: Codable> {
    /// The model. Read it and write to it as ever.
    package let root: Root
    private let author = UUID().uuidString
    private let send: (Entry) -> Void
    private let onError: (any Error) -> Void
    /// What the entries of the log have made, and how many there were.
    private var agreed: JSONValue
    package private(set) var agreedCount = 0
    /// The number of each author's last entry in the log. Entries may come twice.
    private var numbers: [String: Int] = [:]
    /// What was changed here and has not come back from the log.
    package private(set) var pending: [Entry] = []
    private var number = 0
    private var isFollowing = false
    private var watching: Reaction?

    /// Creates a copy.
    ///
    /// - Parameters:
    ///   - root: The model as it is before the first entry of the log, the same for all.
    ///   - onError: Told why a change cannot be sent: what encoding it throws. It stays on this side, until an entry comes.
    ///   - send: Sends an entry to the log. It may get lost: see ``sendPending()``.
    /// - Throws: What encoding the model throws.
    package init(
        _ root: Root, onError: @escaping (any Error) -> Void, send: @escaping (Entry) -> Void
    ) throws {
        self.root = root
        self.onError = onError
        self.send = send
        agreed = try JSONValue(encoding: root)
        watching = deepObserve(root, named: "replica") { [unowned self] changes in record(changes) }
    }

    deinit { watching?.cancel() }

    private func record(_ changes: DeepChanges) {
        guard !isFollowing else { return }
        do {
            try share(changes.jsonPatch())
        } catch {
            onError(error)
        }
    }

    private func share(_ patch: JSONPatch) {
        guard !patch.isEmpty else { return }
        number += 1
        let entry = Entry(author: author, number: number, patch: patch)
        pending.append(entry)
        send(entry)
    }

    /// Takes the next entry of the log. Not inside an effect or a transaction: what comes would pass for a change made here.
    ///
    /// What reactions write in answer is a change made here.
    ///
    /// - Complexity: O(model × (1 + pending)).
    /// - Throws: What encoding the model throws, or writing into it. The entry counts as taken.
    package func receive(_ entry: Entry) throws {
        agreedCount += 1
        guard entry.number > numbers[entry.author, default: 0] else { return }
        numbers[entry.author] = entry.number
        agreed = result(of: entry.patch, on: agreed)
        if entry.author == author { pending.removeAll { $0.number <= entry.number } }
        let wanted = pending.reduce(agreed) { result(of: $1.patch, on: $0) }
        try follow(wanted)
        // As the model writes it down: there may be more in an entry than it knows of.
        let expected = try JSONValue(encoding: wanted.decoded(as: Root.self))
        try share(JSONPatch(from: expected, to: JSONValue(encoding: root)))
    }

    /// Takes the next line of the log, which is no entry.
    package func skip() { agreedCount += 1 }

    private func follow(_ wanted: JSONValue) throws {
        isFollowing = true
        defer { isFollowing = false }
        // Writes only what differs, so that only who reads that runs.
        try apply(JSONPatch(from: JSONValue(encoding: root), to: wanted), to: root)
    }

    /// What a patch makes of a document: the document itself, if the patch does not fit or the outcome would be no model.
    private func result(of patch: JSONPatch, on document: JSONValue) -> JSONValue {
        guard let changed = try? patch.applying(to: document), (try? changed.decoded(as: Root.self)) != nil else {
            return document
        }
        return changed
    }

    /// Sends again what has not come back: after the connection to the log was lost.
    package func sendPending() { pending.forEach(send) }
}
