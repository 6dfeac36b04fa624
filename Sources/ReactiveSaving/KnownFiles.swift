// The files that this process can load, and those that it cannot.
//
// Overwriting a file destroys its contents. That is right for contents that the program has, and wrong for contents
// that it failed to read. So `load` records its outcome here, for the present state of the file, and so does a saver
// that has written the file or checked its contents. A saver reads the last outcome before it replaces a file that it
// has not written.
//
// A saver checks a file when it starts, unless the last outcome is one of `load`. It also checks a file that an earlier
// saver of this process has written: that saver may have written a different type or a newer version.

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

    /// What happened to a file last.
    package enum Outcome: Equatable, Sendable {
        /// `load` has loaded it.
        case loaded
        /// `load` could not load it.
        case failed
        /// A saver has written it.
        case written
        /// A saver has checked its contents.
        case checked(isLoadable: Bool)

        /// Whether the outcome is one of `load`.
        var isOfLoad: Bool { self == .loaded || self == .failed }

        /// Whether a saver may overwrite the file.
        var isLoadable: Bool {
            switch self {
            case .loaded, .written: true
            case .failed: false
            case .checked(let isLoadable): isLoadable
            }
        }
    }

    /// An object, so that a change does not copy the dictionary.
    private final class Table {
        /// The outcomes, by canonical path: a path may be spelled in several forms.
        var outcomes: [String: (state: State, outcome: Outcome)] = [:]
    }

    // The table is touched only between lock and unlock.
    private static let table = Guarded(Table())
    /// The number of paths above which the table is emptied. Files that are not in the table are judged by their
    /// contents.
    private static let limit = 10_000

    /// Records an outcome, which replaces the previous one. It holds until the files change.
    package static func note(_ state: State, at path: String, _ outcome: Outcome) {
        guard !state.isNothing else { return }
        let path = AtomicFile.canonical(path)
        table.withLock { table in
            if table.outcomes.count >= limit { table.outcomes = [:] }
            table.outcomes[path] = (state, outcome)
        }
    }

    /// Returns the last outcome for the files at a path in their present state, if there is one.
    static func outcome(for state: State, at path: String) -> Outcome? {
        let path = AtomicFile.canonical(path)
        return table.withLock { table in
            table.outcomes[path].flatMap { $0.state == state ? $0.outcome : nil }
        }
    }
}
