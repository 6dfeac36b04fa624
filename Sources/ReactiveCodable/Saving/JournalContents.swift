// The contents that an autosave with a journal writes: lines of changes, and a whole document if there is none to which
// the lines belong.
//
// Changes arrive under the graph's lock, as numbered lines. A whole document is encoded under that lock too, and
// contains all changes up to a number. So it supersedes the waiting lines. Each write takes everything that waits, with
// one sync, which threads that flush at the same time share.
//
//     needsDocument     the lines have no document: at first, when the files are missing or belong to something else,
//                       and when the end of the journal is unknown
//
// A journal that has become larger than its document is compacted on a separate thread, from the files: the graph is
// not read.

import Dispatch
import Reactive
import ReactiveSaving

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The contents of a saver that writes a document and its journal.
final class JournalContents: SavedContents {
    /// The contents that wait to be written. An object, so that appending a line copies nothing.
    private final class Waiting {
        var document: (result: Result<Data, any Error>, through: Int)?
        /// The lines of the changes after the document, and the number of the first one.
        var lines: [Data] = []
        var firstNumber = 1
        /// The number of the last change.
        var lastNumber = 0
        var needsDocument = true
        var isCompacting = false
        /// The size at which the journal is to be compacted, after a failed compaction.
        var compactionSize = 0
    }

    let file: AtomicFile
    private let journal: JournalFile
    // The object is accessed only while the lock is held.
    private let waiting = Guarded(Waiting())
    private let loads: ContentsCheck
    private let compactor: JournalCompactor
    /// The size in bytes below which a journal is not compacted.
    private let minimumSize: Int
    /// The saver of these contents, with which compactions exclude writers.
    private let saver = Guarded<WeakSaver>(WeakSaver())

    private struct WeakSaver {
        weak var saver: FileSaver?
    }

    init(_ file: AtomicFile, _ compactor: JournalCompactor, minimumSize: Int, loads: @escaping ContentsCheck) {
        self.file = file
        self.compactor = compactor
        self.minimumSize = minimumSize
        self.loads = loads
        journal = JournalFile(file)
    }

    /// Sets the saver of these contents.
    func belong(to saver: FileSaver) { self.saver.withLock { $0.saver = saver } }

    // MARK: - Waiting contents

    /// Whether a whole document is needed that has not been encoded yet.
    var needsDocument: Bool { waiting.withLock { $0.needsDocument } }

    /// Requests a whole document.
    func requireDocument() { waiting.withLock { $0.needsDocument = true } }

    /// Adds a change, unless a requested document will contain it. Under the graph's lock.
    func take(_ patch: JSONPatch) {
        waiting.withLock { waiting in
            // No test sees this always hold: the document that is needed replaces the lines.
            guard !waiting.needsDocument else { return }
            waiting.lastNumber += 1
            waiting.lines.append(Journal.line(forChange: waiting.lastNumber, patch.json.data))
        }
    }

    /// Stores a document that contains all changes up to now, or the error of encoding it. Under the graph's lock.
    func take(_ document: Result<Data, any Error>) {
        let superseded = waiting.withLock { waiting in
            let before = (waiting.document, waiting.lines)
            // A number of its own distinguishes it from a document that is being written.
            waiting.lastNumber += 1
            waiting.document = (document, waiting.lastNumber)
            if case .success = document {
                waiting.needsDocument = false
                waiting.lines = []
                waiting.firstNumber = waiting.lastNumber + 1
            } else {
                waiting.needsDocument = true
            }
            return before
        }
        // No test sees this: it only keeps what errors do when they are freed out of the lock.
        withExtendedLifetime(superseded) {}
    }

    var needsEncoding: Bool {
        let (document, needsDocument) = waiting.withLock { ($0.document, $0.needsDocument) }
        if needsDocument { return true }
        // No test sees this always hold: it only saves encoding a document that waits already.
        return document == nil && !journal.isIntact
    }

    // MARK: - Writing

    func write(_ report: (SavingError) -> Void) throws -> Any? {
        let document = waiting.withLock { $0.document }
        if let document { try write(document, report) }
        let (lines, firstNumber) = waiting.withLock { ($0.lines, $0.firstNumber) }
        guard !lines.isEmpty else { return document }
        guard journal.isIntact else {
            requireDocument()
            return document
        }
        do throws(SavingError) {
            // No test sees this: the text would grow step by step.
            var text = Data(capacity: lines.reduce(0) { $0 + $1.count })
            for line in lines { text += line }
            try journal.append(text, through: firstNumber + lines.count - 1)
        } catch {
            // No test sees this: the next write would notice, and the one after it write the document.
            if !journal.isTrusted { requireDocument() }
            throw error
        }
        waiting.withLock { waiting in
            guard waiting.firstNumber == firstNumber else { return }
            waiting.lines.removeFirst(lines.count)
            waiting.firstNumber += lines.count
        }
        compactIfNeeded()
        return document
    }

    func discard() -> Any? {
        waiting.withLock { waiting in
            // Later changes add no lines.
            // No test sees this: it only saves memory, until the contents are freed.
            waiting.needsDocument = true
            // No test sees this: as above.
            defer { (waiting.document, waiting.lines) = (nil, []) }
            return (waiting.document, waiting.lines)
        }
    }

    private func write(
        _ document: (result: Result<Data, any Error>, through: Int), _ report: (SavingError) -> Void
    ) throws {
        let data = try document.result.get()
        try journal.moveAsideIfUnloadable(loads, report)
        try journal.replaceDocument(with: data, through: document.through, .none)
        waiting.withLock { waiting in
            if waiting.document?.through == document.through { waiting.document = nil }
        }
    }

