// The report of a recording: what took most time, what ran without need, and what was never read.

extension Diagnostics {
    /// Tables of a recording, for people to read. Print it, or read its parts.
    public struct Report: Sendable, CustomStringConvertible {
        /// The work of a computed or a reaction.
        public struct Work: Sendable {
            /// The node.
            public let node: Event.Node
            /// The number of evaluations, or of runs of the tracked closure.
            public let runCount: Int
            /// Computeds: the number of evaluations that changed the value. Reactions: `runCount`.
            public let changeCount: Int
            /// The time of all of them, including what they evaluated, and of the effects, in nanoseconds.
            public let duration: Int

            package init(node: Event.Node, runCount: Int, changeCount: Int, duration: Int) {
                self.node = node
                self.runCount = runCount
                self.changeCount = changeCount
                self.duration = duration
            }
        }

        /// A node and a number.
        public struct Count: Sendable {
            /// The node.
            public let node: Event.Node
            /// The number; its meaning is that of the table.
            public let count: Int

            package init(node: Event.Node, count: Int) {
                self.node = node
                self.count = count
            }
        }

        /// The number of events.
        public package(set) var eventCount = 0
        /// The number of events that were dropped because of the limit.
        public package(set) var droppedCount = 0
        /// The computeds and reactions, those that took most time first.
        public package(set) var work: [Work] = []
        /// The computeds that were created and never evaluated, because nothing read them.
        public package(set) var neverEvaluated: [Event.Node] = []
        /// Reactions that ran more than once in one flush, with the maximum number of runs in a flush. A reaction that
        /// reaches 100 is suspended as a loop.
        public package(set) var repeatedRuns: [Count] = []
        /// Observables, with the number of evaluations and runs that a single write of each has caused directly, at
        /// most.
        public package(set) var fanOut: [Count] = []
        /// Observables that were written, with the number of writes, and that no evaluation has been caused by.
        public package(set) var writtenInVain: [Count] = []
        /// Nodes that were created during the recording and not freed, one for each source location, with their number.
        public package(set) var notFreed: [Count] = []
        /// The messages of the issues.
        public package(set) var issues: [String] = []

        /// Computeds that were evaluated more than once and changed in less than half of the evaluations, those with
        /// the most futile evaluations first.
        public package(set) var futileEvaluations: [Work] = []
        /// The tables as text, the first ten rows of each.
        public package(set) var description = ""

        package init() {}
    }
}
