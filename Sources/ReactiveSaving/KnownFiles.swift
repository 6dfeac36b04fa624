// The files that this process can load: those that `load` has loaded, and those that the process has written itself.
//
// Overwriting a file destroys its contents. That is right for contents that the program has, and wrong for contents
// that it failed to read. So `load` records its outcome here, for the present state of the file. A saver checks it
// before it replaces a file that it has not written.

internal import Reactive

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The outcomes of loading files.
package enum KnownFiles {
    /// A document and the journal beside it, at one moment.
    package struct State: Hashable, Sendable {
        let document: FileIdentity?
        let journal: FileIdentity?

        /// Creates the present state of the files at a path.
        package init(at path: String) {
            document = FileIdentity(at: path)
            journal = FileIdentity(at: AtomicFile.journalPath(of: path))
        }

        /// Whether neither a document nor a journal exists.
        var isNothing: Bool { document == nil && journal == nil }

        /// Whether neither file was replaced between two states. The journal may have grown.
        func isSameFiles(as other: State) -> Bool {
            guard document == other.document, (journal == nil) == (other.journal == nil) else { return false }
            guard let journal, let otherJournal = other.journal else { return true }
            return journal.isSameFile(as: otherJournal)
        }
    }

    private struct Outcome {
        let state: State
        let isLoaded: Bool
    }

    /// An object, so that a change does not copy the dictionary.
    private final class Table {
        var outcomes: [String: Outcome] = [:]
    }

    // The table is touched only between lock and unlock.
    private static let table = Guarded(Table())
    /// The number of paths above which the table is emptied. Files that are not in the table are judged by their
    /// contents.
    private static let limit = 10_000

    /// Records whether a file could be loaded. A loaded file counts as loaded until it changes.
    package static func note(_ state: State, at path: String, isLoaded: Bool) {
        guard !state.isNothing else { return }
        let path = AtomicFile.resolved(path) ?? path
        table.withLock { table in
            if let known = table.outcomes[path], known.state == state, known.isLoaded { return }
            if table.outcomes.count >= limit { table.outcomes = [:] }
            table.outcomes[path] = Outcome(state: state, isLoaded: isLoaded)
        }
    }

    /// Whether the files at a path could be loaded in their present state; `nil` if `load` was not called for them.
    static func isLoaded(_ state: State, at path: String) -> Bool? {
        table.withLock { table in
            table.outcomes[path].flatMap { $0.state == state ? $0.isLoaded : nil }
        }
    }
}
