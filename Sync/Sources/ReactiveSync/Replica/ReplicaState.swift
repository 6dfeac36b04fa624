// The model of a replica and its documents. It has no task, no log and no clock: all input arrives by calls.
//
//     agreed    the document that the log's entries up to `position` have produced
//     current   agreed, with the pending entries on top: the document that the model should show
//     shown     the document that the model shows: its own JSON
//
//     here      a transaction ─ patch of shown ─▶ edits ─▶ current, pending
//     the log   entries ─▶ agreed; agreed + pending ─▶ current; the difference shown → current ─▶ the model
//
// The documents share their common parts, so all three cost little more than one. A difference is searched at the
// touched paths only. Shown differs from current where the model does not encode the JSON that it decoded: a member
// that this version of the type does not have, or the order of a set. Such a difference is not a change, so it is not
// sent.
//
// The lock of the model's graph guards everything. Changes of the model arrive under it (PatchRecorder), and `receive`
// writes under it, so no change can happen between the documents and the model.

import DequeModule
import Foundation
import Reactive
import ReactiveCodable

/// The state of a replica.
///
/// `catchUp`, `begin` and `receive` encode and write the model, so they are called in the isolation of the model. The
/// other functions may be called from any thread.
final class ReplicaState: @unchecked Sendable {
    // Sendable because the lock of the model's graph guards all mutable properties.

    /// A transaction that was made here and has not been read back from the log.
    private struct Pending {
        var entry: LogEntry
        let edits: [Edit]
    }

    private let settings: ReplicaSettings
    private let texts: TextPaths
    /// The model. Implicitly unwrapped because its recorder's closure needs `self`. The initialiser sets it.
    private var model: (any SharedModel)!
    private let onPending: () -> Void

    private(set) var identity: UUID
    /// The number of the last entry that was made here.
    private var lastNumber = 0
    /// The number of the last entry that was read back from the log.
    private var confirmedNumber = 0
    /// The number of the last entry that the log has acknowledged.
    private var acknowledgedNumber = 0
    /// The entries that have not been read back, oldest first. Their numbers follow `confirmedNumber` without gaps.
    private var pending: Deque<Pending> = []
    /// The number of the last entry that the journal has.
    private var savedNumber = 0
    /// The number of times that a pending entry was applied again, on top of entries of others.
    private(set) var reappliedCount = 0
    /// The number of entries that this process has made or has taken from a journal.
    private var madeCount = 0
    /// The entries of the log that the journal does not have yet; `nil` without a journal.
    private var unsaved: [LogEntry]?
    /// Whether a snapshot has replaced the document, and the journal does not have it yet.
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
    /// Transactions that are larger than an entry may be. The next update rolls them back in the model.
    private var oversized: [ReplicaConflict] = []
    /// The parts where shown may differ from current, because a difference could not be written into the model.
    private var overdue = Footprint()
    /// Whether a change could not be encoded, so that `shown` differs from the model.
    private var isOutOfSync = false
    /// Whether the replica follows a log. Earlier changes belong to the values that the log's document replaces.
    private var hasBegun = false

    /// The status of the replica.
    let status: Observable<ReplicaStatus>
    private var connection = Connection()

    /// Creates a state that does not follow a log yet.
    ///
    /// - Parameters:
    ///   - root: The model.
    ///   - settings: The settings.
    ///   - name: The name of the observation of the model in diagnostics.
    ///   - isolation: The actor that the model belongs to.
    ///   - fileID: The file that created the replica.
    ///   - line: The line that created the replica.
    ///   - onPending: Runs when there is an entry to send, with the graph locked.
    /// - Throws: The error of encoding the model; an error that names a malformed pattern of `settings.texts`.
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

    /// Reports all changes of the model so far.
    func catchUp() throws { _ = try model.exchange { nil } }

    /// Stops following the model.
    func end() { model.end() }

    // MARK: - Status

    /// An obstacle that keeps the replica from following or sending.
    enum Obstacle: Equatable {
        case offline
        case refused(ReplicaRefusal)
    }

    /// The progress of reading and sending.
    struct Connection {
        var reading: Obstacle?
        var sending: Obstacle?
        /// The time since which the log cannot be reached.
        var offlineSince: Date?
        /// The highest known position of the log.
        var end = 0
        /// The number of this replica's own entries among those that the model is about to receive. They are pending,
        /// too.
        var ownEntries = 0
        /// Whether the log has ever answered.
        var hasAnswered = false

        /// The reason why the replica does not follow or send, if trying again does not help.
        var refusal: ReplicaRefusal? {
            for case .refused(let refusal)? in [reading, sending] { return refusal }
            return nil
        }
    }

    /// Changes the state of the connection, and with it the status.
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

    /// The reason why the replica does not follow or send, if trying again does not help.
    var refusal: ReplicaRefusal? { withLock { connection.refusal } }

