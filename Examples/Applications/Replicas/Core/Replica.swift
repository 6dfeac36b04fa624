// One model in several processes, by way of a log that all of them read.
//
//     here      a transaction  →  its patch  →  pending, and sent to the log
//     the log   puts the entries of everybody into one order
//     here      each entry of the log  →  agreed  →  with what is still pending on top, into the model
//
// The rule for conflicts: the order of the log decides. An entry is applied as a whole to what those before it have
// made; if it does not fit that any more, nobody applies it. So of two writes to one value the later one stands, writes
// to different values both do, and a write into what has been removed has no effect. Since the rule looks at nothing
// but the log, everybody who has read the same part of it has agreed to the same.
//
// A process does not wait for the log: it works on what it has. There are two graphs. One is what the log's entries
// have made, and `apply` takes each entry there. The other is the model, which has what is pending on top:
//
//     agreed    E1 E2 E3           when E4 comes:    E1 E2 E3 E4
//     model     E1 E2 E3 P1 P2                       E1 E2 E3 P1 P2 E4           if E4 touches nothing of P1 and P2
//                                                    E1 E2 E3 P1 P2 P2⁻¹ E4 P2   if it touches something of P2
//
// What E4 changes in the model is what it changed in the agreed graph, as `deepObserve` has reported it. Only pending
// changes that E4 touches are rolled back and applied again, in the same transaction: observers see the difference, and
// objects that E4 does not touch stay. What such a change makes of its new ground is found on the agreed graph, where
// it is tried and rolled back. So an entry costs what it changes, and what is pending, whatever the size of the model.
//
// What is shared should be kept by identity, in dictionaries: a path into an array names a place, not a thing.

import Foundation
import Reactive
import ReactiveCodable

