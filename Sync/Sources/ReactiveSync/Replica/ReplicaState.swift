// The model of a replica and its documents. No task, no log, no clock: what comes from outside comes by a call.
//
//     agreed    what the log's entries up to `position` have made
//     current   agreed, with what is pending on top: what the model should show
//     shown     what the model shows: its own JSON
//
//     here      a transaction ─ patch of shown ─▶ edits ─▶ current, pending
//     the log   entries ─▶ agreed; agreed + pending ─▶ current; the difference shown → current ─▶ the model
//
// The documents share what they have in common, so all three cost little more than one, and a difference is looked for
// at the touched paths only. Shown differs from current where the model does not encode what it decoded: a member that
// this version of the type does not know, the order of a set. Such a difference is nobody's change, so it is not sent.
//
// Everything is guarded by the lock of the model's graph. Changes of the model arrive under it (PatchRecorder), and
// `receive` writes under it, so no change can come between the documents and the model.

import DequeModule
import Foundation
import Reactive
import ReactiveCodable

/// The state of a replica.
///
/// `catchUp`, `begin` and `receive` encode and write the model, so they are called where the model may be used. The other
/// functions may be called from any thread.
final class ReplicaState: @unchecked Sendable {
    // Sendable because the lock of the model's graph guards everything that changes.

    /// A transaction that was made here and has not come back from the log.
    private struct Pending {
        var entry: LogEntry
        let edits: [Edit]
    }

    private let settings: ReplicaSettings
    private let texts: TextPaths
    /// The model. Implicitly unwrapped because its recorder's closure needs `self`; set by the initialiser.
    private var model: (any SharedModel)!
    private let onPending: () -> Void

    private(set) var identity: UUID
    /// The number of the last entry that was made here.
    private var lastNumber = 0
    /// The number of the last entry that came back from the log.
    private var confirmedNumber = 0
    /// The number of the last entry that the log has acknowledged.
    private var acknowledgedNumber = 0
    /// What has not come back, oldest first. The numbers follow `confirmedNumber` without gaps.
    private var pending: Deque<Pending> = []
    /// The number of the last entry that the journal has.
    private var savedNumber = 0
    /// How often a pending entry was applied again, on top of entries of others.
    private(set) var reappliedCount = 0
    /// The number of entries that were ever made here or taken over from a journal.
    private var madeCount = 0
    /// The entries of the log that the journal does not have yet; `nil` without a journal.
    private var unsaved: [LogEntry]?
    /// Whether the document was replaced by a snapshot that the journal does not have yet.
    private var isReplaced = false
    private var isSnapshotDue = false

    /// The position of the last entry in `agreed`.
    private(set) var position = 0
    /// The highest version of the schema among the entries in `agreed`.
    private var agreedVersion: Int
    private var agreed: Document
    private var current: Document
    private var shown: Document
    /// Whether shown and current are equal, except where a difference is overdue.
    private var isShownCurrent = true
    /// Transactions that are too large for an entry: the model is set back by the next update.
    private var oversized: [ReplicaConflict] = []
    /// Where shown may differ from current because a difference could not be written into the model.
    private var overdue = Footprint()
    /// Whether a change could not be encoded, so that `shown` is not what the model shows.
    private var isOutOfSync = false
    /// Whether the replica follows a log. Changes before that belong to the model that the log's document replaces.
    private var hasBegun = false

    /// How the replica stands to its log.
    let status: Observable<ReplicaStatus>
    private var connection = Connection()

