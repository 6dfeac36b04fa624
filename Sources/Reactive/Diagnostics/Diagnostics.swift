// What developers may want to know: issues, live reactions, and (in files beside this one) causes and the graph.

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
        }

        /// What sort of thing happened.
        public let kind: Kind
        /// What happened, to which thing, and how to mend it.
        public let message: String
        /// Where the thing was made.
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

    // MARK: - Live reactions

    /// What is known about a reaction that has not been cancelled.
    public struct LiveReaction: Sendable, CustomStringConvertible {
        /// The name that it was given, or the file and line that made it.
        public let name: String
        /// The file and line that made it.
        public let site: String
        /// How often its tracked part has run.
        public let runCount: Int

        /// Name, place and count in one line.
        public var description: String {
            name == site ? "\(name), ran \(runCount) times" : "\(name) (\(site)), ran \(runCount) times"
        }
    }

    /// The reactions that have not been cancelled, in order of creation; without those whose owner or actor is gone,
    /// which only wait to be cancelled. Complexity: O(*n* log *n*) in their number.
    ///
    /// Those of one graph: inside `run` of an ``IndependentGraph`` that one's, else the default one's.
    public static var liveReactions: [LiveReaction] {
        let graph = GraphPointer.current
        graph.enter()
        defer { graph.leave() }
        return graph.employedReactionsInOrder().map { reaction in
            let header = reaction.pointee.node
            return LiveReaction(
                name: NodeName.text(of: header), site: NodeName.site(of: header), runCount: Int(header.changed_at))
        }
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// As `reactionsInOrder`, without those that have lost their owner or actor. Under the lock.
    func employedReactionsInOrder() -> [ObserverPointer] {
        reactionsInOrder().filter { reaction in
            reaction.reaction._withUnsafeGuaranteedRef { $0.extras?.isAbandoned != true }
        }
    }

    /// The live reactions, the oldest first. Under the lock.
    func reactionsInOrder() -> [ObserverPointer] {
        guard pointee.reactions.count > 0 else { return [] }
        let reactions = pointee.reactions.elements(of: ObserverPointer.self)
        return UnsafeBufferPointer(start: reactions, count: pointee.reactions.count)
            .sorted { $0.pointee.node.stamp < $1.pointee.node.stamp }
    }
}
