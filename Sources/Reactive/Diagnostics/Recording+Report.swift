// The report of a recording: what took most time, what ran without need, and what was never read.

extension Diagnostics {
    /// Tables of a recording, for people to read. Print it, or read its parts.
    public struct Report: Sendable, CustomStringConvertible {
        /// The work of a computed or a reaction.
        public struct Work: Sendable, Hashable {
            /// The node.
            public let node: Event.Node
            /// The number of evaluations, or of runs of the tracked closure.
            public let runCount: Int
            /// Computeds: the number of evaluations that changed the value. Reactions: `runCount`.
            public let changeCount: Int
            /// The time of all of them, including what they evaluated, and of the effects, in nanoseconds.
            public let duration: Int
        }

        /// A node and a number.
        public struct Count: Sendable, Hashable {
            /// The node.
            public let node: Event.Node
            /// The number; its meaning is that of the table.
            public let count: Int
        }

        /// The number of events.
        public let eventCount: Int
        /// The number of events that were dropped because of the limit.
        public let droppedCount: Int
        /// The computeds and reactions, those that took most time first.
        public let work: [Work]
        /// The computeds that were created and never evaluated, because nothing read them.
        public let neverEvaluated: [Event.Node]
        /// Reactions that ran more than once in one flush, with the maximum number of runs in a flush. A reaction that
        /// reaches 100 is suspended as a loop.
        public let repeatedRuns: [Count]
        /// Observables, with the number of evaluations and runs that a single write of each has caused directly, at
        /// most.
        public let fanOut: [Count]
        /// Observables that were written, with the number of writes, and that no evaluation has been caused by.
        public let writtenInVain: [Count]
        /// Nodes that were created during the recording and not freed, one for each source location, with their number.
        public let notFreed: [Count]
        /// The messages of the issues.
        public let issues: [String]

        init(events: [Event], droppedCount: Int) {
            eventCount = events.count
            self.droppedCount = droppedCount
            var work: [Event.Node: (runs: Int, changes: Int, duration: Int)] = [:]
            var created: [Event.Node] = []
            var alive: [Int: Event.Node] = [:]
            var evaluated: Set<Int> = []
            var runs: [[Int]: (node: Event.Node, count: Int)] = [:]
            var effects: [Int: Int] = [:]
            var written: [Event.Node: Int] = [:]
            var issues: [String] = []
            for event in events {
                for cause in event.causes { effects[cause, default: 0] += 1 }
                if event.kind == .issue { issues.append(event.text ?? "") }
                guard let node = event.node else { continue }
                switch event.kind {
                case .creation:
                    alive[node.id] = node
                    if node.kind == .computed { created.append(node) }
                case .end: alive[node.id] = nil
                case .write: written[node, default: 0] += 1
                case .evaluation, .run:
                    evaluated.insert(node.id)
                    work[node, default: (0, 0, 0)].runs += 1
                    if event.hasChanged != false { work[node, default: (0, 0, 0)].changes += 1 }
                    work[node, default: (0, 0, 0)].duration += event.duration
                    if let flush = event.flush {
                        runs[[node.id, event.graph, event.thread, flush], default: (node, 0)].count += 1
                    }
                case .effect: work[node, default: (0, 0, 0)].duration += event.duration
                default: break
                }
            }
            self.work = work.map { Work(node: $0, runCount: $1.runs, changeCount: $1.changes, duration: $1.duration) }
                .sorted { ($1.duration, $0.node.id) < ($0.duration, $1.node.id) }
            neverEvaluated = created.filter { !evaluated.contains($0.id) }
            repeatedRuns = Report.maxima(runs.values.filter { $0.count > 1 })
            fanOut = Report.maxima(
                events.compactMap { event in
                    guard event.kind == .write, let node = event.node, let count = effects[event.id] else { return nil }
                    return (node, count)
                })
            let effective = Set(fanOut.map(\.node))
            writtenInVain = Report.maxima(written.filter { !effective.contains($0.key) }.map { ($0, $1) })
            notFreed = Report.counts(of: alive.values.sorted { $0.id < $1.id })
            self.issues = issues
        }

        /// Returns the first of the nodes with each source location and kind, with the number of such nodes; the
        /// highest number first.
        private static func counts(of nodes: [Event.Node]) -> [Count] {
            Dictionary(grouping: nodes) { [$0.site, $0.kind.rawValue] }.values
                .map { Count(node: $0[0], count: $0.count) }
                .sorted { ($1.count, $0.node.id) < ($0.count, $1.node.id) }
        }

        /// Returns the highest count of each node, the highest of all first.
        private static func maxima(_ counts: some Sequence<(node: Event.Node, count: Int)>) -> [Count] {
            var highest: [Event.Node: Int] = [:]
            for (node, count) in counts { highest[node] = max(highest[node] ?? 0, count) }
            return highest.map { Count(node: $0, count: $1) }.sorted { ($1.count, $0.node.id) < ($0.count, $1.node.id) }
        }

        /// Computeds that were evaluated more than once and changed in less than half of the evaluations, those with
        /// the most futile evaluations first.
        public var futileEvaluations: [Work] {
            work.filter { $0.node.kind == .computed && $0.runCount > 1 && $0.changeCount * 2 < $0.runCount }
                .sorted { $0.runCount - $0.changeCount > $1.runCount - $1.changeCount }
        }

        /// The tables as text, the first ten rows of each.
        public var description: String {
            var lines = ["\(eventCount) events" + (droppedCount > 0 ? ", \(droppedCount) older ones dropped" : "")]
            func table<Row>(_ title: String, _ rows: [Row], _ line: (Row) -> String) {
                guard !rows.isEmpty else { return }
                lines.append("")
                lines.append(title)
                lines += rows.prefix(10).map { "  " + line($0) }
                if rows.count > 10 { lines.append("  and \(rows.count - 10) more") }
            }
            func title(_ node: Event.Node) -> String {
                "\(node.kind) \(node.name)" + (node.name == node.site ? "" : " (\(node.site))")
            }
            table("Most time", work) {
                "\(Report.text(nanoseconds: $0.duration))  \(title($0.node)), \($0.runCount) times"
            }
            table("Most runs", work.sorted { $0.runCount > $1.runCount }) { "\($0.runCount)  \(title($0.node))" }
            table("Evaluated without a change", futileEvaluations) {
                "\(title($0.node)): evaluated \($0.runCount) times, changed \($0.changeCount) times"
            }
            table("Never read", neverEvaluated, title)
            table("Ran more than once after one change", repeatedRuns) { "\($0.count)  \(title($0.node))" }
            table("Widest fan-out", fanOut) { "\($0.count)  \(title($0.node))" }
            table("Written, without an evaluation or a run", writtenInVain) { "\($0.count)  \(title($0.node))" }
            table("Created and not freed", notFreed) { "\($0.count)  \(title($0.node))" }
            table("Issues", issues) { $0 }
            return lines.joined(separator: "\n")
        }

        private static func text(nanoseconds: Int) -> String {
            if nanoseconds < 10_000 { return "\(nanoseconds) ns" }
            if nanoseconds < 10_000_000 { return "\(nanoseconds / 1000) µs" }
            return "\(nanoseconds / 1_000_000) ms"
        }
    }
}