    /// Creates a state that does not follow a log yet.
    ///
    /// - Parameters:
    ///   - root: The model.
    ///   - settings: The settings.
    ///   - name: What diagnostics call the observation of the model.
    ///   - isolation: The actor that the model belongs to.
    ///   - fileID: The file that created the replica.
    ///   - line: The line that created the replica.
    ///   - onPending: Runs when there is something to send, with the graph locked.
    /// - Throws: What encoding the model throws; an error that names a pattern of `settings.texts` that is malformed.
    init<Root: Codable>(
        _ root: Root, settings: ReplicaSettings, named name: String?, isolation: isolated (any Actor)?,
        fileID: StaticString, line: UInt, onPending: @escaping () -> Void
    ) throws {
        self.settings = settings
        self.onPending = onPending
        identity = UUID()
        agreedVersion = settings.versions.upperBound
        texts = try TextPaths(settings.texts)
        (agreed, current, shown) = (Document(.null), Document(.null), Document(.null))
        // The closure does nothing before there is a model.
        weak var state: ReplicaState?
        let recorder = PatchRecorder(
            root, limits: settings.limits.document, named: name, fileID: fileID, line: line
        ) { change in state?.changed(change) }
        status = recorder.run { Observable(.behind(0), named: name.map { "\($0), status" }) }
        state = self
        model = recorder
        _ = try recorder.exchange {
            shown = Document(try recorder.encoded())
            isOutOfSync = false
            return nil
        }
        (agreed, current) = (shown, shown)
    }

    /// Runs `body` with the graph locked.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try model.withLock(body) }

    /// Reports what was changed in the model so far.
    func catchUp() throws { _ = try model.exchange { nil } }

    /// Stops following the model.
    func end() { model.end() }

    // MARK: - Status

    /// What keeps the replica from following or sending.
    enum Obstacle: Equatable {
        case offline
        case refused(ReplicaRefusal)
    }

    /// How the replica's two activities go.
    struct Connection {
        var reading: Obstacle?
        var sending: Obstacle?
        /// Since when the log cannot be reached.
        var offlineSince: Date?
        /// The position of the log's last entry, as far as it is known.
        var end = 0
        /// Whether the log has ever answered.
        var hasAnswered = false

        /// Why the replica does not follow or send, if trying again does not help.
        var refusal: ReplicaRefusal? {
            for case .refused(let refusal)? in [reading, sending] { return refusal }
            return nil
        }
    }

    /// Changes what is known of the connection, and with it the status.
    func connect(_ change: (inout Connection) -> Void) {
        withLock {
            change(&connection)
            if connection.reading != .offline, connection.sending != .offline {
                connection.offlineSince = nil
            } else if connection.offlineSince == nil {
                connection.offlineSince = Date()
            }
            updateStatus()
        }
    }

    /// Why the replica does not follow or send.
    var refusal: ReplicaRefusal? { withLock { connection.refusal } }

    private func updateStatus() {
        let missing = pending.count + max(0, connection.end - position)
        status.value =
            if let refusal = connection.refusal {
                .refused(refusal)
            } else if let since = connection.offlineSince {
                .offline(since: since, pending: pending.count)
            } else if missing > 0 || !connection.hasAnswered {
                .behind(missing)
            } else {
                .live
            }
    }

    // MARK: - Changes that are made here

    /// Makes an entry of a change of the model. With the graph locked.
    private func changed(_ change: Result<JSONPatch, any Error>) {
        do {
            if isOutOfSync { return try compareModel() }
            let edits = try shown.edits(applying: change.get(), texts: texts)
            add(edits)
        } catch {
            isOutOfSync = true
            // What cannot be encoded now is looked at with the next change, or the next entry.
            try? compareModel()
        }
    }

    /// Makes an entry of what the model shows and `shown` does not: after a change that could not be encoded.
    ///
    /// - Complexity: O(model).
    private func compareModel() throws {
        let model = Document(try model.encoded())
        let edits = try shown.edits(applying: shown.patch(to: model, at: .everything), texts: texts)
        isOutOfSync = false
        add(edits)
    }