    private func updateStatus() {
        let missing = pending.count + max(0, connection.end - position - connection.ownEntries)
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

    /// Creates an entry for a change of the model. Called with the graph locked.
    private func changed(_ change: Result<JSONPatch, any Error>) {
        do {
            if isOutOfSync { return try compareModel() }
            let edits = try shown.edits(applying: change.get(), texts: texts)
            add(edits)
        } catch {
            isOutOfSync = true
            // A change that cannot be encoded now is found with the next change, or with the next entry.
            try? compareModel()
        }
    }

    /// Creates an entry for the difference between the model and `shown`, after a change that could not be encoded.
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

    /// The number of entries that have not been read back from the log.
    var pendingCount: Int { withLock { pending.count } }

    /// The number of entries that were made here, and how many of them were read back from the log.
    var counts: (made: Int, confirmed: Int) { withLock { (madeCount, confirmedCount) } }

    private var confirmedCount: Int { madeCount - pending.count }

    /// The pending entries with higher numbers.
    ///
    /// - Complexity: O(1).
    private func pending(after number: Int) -> Slice<Deque<Pending>> {
        pending.dropFirst(max(0, number - confirmedNumber))
    }

    // MARK: - Snapshots and the journal

    /// The document that the model shows, as JSON text.
    ///
    /// - Complexity: O(document).
    var content: String { withLock { shown }.json.description }

    /// The document that the log's entries have produced, the position of the last one, and the version of its schema.
    var agreement: (document: Document, position: Int, version: Int) { withLock { (agreed, position, agreedVersion) } }

    /// Starts to collect the changes that a journal stores.
    func collectForJournal() { withLock { unsaved = [] } }

    /// Takes the changes that the journal does not have yet.
    ///
    /// - Complexity: O(*n*) for the size of the changes.
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

    /// Whether a transaction that was too large waits to be rolled back.
    var hasOversized: Bool { withLock { !oversized.isEmpty } }

    /// Whether a difference waits to be written into the model.
    var hasOverdue: Bool { withLock { !overdue.isEmpty } }

    /// Returns whether a snapshot is due, and resets that.
    ///
    /// A snapshot is due if this replica made the entry whose position is a multiple of `entriesPerSnapshot`. So one
    /// replica saves it, and they need not coordinate.
    func takeSnapshotRequest() -> Bool {
        withLock {
            defer { isSnapshotDue = false }
            return isSnapshotDue
        }
    }

    /// Returns the next entries to send: those that the log has not acknowledged.
    ///
    /// - Parameter byteCount: The size at which the batch ends. The batch has at least one entry if there is one.
    /// - Complexity: O(*n*) for a batch of *n* entries.
    func unsent(upTo byteCount: Int) -> [LogEntry] {
        withLock {
            var size = 0
            return pending(after: acknowledgedNumber).prefix { pending in
                defer { size += pending.entry.content.utf8.count }
                return size < byteCount
            }.map(\.entry)
        }
    }

    /// Records that the log has entries. Does nothing for entries of a former identity.
    func acknowledge(_ entries: [LogEntry]) {
        withLock {
            guard let last = entries.last, last.replica == identity else { return }
            acknowledgedNumber = max(acknowledgedNumber, last.number)
        }
    }

    // MARK: - Beginning

    /// Replaces the model's values by a document with pending entries on top.
    ///
    /// - Parameters:
    ///   - loaded: The document.
    ///   - identity: The replica's identity; that of the former process if there is a journal.
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
                    // An entry whose content cannot be read has no effect, here as in the log.
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

    /// Begins again with a document, because entries after the position were pruned. Pending entries stay pending,
    /// except those that the document contains.
    ///
    /// - Parameters:
    ///   - loaded: The document. It has recorded the entries of this replica.
    ///   - conflicts: Receives the edits that were dropped, or may have been dropped, of the entries that the document
    ///     contains. It receives them also if the function throws.
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

    /// Removes the entries that a document contains from the pending ones.
    ///
    ///     in the snapshot   an edit may have been dropped, or a process with a copy of the journal made the entry:
    ///                       look for its effect
    ///     after it          the entry was recorded with the edits that did not fit; if its content differs, a process
    ///                       with a copy of the journal made it
    ///
    /// If a different process uses the identity, entries that are not in the document stay pending under a new one.
    ///
    /// - Returns: The edits that were dropped, and the edits in the snapshot that the document does not show.
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

    /// Returns the edits that `agreed` does not show: those that do not fit, or that change it if all are applied
    /// again.
    ///
    /// - Parameters:
    ///   - changes: Consecutive transactions.
    ///   - firstNumber: The number of the first one.
    private func invisible(_ changes: [Pending], from firstNumber: Int) -> [ReplicaConflict] {
        // All are applied before any is searched, so that an edit that a later one has overwritten counts as shown.
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
    /// - Parameter conflicts: Receives the dropped edits of the replica's own entries, also if the function throws.
    /// - Throws: ``ReplicaRefusal/unknownVersion(_:)`` at an entry of an unknown version. The entries before it have
    ///   been applied. ``ReplicaRefusal/unfit(_:)`` if the model cannot be written. The entries then count as applied,
    ///   and the model is written with the next ones.
    /// - Complexity: Each edit of the entries takes O(log *n*) for a document of *n* values. If an entry was made
    ///   elsewhere, so does each pending edit.
    func receive(_ entries: [LogEntry], conflicts: inout [ReplicaConflict]) throws {
        let known = entries.prefix { settings.versions.contains($0.version) }
        if !known.isEmpty || withLock({ !overdue.isEmpty }) {
            try update(Footprint()) { footprint in
                // Entries of this replica that are read back as they were sent leave the model unchanged.
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
    /// - Returns: Whether it is the first pending entry, which then has the same effect on `agreed` as it had here.
    @discardableResult
    private func receive(_ entry: LogEntry, _ footprint: inout Footprint, _ conflicts: inout [ReplicaConflict]) -> Bool
    {
        position += 1
        unsaved?.append(entry)
        agreedVersion = max(agreedVersion, entry.version)
        let own = entry.replica == identity ? confirm(entry) : nil
        // An entry that is malformed or too large has no effect in any replica.
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

    /// Removes an entry from the pending ones.
    ///
    /// - Returns: The pending transaction; `nil` if a different process made the entry under this replica's identity,
    ///   because its journal was copied, or an older copy was restored. The replica then takes a new identity.
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

    /// Renumbers the pending entries under a new identity, because the log has an entry of a different process under
    /// the current one.
    ///
    /// The log has none of the pending entries: it refuses all entries that are appended with one of different content.
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

    #if DEBUG
    /// A sentence for each broken invariant; empty if none is. In the isolation of the model.
    ///
    /// - Complexity: O(model and pending entries).
    var brokenInvariants: [String] {
        get throws {
            try withLock {
                var broken: [String] = []
                func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
                    if !condition { broken.append(sentence()) }
                }
                let numbers = pending.map(\.entry.number)
                let expected = Array((confirmedNumber + 1)..<(lastNumber + 1))
                expect(numbers == expected, "The entries \(numbers) are pending, and not \(expected).")
                expect(pending.allSatisfy { $0.entry.replica == identity }, "A pending entry has a different identity.")
                expect(
                    (confirmedNumber...max(confirmedNumber, lastNumber)).contains(acknowledgedNumber),
                    "\(acknowledgedNumber) is acknowledged, \(confirmedNumber) confirmed, and \(lastNumber) the last.")
                expect(savedNumber <= lastNumber, "The journal has \(savedNumber), and \(lastNumber) is the last.")
                if hasBegun {
                    var document = agreed
                    var footprint = Footprint()
                    for change in pending {
                        _ = document.apply(change.edits, limits: settings.limits.document, touching: &footprint)
                    }
                    expect(document.json == current.json, "Current is not agreed with the pending entries on top.")
                }
                if isShownCurrent, overdue.isEmpty {
                    expect(shown.json == current.json, "Shown counts as current, and differs from it.")
                }
                if !isOutOfSync {
                    expect(try shown.json == model.encoded(), "Shown is not the JSON of the model.")
                }
                return broken
            }
        }
    }
    #endif

    // MARK: - Writing the model

    /// Changes `agreed` and the pending entries, and writes the difference into the model, as one transaction.
    ///
    /// - Parameters:
    ///   - footprint: The parts where the documents may differ, besides those that the change touches.
    ///   - change: Changes `agreed` and the pending entries. Returns whether `current` stays as it is.
    /// - Throws: ``ReplicaRefusal/unfit(_:)`` if the model cannot be encoded or written. If it cannot be written, the
    ///   documents have changed, and the next call writes the difference.
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

    /// Writes a patch into the model, without the operations outside of observables: for example, members that a newer
    /// type has at the root. They stay in the document.
    ///
    /// - Parameter isObserved: Whether to return the changes.
    /// - Returns: The changes; `nil` if there are none, or if `isObserved` is false.
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

    /// Updates `shown` after the whole model was written. Encoding the model takes less time than observing the changes
    /// of the patch.
    ///
    /// - Throws: The error of encoding the model. `shown` then is the document that was written.
    private func noteEverything() throws {
        overdue = Footprint()
        updateStatus()
        (shown, isShownCurrent) = (current, true)
        let model = try model.encoded()
        if !current.isDocument(of: model) { (shown, isShownCurrent) = (Document(model), false) }
    }

    /// Updates `shown` after a difference was written.
    ///
    /// - Parameters:
    ///   - written: The changes of the model's JSON.
    ///   - difference: The patch that was written.
    ///   - footprint: The parts where `shown` and `current` may have differed.
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
