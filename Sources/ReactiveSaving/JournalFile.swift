// Writes a document and the journal beside it.
//
// The files on the disk can be loaded at each moment, even if writing stops after any of these steps:
//
//     append            lines, then sync. After a failure, incomplete lines are cut off again.
//     replaceDocument   1  write and sync the new document under a temporary name
//                       2  append a line to the journal that names the new document, then sync
//                       3  rename the new document over the old one
//                       4  replace the journal by a new one, with the lines that the new document lacks
//
// Between 3 and 4 the old journal belongs to the new document because of the line from step 2.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// A document and its journal. Used by one thread at a time.
package final class JournalFile: @unchecked Sendable {
    // Sendable because its saver uses it under a lock.
    let file: AtomicFile
    private var descriptor: Int32 = -1
    private var documentIdentity: FileIdentity?
    private var journalIdentity: FileIdentity?
    /// The number of the last change in the journal.
    package private(set) var lastNumber = 0
    /// The number of journals started so far.
    package private(set) var generation = 0
    /// The number of bytes in the journal, in complete lines.
    package private(set) var count = 0
    /// The number of bytes in the document.
    package private(set) var documentCount = 0

    package init(_ file: AtomicFile) { self.file = file }

    deinit { closeJournal() }

    private func closeJournal() {
        // No test sees this always hold: closing no descriptor does nothing.
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Whether the journal is open and its end is known.
    package var isTrusted: Bool { descriptor >= 0 }

    /// Moves aside existing files that cannot be loaded; see `SavedContents`.
    package func moveAsideIfUnloadable(_ loads: ContentsCheck, _ report: (SavingError) -> Void) throws(SavingError) {
        let predecessor = try Predecessor(of: file)
        let found = predecessor.state
        if descriptor >= 0, found.document == documentIdentity, let journal = found.journal, let journalIdentity,
            journal.isSameFile(as: journalIdentity), journal.size == count
        {
            return
        }
        if let aside = try predecessor.moveAsideIfUnloadable(loads) {
            report(SavingError(path: file.path, movedAside: aside))
        }
    }

    /// Whether lines can be appended: document and journal are as they were last written.
    package var isIntact: Bool {
        guard descriptor >= 0, let target = AtomicFile.resolved(file.path),
            let document = FileIdentity(at: target), document == documentIdentity,
            let journal = FileIdentity(at: AtomicFile.journalPath(of: target)), let journalIdentity
        else { return false }
        return journal.isSameFile(as: journalIdentity) && journal.size == count
    }

    // MARK: - Appending

    /// Appends lines and returns when they are on the disk. Lines that could not be written are cut off again.
    ///
    /// - Parameter lastNumber: The number of the last change that the lines contain.
    package func append(_ lines: Data, through lastNumber: Int) throws(SavingError) {
        guard descriptor >= 0 else { throw SavingError(EBADF, path: file.path, phrase: "because it has no journal") }
        var written = 0
        do throws(SavingError) {
            while written < lines.count {
                let offset = count + written
                let piece = lines.dropFirst(written)
                written += try file.perform(.append(offset: offset), "while appending to its journal") {
                    piece.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
                }
            }
        } catch {
            // Otherwise an incomplete line could end up in the middle of the journal later.
            do throws(SavingError) {
                try file.perform(.cutBack, "") { ftruncate(descriptor, off_t(count)) }
            } catch {
                closeJournal()
            }
            throw error
        }
        do throws(SavingError) {
            try file.perform(.syncJournal, "while syncing its journal to the disk") { Self.sync(descriptor) }
        } catch {
            // The contents on the disk are unknown now.
            closeJournal()
            throw error
        }
        count += lines.count
        self.lastNumber = lastNumber
    }

    private static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        AtomicFile.sync(descriptor)
        #else
        fdatasync(descriptor)
        #endif
    }

    // MARK: - Replacing the document

    /// The continuation of the journal after its document was replaced.
    package enum Continuation {
        /// A new journal with the lines from this offset of the old one.
        case lines(from: Int)
        /// A new journal without lines.
        case none
        /// No journal.
        case noJournal
    }

    /// Replaces the document.
    ///
    /// - Parameters:
    ///   - document: The new contents.
    ///   - number: The number of the last change in the document. `nil` if the document contains all changes of the
    ///     journal.
    ///   - prepared: The contents in a temporary file, if there is one already.
    ///   - continuation: How the journal continues.
    /// - Returns: The identity of the new document.
    @discardableResult
    package func replaceDocument(
        with document: Data, through number: Int?, prepared: AtomicFile.Prepared? = nil,
        _ continuation: Continuation
    ) throws(SavingError) -> FileIdentity {
        let target = try file.resolvedPath()
        let journal = AtomicFile.journalPath(of: target)
        let ready: AtomicFile.Prepared
        if let prepared { ready = prepared } else { ready = try file.prepared(with: document) }
        let checksum = Checksum(of: document)
        let isThere = FileIdentity(at: journal) != nil
        if isThere { try announce(checksum, through: number, in: journal) }
        let number = number ?? lastNumber
        documentIdentity = nil
        let identity = try ready.commit()
        documentIdentity = identity
        documentCount = document.count
        switch continuation {
        case .noJournal:
            closeJournal()
            if isThere {
                unlink(journal)
                try file.syncFolder(of: target)
            }
        case .none: try startJournal(at: journal, of: target, checksum, through: number, Data())
        case .lines(let offset):
            let data = try contents(of: journal)
            try startJournal(at: journal, of: target, checksum, through: number, data.dropFirst(offset))
        }
        return identity
    }

    /// Writes a line into the journal that announces the new document.
    private func announce(_ checksum: Checksum, through number: Int?, in journal: String) throws(SavingError) {
        if isJournalOurs(at: journal) {
            let line = Journal.line(after: lastNumber, document: checksum, through: number ?? lastNumber)
            return try append(line, through: lastNumber)
        }
        // The journal belongs to something else, or its end is unknown: it is written again as a whole.
        closeJournal()
        let data = try contents(of: journal)
        let found: Journal
        do {
            found = try Journal(parsing: data)
        } catch {
            throw SavingError(path: file.path, reason: "line \(error.line) of its journal is damaged: \(error.reason)")
        }
        // The new document contains or supersedes all changes of the journal. A journal of a different program has
        // other numbers.
        lastNumber = found.lastNumber
        let line = Journal.line(after: lastNumber, document: checksum, through: lastNumber)
        try journalFile(journal).replaceContents(with: data.prefix(found.wholeCount) + line)
    }

    private func isJournalOurs(at path: String) -> Bool {
        guard descriptor >= 0, let journalIdentity, let found = FileIdentity(at: path) else { return false }
        return found.isSameFile(as: journalIdentity) && found.size == count
    }

    private func journalFile(_ journal: String) -> AtomicFile {
        var result = AtomicFile(path: journal)
        result.failure = file.failure
        result.pieceSize = file.pieceSize
        return result
    }

    /// Replaces the journal by a new one.
    private func startJournal(
        at journal: String, of target: String, _ checksum: Checksum, through number: Int, _ lines: Data
    ) throws(SavingError) {
        let data = Journal.firstLine(document: checksum, through: number) + lines
        closeJournal()
        let identity = try journalFile(journal).prepared(with: data, permissionsOf: target).commit()
        let opened = open(journal, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw SavingError(errno, path: file.path, phrase: "while opening its journal") }
        descriptor = opened
        journalIdentity = identity
        count = data.count
        generation += 1
        if lines.isEmpty { lastNumber = number }
    }

    private func contents(of path: String) throws(SavingError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw SavingError(path: file.path, reason: "\(path) could not be read: \(error)")
        }
    }
}
