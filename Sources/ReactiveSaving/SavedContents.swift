// The contents that a saver writes. Savers decide when to write and report outcomes; contents know the form of the
// files.

internal import Reactive

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The contents to save, and their files.
package protocol SavedContents: AnyObject, Sendable {
    /// The file, for messages and for its lock.
    var file: AtomicFile { get }
    /// Whether the state must be encoded as a whole, because no waiting contents would make the files right. Called by
    /// one thread at a time.
    var needsEncoding: Bool { get }

    /// Writes the waiting contents. Called by one thread at a time.
    ///
    /// - Parameters:
    ///   - report: Receives errors that do not prevent the contents from being written.
    /// - Returns: The written contents, to be released outside all locks.
    func write(_ report: (SavingError) -> Void) throws -> Any?

    /// Removes the waiting contents, after saving has ended. Returns them, to be released outside all locks.
    func discard() -> Any?

    #if DEBUG
    /// A sentence for each broken invariant; empty if none is. Called while no thread is writing.
    var brokenInvariants: [String] { get }
    #endif
}

/// Returns whether the contents of a document, and of the journal beside it, can be loaded. Called on any thread.
package typealias ContentsCheck = @Sendable (_ document: Data, _ journal: Data?) -> Bool

/// The contents of one file that is replaced as a whole.
package final class DocumentContents: SavedContents {
    private struct State {
        typealias Unsaved = (number: Int, result: Result<Data, any Error>)

        /// The newest encoding and its number, unless it was written already.
        var unsaved: Unsaved?
        var number = 0
        /// The identity of the file when it was last written.
        var identity: FileIdentity?
    }

    package let file: AtomicFile
    private let state = Guarded(State())
    private let writesUnchanged: Bool
    private let loads: ContentsCheck

    /// Creates contents without an encoding.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - writesUnchanged: Whether to write the contents even if nothing has changed.
    ///   - loads: Returns whether contents of the file can be loaded for which `load` was not called.
    package init(_ file: AtomicFile, writesUnchanged: Bool, loads: @escaping ContentsCheck) {
        self.file = file
        self.writesUnchanged = writesUnchanged
        self.loads = loads
    }

    /// Stores a new encoding, which replaces the previous one.
    package func take(_ result: Result<Data, any Error>) {
        state.withLock { state in
            state.number += 1
            state.unsaved = (state.number, result)
        }
    }

    package var needsEncoding: Bool {
        let (isPending, identity) = state.withLock { ($0.unsaved != nil, $0.identity) }
        if isPending { return false }
        guard let identity else { return writesUnchanged }
        return FileIdentity(at: file.path) != identity
    }

    package func write(_ report: (SavingError) -> Void) throws -> Any? {
        let (unsaved, known) = state.withLock { ($0.unsaved, $0.identity) }
        guard let unsaved else { return nil }
        let identity = try write(unsaved.result.get(), over: known, report)
        KnownFiles.note(KnownFiles.State(at: file.path), at: file.path, .written)
        state.withLock { state in
            state.identity = identity
            if state.unsaved?.number == unsaved.number { state.unsaved = nil }
        }
        return unsaved
    }

    package func discard() -> Any? { state.withLock { $0.unsaved.take() } }

    private func write(
        _ data: Data, over known: FileIdentity?, _ report: (SavingError) -> Void
    ) throws(SavingError) -> FileIdentity {
        let predecessor = try Predecessor(of: file)
        let found = predecessor.state
        if let document = found.document, found.journal == nil, known == nil,
            // No test sees this always hold: it only saves reading the file.
            document.size == data.count,
            (try? Data(contentsOf: URL(fileURLWithPath: file.path))) == data
        {
            return document
        }
        if found.document != known || found.journal != nil {
            if let aside = try predecessor.moveAsideIfUnloadable(loads) {
                report(SavingError(path: file.path, movedAside: aside))
            } else if found.journal != nil {
                // A program that saved as a journal has left it. It belongs to the old document.
                return try JournalFile(file).replaceDocument(with: data, through: nil, .noJournal)
            }
        }
        return try file.replaceContents(with: data)
    }
}
