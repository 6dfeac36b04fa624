// An event of a recording.

extension Diagnostics {
    /// An event of a recording.
    public struct Event: Sendable, Identifiable {
        /// The kind of an event.
        public enum Kind: String, Sendable {
            /// A node was created.
            case creation
            /// A node was freed.
            case end
            /// State was written, and its value changed. (An in-place mutation counts even if it changed nothing.)
            case write
            /// A computed was evaluated.
            case evaluation
            /// The tracked closure of a reaction ran.
            case run
            /// The effect of a reaction ran, or its cleanups, outside the lock.
            case effect
            /// A transaction ended, and its writes stay.
            case transaction
            /// A transaction ended with an error, and its writes were rolled back.
            case rollBack
            /// A reaction that is due was sent to its actor.
            case hop
            /// A reaction that is due was left to its schedule. A schedule that waits for a pause is asked again after
            /// each further change; otherwise the run after the delay has the further changes as causes.
            case delay
            /// An issue was reported.
            case issue
        }

        /// A node of a graph, as an event names it.
        public struct Node: Sendable, Identifiable {
            /// A number that no other node of the recording has.
            public let id: Int
            /// The kind of the node.
            public let kind: GraphSnapshot.Node.Kind
            /// The name: the given one, or the file and line of the call that created the node.
            public let name: String
            /// The file and line of the call that created the node.
            public let site: String

            package init(id: Int, kind: GraphSnapshot.Node.Kind, name: String, site: String) {
                self.id = id
                self.kind = kind
                self.name = name
                self.site = site
            }
        }

        /// A number that no other event of the recording has.
        public let id: Int
        /// The kind of the event.
        public let kind: Kind
        /// The node that was written, evaluated or run; `nil` for transactions and issues.
        public package(set) var node: Node?
        /// The number of the graph: 0 for the first one that recorded an event.
        public let graph: Int
        /// The number of the thread: 0 for the first one that recorded an event.
        public let thread: Int
        /// The time at which it began, in nanoseconds since the start of the recording.
        public let start: Int
        /// The time that it took, in nanoseconds; 0 for events without a duration.
        public let duration: Int
        /// Whether an evaluation has changed the value; `nil` for other events.
        public package(set) var hasChanged: Bool?
        /// The events that caused an evaluation or a run: writes, and evaluations of computeds. Those from before the
        /// recording, or that were dropped, are missing.
        public package(set) var causes: [Int] = []
        /// Runs: the number of the flush that ran it, so that repeated runs in one flush can be found.
        public package(set) var flush: Int?
        /// Ends: whether no tracked closure has ever read the node.
        public package(set) var wasUnread = false
        /// Issues: the source location and the message. Transactions, and writes in one: the source location of the
        /// innermost transaction, if it is known.
        public package(set) var text: String?

        package init(id: Int, kind: Kind, graph: Int, thread: Int, start: Int, duration: Int) {
            self.id = id
            self.kind = kind
            self.graph = graph
            self.thread = thread
            self.start = start
            self.duration = duration
        }
    }
}
