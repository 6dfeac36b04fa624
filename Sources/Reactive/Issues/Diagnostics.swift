// Issues: what went wrong and was survived. What is alive, and what depends on what, is in the folder Diagnostics.

import CReactive

/// A look inside: what went wrong, what is alive, and what depends on what.
public enum Diagnostics {
    /// Something that should not have happened and was survived.
    public struct Issue: Sendable, CustomStringConvertible {
        /// What sort of thing happened.
        public enum Kind: Sendable, Hashable {
            /// A function was called where it has no meaning.
            case misuse
            /// A reaction did not settle and was suspended.
            case loop
            /// State was written inside a computed (reported in debug builds only).
            case writeInComputed
            /// A value could not be encoded, so that a part of it is not observed.
            case encoding
            /// A file could not be saved.
            case saving
            /// A change of shared state was dropped, because others had changed the same meanwhile.
            case conflict
        }

        /// What sort of thing happened.
        public let kind: Kind
        /// What happened, to which thing, and how to fix it.
        public let message: String
        /// Where the thing was created.
        public let site: String

        /// The message.
        public var description: String { message }
    }

    /// Gets every issue; `nil` for the default: one line on standard error, once per kind and site.
    ///
    /// The handler runs outside the library's lock, on the thread on which the issue arose, as soon as that thread has released the lock.
    /// It may be set from any thread, and must be ready to be called on any.
    public static var onIssue: (@Sendable (Issue) -> Void)? {
        get { issueHandler.withLock { $0.handler } }
        set { issueHandler.withLock { $0.handler = newValue } }
    }

    /// Reports an issue of a library that builds on this one.
    ///
    /// Inside a transaction or a tracked closure, the handler gets it when this thread has released the lock.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing happened.
    ///   - message: What happened, to which thing, and how to fix it.
    ///   - site: Where the thing was created; the default handler prints one line for each kind and site.
    public static func report(_ kind: Issue.Kind, _ message: String, site: String) {
        report(Issue(kind: kind, message: message, site: site), in: .current)
    }

    private struct IssueHandling {
        var handler: (@Sendable (Issue) -> Void)?
        var reported: Set<String> = []
    }

    private static let issueHandler = Guarded(IssueHandling())

    /// Hands an issue to the handler, once `graph` is unlocked.
    static func report(_ issue: Issue, in graph: GraphPointer) {
        graph.deferAction {
            if let handler = onIssue {
                handler(issue)
            } else if issueHandler.withLock({ $0.reported.insert("\(issue.kind) \(issue.site)").inserted }) {
                reactive_print_error("Reactive: \(issue.message)\n")
            }
        }
    }
}