    private func add(_ edits: [Edit]) {
        guard hasBegun, !edits.isEmpty else { return }
        let content = EntryContent(edits: edits).text
        var footprint = Footprint()
        guard content.utf8.count <= settings.limits.entryByteCount else {
            var rejected = current
            _ = rejected.apply(edits, limits: settings.limits.document, touching: &footprint)
            overdue.formUnion(footprint)
            oversized.append(ReplicaConflict(oversized: edits, content, settings.limits))
            return onPending()
        }
        lastNumber += 1
        let entry = LogEntry(
            replica: identity, number: lastNumber, version: settings.versions.upperBound, content: content)
        pending.append(Pending(entry: entry, edits: edits))
        if isShownCurrent, overdue.isEmpty {
            current = shown
        } else {
            _ = current.apply(edits, limits: settings.limits.document, touching: &footprint)
        }
        madeCount += 1
        updateStatus()
        onPending()
    }

    // MARK: - Sending

    /// The number of entries that have not come back from the log.
    var pendingCount: Int { withLock { pending.count } }

    /// How many entries were made here, and how many of them came back from the log.
    var counts: (made: Int, confirmed: Int) { withLock { (madeCount, confirmedCount) } }

    private var confirmedCount: Int { madeCount - pending.count }

    /// The pending entries with higher numbers.
    ///
    /// - Complexity: O(1).
    private func pending(after number: Int) -> Slice<Deque<Pending>> {
        pending.dropFirst(max(0, number - confirmedNumber))
    }

    // MARK: - What is kept elsewhere

    /// The document as the model shows it, as JSON text.
    ///
    /// - Complexity: O(document).
    var content: String { withLock { shown }.json.description }

    /// The document that the log's entries have made, the position of the last one, and the version of its schema.
    var agreement: (document: Document, position: Int, version: Int) { withLock { (agreed, position, agreedVersion) } }

    /// Starts to collect what a journal keeps.
    func collectForJournal() { withLock { unsaved = [] } }

    /// Takes what a journal does not have yet.
    ///
    /// - Complexity: O(what it takes).
    func takeUnsaved() -> UnsavedEntries {
        withLock {
            defer {
                unsaved = unsaved.map { _ in [] }
                isReplaced = false
            }
            let made = pending(after: savedNumber).map(\.entry)
            savedNumber = lastNumber
            return UnsavedEntries(
                identity: identity, lastNumber: lastNumber, confirmedNumber: confirmedNumber, made: made,
                received: unsaved ?? [], position: position, isReplaced: isReplaced, document: agreed,
                version: agreedVersion)
        }
    }

    /// Whether a transaction that was too large waits to be set back.
    var hasOversized: Bool { withLock { !oversized.isEmpty } }

    /// Whether a difference waits to be written into the model.
    var hasOverdue: Bool { withLock { !overdue.isEmpty } }

    /// Whether a snapshot is due: this replica made the entry at a multiple of the number of entries for each snapshot.
    /// So one replica saves it, without an agreement between them. Answers once.
    func takeSnapshotRequest() -> Bool {
        withLock {
            defer { isSnapshotDue = false }
            return isSnapshotDue
        }
    }

    /// The next entries to send: those that the log has not acknowledged.
    ///
    /// - Parameter byteCount: The size at which a batch ends. It has at least one entry if there is one.
    /// - Complexity: O(the batch).
    func unsent(upTo byteCount: Int) -> [LogEntry] {
        withLock {
            var size = 0
            return pending(after: acknowledgedNumber).prefix { pending in
                defer { size += pending.entry.content.utf8.count }
                return size < byteCount
            }.map(\.entry)
        }
    }

    /// Notes that the log has entries. Does nothing for entries of a former identity.
    func acknowledge(_ entries: [LogEntry]) {
        withLock {
            guard let last = entries.last, last.replica == identity else { return }
            acknowledgedNumber = max(acknowledgedNumber, last.number)
        }
    }

    // MARK: - Beginning

