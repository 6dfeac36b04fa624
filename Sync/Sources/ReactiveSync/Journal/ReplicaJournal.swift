// The file of a replica: the document, and the pending entries. Both survive the process.
//
// The file is an object graph that ReactiveCodable saves as a journal, one line per change. So the number of bytes
// written follows the size of the entries.
//
//     base        the document at some position
//     received    the entries of the log after it; when they are larger than the base, the document at their end
//                 becomes the base
//     pending     the entries that were not read back
//
// A crash loses at most the changes that were not flushed. Entries are flushed before they are sent, so that no number
// is used twice. If the file cannot be written, they are sent without it, except under a new identity, which the file
// must have. It can still happen if the file was restored or copied. The replica then finds an entry of its own in
// the log that it did not make, and takes a new identity (ReplicaState).

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections

/// The changes that a journal has not stored yet.
struct UnsavedEntries: Sendable {
    let identity: UUID
    /// The number of the last entry that was made.
    let lastNumber: Int
    /// The number of the last entry that was read back from the log.
    let confirmedNumber: Int
    /// The entries that were made since the last save; under a new identity, all pending entries.
    let made: [LogEntry]
    /// The entries that were read from the log since the last save. The last of them is at `position`.
    let received: [LogEntry]
    let position: Int
    /// Whether a snapshot has replaced the document since the last save.
    let isReplaced: Bool
    /// The document at `position`, and the version of its schema.
    let document: Document
    let version: Int
}

/// The file of one replica.
actor ReplicaJournal {
    /// The contents of the file, with which a replica begins.
    struct Kept: Sendable {
        let loaded: LoadedDocument
        let identity: UUID
        let pending: [LogEntry]
    }

    private let url: URL
    private let graph = IndependentGraph(named: "journal of a replica")
    private var contents: JournalContents?
    private var autosave: Autosave?
    /// The identity in the file, as of the last successful save.
    private(set) var savedIdentity: UUID?
    /// The size in bytes of the entries in `received`.
    private var receivedByteCount = 0
    /// The size below which the base is not replaced.
    private let minimumByteCount = 1 << 16

    init(_ url: URL) { self.url = url }

    /// Reads the file.
    ///
    /// - Returns: The contents; `nil` if there is no file.
    /// - Throws: `LoadingError` if the file cannot be read; `SavingError` if a different replica uses it.
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
    /// - Throws: `SavingError` if the file cannot be written.
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
        savedIdentity = graph.run { contents.identity }
    }

    /// Stores the changes since the last save. Returns when they are on the disk.
    ///
    /// - Parameter unsaved: Takes the changes that were not stored yet. It runs on this actor, so that changes are
    ///   stored in the order in which they were taken.
    func save(_ unsaved: @Sendable () -> UnsavedEntries) async {
        guard let contents, let autosave else { return }
        let unsaved = unsaved()
        graph.run { inTransaction { keep(unsaved, in: contents) } }
        do {
            try await autosave.flushInBackground()
            savedIdentity = unsaved.identity
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

    #if DEBUG
    /// A sentence for each broken invariant; empty if none is.
    var brokenInvariants: [String] {
        guard let contents else { return [] }
        return graph.run {
            var broken: [String] = []
            let pending = Array(contents.pending)
            let numbers = pending.map(\.number)
            let expected = Array((contents.lastNumber - pending.count + 1)..<(contents.lastNumber + 1))
            if numbers != expected { broken.append("The journal has the pending entries \(numbers), not \(expected).") }
            if pending.contains(where: { $0.replica != contents.identity }) {
                broken.append("A pending entry of the journal has a different identity.")
            }
            let byteCount = contents.received.reduce(0) { $0 + $1.content.utf8.count }
            if receivedByteCount != byteCount {
                broken.append("The entries received have \(byteCount) bytes, and count as \(receivedByteCount).")
            }
            return broken
        }
    }
    #endif

    /// Releases the file, so that a new replica may use it.
    func end() {
        autosave?.cancel()
        autosave = nil
    }
}

/// The contents of the file.
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