    #if DEBUG
    var brokenInvariants: [String] {
        let (document, lines, firstNumber, lastNumber, needsDocument) = waiting.withLock {
            ($0.document, $0.lines, $0.firstNumber, $0.lastNumber, $0.needsDocument)
        }
        var broken = journal.brokenInvariants
        // The next document replaces everything.
        if needsDocument { return broken }
        if firstNumber + lines.count != lastNumber + 1 {
            broken.append("\(lines.count) lines wait, from \(firstNumber) to \(lastNumber).")
        }
        for (number, line) in zip(firstNumber..., lines)
        where !String(decoding: line.dropFirst(17), as: UTF8.self).hasPrefix("\(number) ") {
            broken.append("Line \(number) has a different number.")
        }
        if let document, case .success = document.result {
            if document.through >= firstNumber { broken.append("The waiting document contains a waiting line.") }
        } else if document == nil, journal.isIntact, journal.lastNumber != firstNumber - 1 {
            broken.append("The journal ends with \(journal.lastNumber), and line \(firstNumber) is the next.")
        }
        return broken
    }
    #endif

    // MARK: - Compacting

    private func compactIfNeeded() {
        let size = journal.count
        let limit = max(journal.documentCount, minimumSize)
        let isDue = waiting.withLock { waiting in
            // No test sees this always hold: of two compactions, the second finds that its journal is gone.
            // No test sees this boundary: any size near it would serve.
            guard size > max(limit, waiting.compactionSize), !waiting.isCompacting else { return false }
            // No test sees this: as above.
            waiting.isCompacting = true
            return true
        }
        guard isDue else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            guard let saver = saver.withLock({ $0.saver }) else { return }
            do {
                try compact(saver)
                // No test sees this: it only lets the next compaction begin earlier.
                waiting.withLock { $0.compactionSize = 0 }
            } catch {
                // Without this, each later line would try again.
                waiting.withLock { $0.compactionSize = 2 * size }
                saver.publishBackground(error)
            }
            waiting.withLock { $0.isCompacting = false }
        }
    }

    private func compact(_ saver: FileSaver) throws {
        let start = saver.withoutWriters { (journal.generation, journal.count, journal.lastNumber, journal.isIntact) }
        // No test sees this always hold: it only saves the work, since a second look follows.
        guard let (generation, offset, through, isIntact) = start, isIntact else { return }
        let document = try compactor.compactedDocument(at: file, journalCount: offset)
        let prepared = try file.prepared(with: document)
        let outcome = saver.withoutWriters { () -> Result<Void, SavingError> in
            // A whole document may have been written meanwhile.
            guard journal.generation == generation, journal.isIntact else { return .success(()) }
            return Result { () throws(SavingError) in
                try journal.replaceDocument(
                    with: document, through: through, prepared: prepared, .lines(from: offset))
            }
        }
        if case .failure(let error)? = outcome {
            // No test sees this: the next write would notice, and the one after it write the document.
            if !journal.isTrusted { requireDocument() }
            throw error
        }
    }
}

/// Creates a document from an older one and its journal.
struct JournalCompactor: Sendable {
    /// The output formatting of the user's encoder.
    let formatting: JSONEncoder.OutputFormatting

    /// Returns the document with all changes in the first bytes of its journal.
    func compactedDocument(at file: AtomicFile, journalCount: Int) throws -> Data {
        let path = try file.resolvedPath()
        let document = try Data(contentsOf: URL(fileURLWithPath: path))
        let lines = try Data(contentsOf: URL(fileURLWithPath: AtomicFile.journalPath(of: path))).prefix(journalCount)
        do {
            let journal = try Journal(parsing: lines)
            guard let changes = journal.changes(since: document) else {
                throw SavingError(path: file.path, reason: "its journal belongs to a different document")
            }
            return text(of: try json(document, applying: changes, limits: .unlimited))
        } catch let error as Journal.Damage {
            throw SavingError(path: file.path, reason: "line \(error.line) of its journal is damaged: \(error.reason)")
        } catch let error as JournalError {
            throw SavingError(path: file.path, reason: "its journal could not be applied: \(error)")
        }
    }

    /// Returns the text in the user's formatting, if that is exact: coders limit depth and numbers.
    private func text(of json: JSONValue) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        guard let text = try? encoder.encode(json), (try? JSONValue(parsing: text, limits: .unlimited)) == json else {
            return json.data
        }
        return text
    }
}

/// Returns the JSON of a document after changes.
func json(
    _ document: Data, applying changes: ArraySlice<Journal.Change>, limits: JSONLimits
) throws(JournalError) -> JSONValue {
    let tree: JSONTree
    do {
        tree = JSONTree(try JSONValue(parsing: document, limits: limits), limits: limits)
    } catch {
        throw JournalError(line: nil, reason: "its document is malformed: \(error)")
    }
    for change in changes {
        do {
            try tree.apply(JSONPatch(parsing: change.patch, limits: limits))
        } catch {
            throw JournalError(line: change.line, reason: "change \(change.number) cannot be applied: \(error)")
        }
    }
    do {
        return try tree.snapshot(tree.root)
    } catch {
        throw JournalError(line: nil, reason: "\(error)")
    }
}

extension JSONLimits {
    /// Returns the limits for files of a total size. The depth is limited because decoding recurses. The size is
    /// limited so that a short patch cannot create a large document.
    static func forFiles(_ byteCount: Int) -> JSONLimits {
        // No test sees this never hold: no file is that large.
        // No test sees this boundary: as above.
        let size = byteCount > .max / 16 ? .max : 16 * byteCount
        return JSONLimits(
            valueCount: max(size, JSONLimits.default.valueCount), byteCount: max(size, JSONLimits.default.byteCount))
    }
}