    /// Replaces the model's content by a document with pending entries on top.
    ///
    /// - Parameters:
    ///   - loaded: The document.
    ///   - identity: The replica's identity: that of a former process, if its pending entries survived.
    ///   - entries: The entries of the replica that are not in the document.
    /// - Throws: ``ReplicaRefusal`` if the version is unknown, or the model cannot be written.
    /// - Complexity: O(document).
    func begin(with loaded: LoadedDocument, identity: UUID, pending entries: [LogEntry] = []) throws {
        try checkVersion(loaded.version)
        try update(.everything) { _ in
            hasBegun = true
            self.identity = identity
            agreed = loaded.document
            (position, agreedVersion) = (loaded.position, loaded.version)
            pending = Deque(
                entries.lazy.map { [settings] entry in
                    // An entry of which the journal has no content that can be read has no effect, here as in the log.
                    let content = try? EntryContent(parsing: entry.content, limits: settings.limits.entry)
                    return Pending(entry: entry, edits: content?.edits ?? [])
                })
            confirmedNumber = loaded.lastNumber
            acknowledgedNumber = loaded.lastNumber
            lastNumber = max(loaded.lastNumber, entries.last?.number ?? 0)
            savedNumber = lastNumber
            madeCount = entries.count
            return false
        }
        if !entries.isEmpty { onPending() }
    }

    /// Begins again with a document, because entries behind the position were pruned. What is pending stays, except for
    /// entries that the document contains.
    ///
    /// - Parameters:
    ///   - loaded: The document. It has noted the entries of this replica.
    ///   - conflicts: Gets what was dropped of the entries that the document contains, or may have been dropped, also if
    ///     the function throws.
    /// - Throws: As ``begin(with:)``.
    /// - Complexity: O(document).
    func beginAgain(with loaded: LoadedDocument, conflicts: inout [ReplicaConflict]) throws {
        try checkVersion(loaded.version)
        try update(.everything) { _ in
            agreed = loaded.document
            (position, agreedVersion) = (loaded.position, loaded.version)
            isReplaced = true
            unsaved = unsaved.map { _ in [] }
            conflicts += confirm(loaded)
            return false
        }
    }

    /// Takes the entries that a document contains out of what is pending.
    ///
    ///     snapshot   the entry may have been dropped, or be that of a process with a copy of the journal: look for it
    ///     behind it  the entry was noted with what did not fit; one that was not made here is that of such a process
    ///
    /// If a different process uses the identity, what is not in the document stays pending under a new one.
    ///
    /// - Returns: What was dropped, and what was in the snapshot and the document does not show.
    private func confirm(_ loaded: LoadedDocument) -> [ReplicaConflict] {
        let returned = Dictionary(
            loaded.returned.map { ($0.entry.number, $0) }, uniquingKeysWith: { first, _ in first })
        var unseen: [Pending] = []
        var dropped: [ReplicaConflict] = []
        var isShared = loaded.lastNumber > lastNumber
        let firstNumber = confirmedCount + 1
        var count = 0
        for change in pending.prefix(while: { $0.entry.number <= loaded.lastNumber }) {
            if let (entry, misfits) = returned[change.entry.number] {
                isShared = isShared || entry.content != change.entry.content
                guard entry.content == change.entry.content else { break }
                if !misfits.isEmpty {
                    dropped.append(ReplicaConflict(number: firstNumber + count, edits: change.edits, misfits: misfits))
                }
            } else {
                unseen.append(change)
            }
            count += 1
        }
        pending.removeFirst(count)
        if isShared {
            takeNewIdentity()
        } else {
            confirmedNumber = max(confirmedNumber, loaded.lastNumber)
            acknowledgedNumber = max(acknowledgedNumber, loaded.lastNumber)
        }
        return invisible(unseen, from: firstNumber) + dropped
    }