/// One process's copy of a model. Used by one thread at a time, as is the model.
package final class Replica<Root: Codable> {
    /// A change that was made here and has not come back from the log.
    private struct Pending {
        let entry: Entry
        /// What it makes of the model, with the way back; `nil` if it does not fit there.
        var effect: JSONPatch?

        /// What the entry needs and what it changes.
        var footprint: Footprint { Footprint(entry.patch, effect ?? []) }
    }

    /// The model. Read it and write to it as ever.
    package let root: Root
    /// What the entries of the log have made.
    private let agreed: Root
    private let author = UUID().uuidString
    private let send: (Entry) -> Void
    private let onError: (any Error) -> Void
    /// How many entries of the log there were.
    package private(set) var agreedCount = 0
    /// The number of each author's last entry in the log. Entries may come twice.
    private var numbers: [String: Int] = [:]
    private var unconfirmed: [Pending] = []
    private var number = 0
    /// What has been reported of the agreed graph.
    private var agreedChanges: [JSONPatch] = []
    /// What has been reported of the model since it follows an entry; `nil` while it does not.
    private var modelChanges: [JSONPatch]?
    private var watching: [Reaction] = []

    /// Creates a copy.
    ///
    /// - Parameters:
    ///   - root: The model as it is before the first entry of the log, the same for all.
    ///   - onError: Gets why a change cannot be sent: what encoding it throws. The change stays on this side.
    ///   - send: Sends an entry to the log. It may get lost: see ``sendPending()``.
    /// - Throws: What encoding the model throws, or decoding it.
    /// - Complexity: O(model).
    package init(
        _ root: Root, onError: @escaping (any Error) -> Void, send: @escaping (Entry) -> Void
    ) throws {
        self.root = root
        self.onError = onError
        self.send = send
        agreed = try JSONValue(encoding: root).decoded(as: Root.self)
        watching = [
            deepObserve(agreed, named: "agreed") { [unowned self] changes in
                reporting { agreedChanges.append(try changes.jsonPatch()) }
            },
            deepObserve(root, named: "replica") { [unowned self] changes in
                reporting {
                    let patch = try changes.jsonPatch()
                    if modelChanges == nil { share(patch) } else { modelChanges?.append(patch) }
                }
            },
        ]
    }

    deinit { watching.forEach { $0.cancel() } }

    private func reporting(_ body: () throws -> Void) {
        do { try body() } catch { onError(error) }
    }

    /// What was changed here and has not come back from the log.
    package var pending: [Entry] { unconfirmed.map(\.entry) }

    /// Sends again what has not come back: after the connection to the log was lost.
    package func sendPending() { pending.forEach(send) }

    private func share(_ patch: JSONPatch) {
        guard !patch.isEmpty else { return }
        number += 1
        let entry = Entry(author: author, number: number, patch: patch)
        unconfirmed.append(Pending(entry: entry, effect: patch))
        send(entry)
    }

    // MARK: - Following the log

    /// Takes the next entry of the log. Not inside an effect or a transaction: what comes would pass for a change made
    /// here.
    ///
    /// What reactions write in answer is a change made here.
    ///
    /// - Throws: What encoding the model throws, or writing into it. The entry counts as taken.
    /// - Complexity: O(what the entry changes + what is pending), and the way to it.
    package func receive(_ entry: Entry) throws {
        agreedCount += 1
        guard entry.number > numbers[entry.author, default: 0] else { return }
        numbers[entry.author] = entry.number
        let effect = change(entry.patch)
        guard entry.author == author else { return try follow(effect ?? []) }
        let confirmed = unconfirmed.prefix { $0.entry.number <= entry.number }.count
        if confirmed == 1, (unconfirmed[0].effect == nil) == (effect == nil) {
            // The model has it at the place where it now is in the log.
            unconfirmed.removeFirst()
        } else {
            try follow(effect ?? [], dropping: confirmed)
        }
    }

    /// Takes the next line of the log, which is no entry.
    package func skip() { agreedCount += 1 }

    /// Applies a patch to the agreed graph.
    ///
    /// - Returns: What has changed there, or `nil` if the patch does not fit.
    private func change(_ patch: JSONPatch) -> JSONPatch? {
        agreedChanges = []
        do { try apply(patch, to: agreed) } catch { return nil }
        return agreedChanges.joined
    }

    /// Applies patches to the agreed graph, one on top of the other, for as long as `body` runs.
    ///
    /// - Parameter body: Gets what each of them changes there, or `nil` if it does not fit.
    private func trying<Result>(_ patches: [JSONPatch], _ body: ([JSONPatch?]) throws -> Result) throws -> Result {
        let effects = patches.map(change)
        let result = Swift.Result { try body(effects) }
        for case let effect? in effects.reversed() where !effect.isEmpty { try apply(effect.inverse, to: agreed) }
        return try result.get()
    }

    /// Brings what an entry has changed in the agreed graph into the model.
    ///
    /// - Parameter count: How many pending changes, from the first on, are pending no longer and have to leave the
    ///   model.
    private func follow(_ effect: JSONPatch, dropping count: Int = 0) throws {
        // What touches the entry, and what touches that.
        var touched = Footprint(effect)
        var isTouched: [Bool] = []
        for (index, change) in unconfirmed.enumerated() {
            let footprint = change.footprint
            isTouched.append(index < count || touched.overlaps(footprint))
            if isTouched[index] { touched.formUnion(footprint) }
        }
        var steps: [JSONPatch] = []
        for (change, isTouched) in zip(unconfirmed, isTouched).reversed() where isTouched {
            if let effect = change.effect, !effect.isEmpty { steps.append(try effect.inverse) }
        }
        steps.append(effect)
        unconfirmed.removeFirst(count)
        if isTouched.dropFirst(count).contains(true) {
            try trying(pending.map(\.patch)) { effects in
                for index in unconfirmed.indices where isTouched[count + index] {
                    unconfirmed[index].effect = effects[index]
                    steps.append(effects[index] ?? [])
                }
            }
        }
        let patch = steps.joined
        if patch.isEmpty { return }
        let reported: [JSONPatch]
        do {
            reported = try write(patch)
        } catch {
            return try followWhole()
        }
        if reported == [patch] { return }
        // A reaction has answered; or the steps are more than the difference that they make. On top of what is agreed
        // and pending, the way back and then what was reported change what the answer changes, and nothing else.
        let back = try ([patch.inverse] + reported).joined
        share(try trying(pending.map(\.patch) + [back]) { $0[$0.count - 1] ?? [] })
    }

    /// Writes a patch into the model.
    ///
    /// - Returns: What has changed in the model, by the patch and by reactions that answered it.
    private func write(_ patch: JSONPatch) throws -> [JSONPatch] {
        modelChanges = []
        defer { modelChanges = nil }
        try apply(patch, to: root)
        return modelChanges ?? []
    }

    /// Makes the model what is agreed, with what is pending on top, whatever it is: for models whose `init(from:)`
    /// refuses what each side of a conflict has accepted.
    ///
    /// - Complexity: O(model).
    private func followWhole() throws {
        let wanted = try trying(pending.map(\.patch)) { effects in
            for (index, effect) in effects.enumerated() { unconfirmed[index].effect = effect }
            return try JSONValue(encoding: agreed)
        }
        _ = try write(JSONPatch(from: JSONValue(encoding: root), to: wanted))
        share(try JSONPatch(from: wanted, to: JSONValue(encoding: root)))
    }
}

extension [JSONPatch] {
    /// All of them as one. It knows its inverse if each of them does.
    fileprivate var joined: JSONPatch {
        let patches = filter { !$0.isEmpty }
        return patches.dropFirst().reduce(patches.first ?? []) { $0.appending($1) }
    }
}
