// The file of a replica: the document, and what was not sent yet. Both survive the process.
//
// It is an object graph of the library's own, saved as a journal: a line for each change, so that what is written follows
// the size of the entries.
//
//     base        the document at some position
//     received    the entries of the log behind it; when they outgrow the base, the document at their end becomes the base
//     pending     the entries that have not come back
//
// A crash loses at most what was not flushed. Entries are flushed before they are sent, so that their numbers are not
// used twice. If that happens nevertheless, since somebody has restored or copied the file, the replica finds an entry
// of its own in the log that it did not make, and takes a new identity (ReplicaState).

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections

/// What a journal has not kept yet.
struct UnsavedEntries: Sendable {
    let identity: UUID
    /// The number of the last entry that was made.
    let lastNumber: Int
    /// The number of the last entry that came back from the log.
    let confirmedNumber: Int
    /// The entries that were made since the last ones that were kept; all that are pending under a new identity.
    let made: [LogEntry]
    /// The entries of the log since the last ones that were kept, the last of them at `position`.
    let received: [LogEntry]
    let position: Int
    /// Whether the document was replaced by a snapshot meanwhile.
    let isReplaced: Bool
    /// The document at `position`, and the version of its schema.
    let document: Document
    let version: Int
}

/// The file of one replica.
actor ReplicaJournal {
    /// What a replica begins with.
    struct Kept: Sendable {
        let loaded: LoadedDocument
        let identity: UUID
        let pending: [LogEntry]
    }

    private let url: URL
    private let graph = IndependentGraph(named: "journal of a replica")
    private var contents: JournalContents?
    private var autosave: Autosave?
    /// The size in bytes of the entries that were received since the base.
    private var receivedByteCount = 0
    /// The size below which the base is not replaced.
    private let minimumByteCount = 1 << 16

    init(_ url: URL) { self.url = url }

    /// Reads the file.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: `LoadingError` if it cannot be read; `SavingError` if a different replica uses it.
    func load(limits: ReplicaLimits) throws -> Kept? {
        let contents: JournalContents
        do throws(LoadingError) {
            contents = try graph.run { () throws(LoadingError) in try ReactiveCodable.load(from: url) }
        } catch {
            guard error.kind == .noFile else { throw error }
            return nil
        }
        let (received, pending) = (Array(contents.received), Array(contents.pending))
        var loaded = try LoadedDocument(
            contents.base.snapshot, lastNumber: contents.lastNumber - pending.count, limits: limits)
        loaded.apply(received)
        try start(contents)
        receivedByteCount = received.reduce(0) { $0 + $1.content.utf8.count }
        return Kept(loaded: loaded, identity: contents.identity, pending: pending)
    }

    /// Creates the file.
    ///
    /// - Throws: `SavingError` if it cannot be written.
    func begin(_ loaded: LoadedDocument, identity: UUID) throws {
        try start(
            graph.run {
                JournalContents(
                    identity: identity, lastNumber: loaded.lastNumber,
                    base: JournalBase(loaded.document, loaded.position, loaded.version))
            })
    }

    private func start(_ contents: JournalContents) throws {
        self.contents = contents
        let autosave = graph.run {
            ReactiveCodable.autosave(
                contents, to: url, as: .journal, schedule: .immediate, named: "journal", onError: { _ in })
        }
        self.autosave = autosave
        try autosave.flush()
    }

    /// Keeps what has happened, and returns when it is on the disk.
    ///
    /// - Parameter unsaved: Takes what was not kept yet. Called on this actor, so that what is taken first is kept first.
    func save(_ unsaved: @Sendable () -> UnsavedEntries) async {
        guard let contents, let autosave else { return }
        let unsaved = unsaved()
        graph.run { inTransaction { keep(unsaved, in: contents) } }
        do {
            try await autosave.flushInBackground()
        } catch {
            Diagnostics.report(
                .saving,
                """
                The journal \(url.path) of a replica could not be written: \(error). \
                The replica writes it again with the next entry.
                """, site: url.path)
        }
    }

    private func keep(_ unsaved: UnsavedEntries, in contents: JournalContents) {
        receivedByteCount += unsaved.received.reduce(0) { $0 + $1.content.utf8.count }
        if unsaved.isReplaced || receivedByteCount > max(minimumByteCount, contents.base.content.utf8.count) {
            contents.base = JournalBase(unsaved.document, unsaved.position, unsaved.version)
            contents.received.removeAll()
            receivedByteCount = 0
        } else if !unsaved.received.isEmpty {
            contents.received.append(contentsOf: unsaved.received)
        }
        if contents.identity != unsaved.identity {
            contents.identity = unsaved.identity
            contents.pending.removeAll()
        }
        let confirmed = contents.pending.prefix { $0.number <= unsaved.confirmedNumber }.count
        if confirmed > 0 { contents.pending.removeFirst(confirmed) }
        if !unsaved.made.isEmpty { contents.pending.append(contentsOf: unsaved.made) }
        contents.lastNumber = unsaved.lastNumber
    }

    /// Lets a new replica use the file.
    func end() {
        autosave?.cancel()
        autosave = nil
    }
}

/// What the file holds.
private struct JournalContents: Codable {
    @Observable var identity: UUID
    @Observable var lastNumber: Int
    @Observable var base: JournalBase
    let received: ObservableArray<LogEntry>
    let pending: ObservableArray<LogEntry>

    init(identity: UUID, lastNumber: Int, base: JournalBase) {
        _identity = Observable(wrappedValue: identity)
        _lastNumber = Observable(wrappedValue: lastNumber)
        _base = Observable(wrappedValue: base)
        received = []
        pending = []
    }
}

/// A document at a position.
private struct JournalBase: Codable, Equatable {
    let position: Int
    let version: Int
    let content: String

    init(_ document: Document, _ position: Int, _ version: Int) {
        self.position = position
        self.version = version
        content = document.json.description
    }

    var snapshot: LogSnapshot { LogSnapshot(position: position, version: version, content: content) }
}