    /// Finds the edits that `agreed` does not show: which do not fit, or change it if all are made again.
    ///
    /// - Parameters:
    ///   - changes: Transactions that follow each other.
    ///   - firstNumber: The number of the first one.
    private func invisible(_ changes: [Pending], from firstNumber: Int) -> [ReplicaConflict] {
        // All are made before any is looked for, so that what a later one has overwritten counts as shown.
        var repeated = agreed
        let attempts = changes.map { change in
            change.edits.map { edit in
                var footprint = Footprint()
                let misfits = repeated.apply([edit], limits: settings.limits.document, touching: &footprint)
                return (edit: edit, fits: misfits.isEmpty, footprint: footprint)
            }
        }
        return attempts.enumerated().compactMap { index, attempts in
            let edits = attempts.filter { !$0.fits || !agreed.patch(to: repeated, at: $0.footprint).isEmpty }
            if edits.isEmpty { return nil }
            return ReplicaConflict(number: firstNumber + index, invisible: edits.map(\.edit))
        }
    }

    private func checkVersion(_ version: Int) throws(ReplicaRefusal) {
        guard settings.versions.contains(version) else { throw .unknownVersion(version) }
    }

    // MARK: - Receiving

    /// Applies the next entries of the log.
    ///
    /// - Parameter conflicts: Gets what was dropped of the replica's own entries, also if the function throws.
    /// - Throws: ``ReplicaRefusal/unknownVersion(_:)`` at an entry of an unknown version; those before it have been
    ///   applied. ``ReplicaRefusal/unfit(_:)`` if the model cannot be written: the entries count as applied, and the
    ///   model is written with the next ones.
    /// - Complexity: O(the entries), and O(what is pending) if one of them was made elsewhere; each of their edits takes
    ///   O(log *n*) for a document of *n* values.
    func receive(_ entries: [LogEntry], conflicts: inout [ReplicaConflict]) throws {
        let known = entries.prefix { settings.versions.contains($0.version) }
        if !known.isEmpty || withLock({ !overdue.isEmpty }) {
            try update(Footprint()) { footprint in
                // Entries of this replica that come back as they were sent leave the model as it is.
                var areAllConfirmed = true
                for entry in known where !receive(entry, &footprint, &conflicts) { areAllConfirmed = false }
                return areAllConfirmed
            }
        }
        conflicts += withLock {
            defer { oversized = [] }
            return oversized
        }
        if known.count < entries.count { try checkVersion(entries[known.count].version) }
    }

    /// Applies the next entry to `agreed`.
    ///
    /// - Returns: Whether it is the first pending entry, which has the same effect there as it had here.
    @discardableResult
    private func receive(_ entry: LogEntry, _ footprint: inout Footprint, _ conflicts: inout [ReplicaConflict]) -> Bool
    {
        position += 1
        unsaved?.append(entry)
        agreedVersion = max(agreedVersion, entry.version)
        let own = entry.replica == identity ? confirm(entry) : nil
        // An entry that is malformed or too large has no effect, for all.
        let content = own?.edits ?? (try? EntryContent(parsing: entry.content, limits: settings.limits.entry))?.edits
        guard let edits = content else { return false }
        let misfits = agreed.apply(edits, limits: settings.limits.document, touching: &footprint)
        guard own != nil else { return false }
        if position % settings.entriesPerSnapshot == 0 { isSnapshotDue = true }
        if !misfits.isEmpty {
            conflicts.append(ReplicaConflict(number: confirmedCount, edits: edits, misfits: misfits))
        }
        return true
    }

    /// Takes an entry out of what is pending.
    ///
    /// - Returns: What was pending; `nil` if the entry was made by a different process under this replica's identity:
    ///   its journal was copied, or an older copy of it was restored. The replica then takes a new identity.
    private func confirm(_ entry: LogEntry) -> Pending? {
        if entry.number <= confirmedNumber { return nil }
        guard let first = pending.first, first.entry.number == entry.number, first.entry.content == entry.content else {
            takeNewIdentity()
            return nil
        }
        confirmedNumber = entry.number
        acknowledgedNumber = max(acknowledgedNumber, entry.number)
        return pending.removeFirst()
    }

