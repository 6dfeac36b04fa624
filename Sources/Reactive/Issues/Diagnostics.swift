// Issues: errors that the library reports and survives. The folder Diagnostics has the live reactions and the graph.

import CReactive

/// Information about the running library: issues, live reactions, and the dependency graph.
public enum Diagnostics {
    /// An error that the library reports and survives.
    public struct Issue: Sendable, CustomStringConvertible {
        /// The kind of an issue.
        public enum Kind: Sendable, Hashable {
            /// A function was called where it has no meaning.
            case misuse
            /// A reaction kept making itself run again and was suspended.
            case loop
            /// State was written inside a computed (reported in debug builds only).
            case writeInComputed
            /// A value could not be encoded, so that part of it is not observed.
            case encoding
            /// A file could not be saved.
            case saving
            /// A change of shared state was dropped, because others had changed the same state meanwhile.
            case conflict
        }

        /// The kind of the issue.
        public let kind: Kind
        /// The event, the name of the affected thing, and the fix.
        public let message: String
        /// The source location where the thing was created.
        public let site: String

        /// The message.
        public var description: String { message }
    }

    /// The handler of all issues; `nil` for the default: one line on standard error, once per kind and site.
    ///
    /// The handler runs outside the library's lock, on the thread on which the issue arose, as soon as that thread has
    /// released the lock. It may be set from any thread, and may be called on any thread.
    public static var onIssue: (@Sendable (Issue) -> Void)? {
        get { issueHandler.withLock { $0.handler } }
        set { issueHandler.withLock { $0.handler = newValue } }
    }

    /// Reports an issue of a library that builds on this one.
    ///
    /// Inside a transaction or a tracked closure, the handler is called after this thread has released the lock.
    ///
    /// - Parameters:
    ///   - kind: The kind of the issue.
    ///   - message: The event, the name of the affected thing, and the fix.
    ///   - site: The source location where the thing was created; the default handler prints one line for each kind and
    ///     site.
    public static func report(_ kind: Issue.Kind, _ message: String, site: String) {
        report(Issue(kind: kind, message: message, site: site), in: .current)
    }

    private struct IssueHandling {
        var handler: (@Sendable (Issue) -> Void)?
        var reported: Set<String> = []
    }

    private static let issueHandler = Guarded(IssueHandling())

    /// Passes an issue to the handler, once `graph` is unlocked.
    static func report(_ issue: Issue, in graph: GraphPointer) {
        // No test sees this always hold: it only saves steps.
        if reactive_is_recording() {
            withUnsafePointer(to: issue.message) { message in
                withUnsafePointer(to: issue.site) { graph.recordFromOutside(.issue(message, site: $0)) }
            }
        }
        graph.deferAction {
            if let handler = onIssue {
                handler(issue)
            } else if issueHandler.withLock({ $0.reported.insert("\(issue.kind) \(issue.site)").inserted }) {
                reactive_print_error("Reactive: \(issue.message)\n")
            }
        }
    }
}