    /// Gives the pending entries to a new identity, because the log has an entry of a different process under the present
    /// one. The log has none of them: it refuses entries behind one that it has with different content.
    private func takeNewIdentity() {
        identity = UUID()
        for index in pending.indices {
            let entry = pending[index].entry
            pending[index].entry = LogEntry(
                replica: identity, number: index + 1, version: entry.version, content: entry.content)
        }
        (lastNumber, confirmedNumber, acknowledgedNumber, savedNumber) = (pending.count, 0, 0, 0)
        onPending()
    }

    // MARK: - Writing the model

    /// Changes `agreed` and what is pending, and writes into the model what that makes different, as one transaction.
    ///
    /// - Parameters:
    ///   - footprint: Where the documents may differ, besides what the change touches.
    ///   - change: Changes `agreed` and what is pending. Returns whether `current` stays as it is.
    /// - Throws: ``ReplicaRefusal/unfit(_:)`` if the model cannot be written. The documents have changed then, unless the
    ///   model could not be encoded, and the difference is written by the next call.
    private func update(_ footprint: Footprint, _ change: (inout Footprint) -> Bool) throws {
        try withLock {
            var difference: JSONPatch = []
            func makeDifference() throws -> JSONPatch {
                if isOutOfSync { try compareModel() }
                var footprint = footprint
                if !change(&footprint) {
                    current = agreed
                    for change in pending {
                        _ = current.apply(change.edits, limits: settings.limits.document, touching: &footprint)
                    }
                    reappliedCount += pending.count
                    overdue.formUnion(footprint)
                }
                if !overdue.isEmpty { difference = shown.patch(to: current, at: overdue) }
                return difference
            }
            let written: JSONPatch?
            do {
                written = try write(makeDifference, isObserved: !footprint.isEverything)
                if footprint.isEverything { return try noteEverything() }
            } catch {
                throw ReplicaRefusal.unfit(String("\(error)".prefix(1_000)))
            }
            let footprint = overdue
            overdue = Footprint()
            updateStatus()
            try note(written, of: difference, at: footprint)
        }
    }

    /// Writes a patch into the model, without the operations that concern nothing observable: members that a newer type
    /// has at the root, for example. They stay in the document.
    ///
    /// - Parameter isObserved: Whether to find out what the patch has changed.
    /// - Returns: That; `nil` if nothing has changed, or if it was not to be found out.
    private func write(_ makePatch: () throws -> JSONPatch, isObserved: Bool) throws -> JSONPatch? {
        var patch: JSONPatch?
        while true {
            do {
                let makePatch = {
                    let operations = try patch ?? makePatch()
                    patch = operations
                    return operations
                }
                if isObserved { return try model.exchange(makePatch) }
                try model.write(makePatch)
                return nil
            } catch let error as JSONPatchError {
                guard error.isOutsideObservables, let index = error.index, var operations = patch?.operations else {
                    throw error
                }
                operations.remove(at: index)
                patch = JSONPatch(operations)
            }
        }
    }

    /// Notes what the model shows after all of it was written. To encode it takes less time than to find out what the
    /// patch has changed.
    ///
    /// - Throws: What encoding the model throws. It then counts as what was written.
    private func noteEverything() throws {
        overdue = Footprint()
        updateStatus()
        (shown, isShownCurrent) = (current, true)
        let model = try model.encoded()
        if !current.isDocument(of: model) { (shown, isShownCurrent) = (Document(model), false) }
    }

    /// Notes what the model shows after the difference was written.
    ///
    /// - Parameters:
    ///   - written: What the model's JSON changed by.
    ///   - difference: What was written.
    ///   - footprint: Where shown and current may have differed.
    private func note(_ written: JSONPatch?, of difference: JSONPatch, at footprint: Footprint) throws {
        if !(isShownCurrent && (written ?? []) == difference), let written {
            _ = try shown.edits(applying: written, texts: texts)
            isShownCurrent = isShownCurrent && shown.patch(to: current, at: footprint).isEmpty
        } else {
            isShownCurrent = isShownCurrent && (written ?? []) == difference
        }
        if isShownCurrent { shown = current }
    }
}
