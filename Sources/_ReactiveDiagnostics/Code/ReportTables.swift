// The tables of a report.

import Reactive

extension Diagnostics.Report {
    init(events: [Diagnostics.Event], droppedCount: Int) {
        self.init()
        eventCount = events.count
        self.droppedCount = droppedCount
        var nodes: [Int: Diagnostics.Event.Node] = [:]
        var work: [Int: (runs: Int, changes: Int, duration: Int)] = [:]
        var created: [Diagnostics.Event.Node] = []
        var ended: Set<Int> = []
        var runs: [[Int]: Int] = [:]
        var effects: [Int: Int] = [:]
        var written: [Int: Int] = [:]
        for event in events {
            for cause in event.causes { effects[cause, default: 0] += 1 }
            if event.kind == .issue { issues.append(event.text ?? "") }
            guard let node = event.node else { continue }
            nodes[node.id] = node
            switch event.kind {
            case .creation: created.append(node)
            case .end: ended.insert(node.id)
            case .write: written[node.id, default: 0] += 1
            case .evaluation, .run:
                work[node.id, default: (0, 0, 0)].runs += 1
                if event.hasChanged != false { work[node.id, default: (0, 0, 0)].changes += 1 }
                work[node.id, default: (0, 0, 0)].duration += event.duration
                if let flush = event.flush { runs[[node.id, event.graph, event.thread, flush], default: 0] += 1 }
            case .effect: work[node.id, default: (0, 0, 0)].duration += event.duration
            default: break
            }
        }

        /// Returns the highest count of each node, the highest of all first.
        func maxima(_ counts: [(id: Int, count: Int)]) -> [Count] {
            var highest: [Int: Int] = [:]
            for (id, count) in counts { highest[id] = max(highest[id] ?? 0, count) }
            return highest.compactMap { id, count in nodes[id].map { Count(node: $0, count: count) } }
                .sorted { ($1.count, $0.node.id) < ($0.count, $1.node.id) }
        }

        self.work = work.compactMap { id, work in
            nodes[id].map {
                Work(node: $0, runCount: work.runs, changeCount: work.changes, duration: work.duration)
            }
        }
        .sorted { ($1.duration, $0.node.id) < ($0.duration, $1.node.id) }
        futileEvaluations = self.work
            .filter { $0.node.kind == .computed && $0.runCount > 1 && $0.changeCount * 2 < $0.runCount }
            .sorted { $0.runCount - $0.changeCount > $1.runCount - $1.changeCount }
        neverEvaluated = created.filter { $0.kind == .computed && work[$0.id]?.runs ?? 0 == 0 }
        repeatedRuns = maxima(runs.filter { $0.value > 1 }.map { ($0.key[0], $0.value) })
        fanOut = maxima(
            events.compactMap { event in
                guard event.kind == .write, let node = event.node, let count = effects[event.id] else { return nil }
                return (node.id, count)
            })
        let effective = Set(fanOut.map(\.node.id))
        writtenInVain = maxima(written.filter { !effective.contains($0.key) }.map { ($0.key, $0.value) })
        notFreed = Self.counts(of: created.filter { !ended.contains($0.id) })
        description = text()
    }

    /// Returns the first of the nodes with each source location and kind, with the number of such nodes; the
    /// highest number first.
    private static func counts(of nodes: [Diagnostics.Event.Node]) -> [Count] {
        Dictionary(grouping: nodes) { [$0.site, $0.kind.rawValue] }.values
            .map { Count(node: $0[0], count: $0.count) }
            .sorted { ($1.count, $0.node.id) < ($0.count, $1.node.id) }
    }

    /// Returns the tables as text, the first ten rows of each.
    private func text() -> String {
        var lines = ["\(eventCount) events" + (droppedCount > 0 ? ", \(droppedCount) older ones dropped" : "")]
        lines += Self.table("Most time", work) {
            "\(Self.text(nanoseconds: $0.duration))  \(Self.title($0.node)), \($0.runCount) times"
        }
        lines += Self.table("Most runs", work.sorted { $0.runCount > $1.runCount }) {
            "\($0.runCount)  \(Self.title($0.node))"
        }
        lines += Self.table("Evaluated without a change", futileEvaluations) {
            "\(Self.title($0.node)): evaluated \($0.runCount) times, changed \($0.changeCount) times"
        }
        lines += Self.table("Never read", neverEvaluated, Self.title)
        lines += Self.table("Ran more than once after one change", repeatedRuns) {
            "\($0.count)  \(Self.title($0.node))"
        }
        lines += Self.table("Widest fan-out", fanOut) { "\($0.count)  \(Self.title($0.node))" }
        lines += Self.table("Written, without an evaluation or a run", writtenInVain) {
            "\($0.count)  \(Self.title($0.node))"
        }
        lines += Self.table("Created and not freed", notFreed) { "\($0.count)  \(Self.title($0.node))" }
        lines += Self.table("Issues", issues) { $0 }
        return lines.joined(separator: "\n")
    }

    /// Returns the lines of a table, with its title and an empty line before it; nothing if it has no rows.
    private static func table<Row>(_ title: String, _ rows: [Row], _ line: (Row) -> String) -> [String] {
        if rows.isEmpty { return [] }
        let rest = rows.count > 10 ? ["  and \(rows.count - 10) more"] : []
        return ["", title] + rows.prefix(10).map { "  " + line($0) } + rest
    }

    private static func title(_ node: Diagnostics.Event.Node) -> String {
        "\(node.kind) \(node.name)" + (node.name == node.site ? "" : " (\(node.site))")
    }

    private static func text(nanoseconds: Int) -> String {
        if nanoseconds < 10_000 { return "\(nanoseconds) ns" }
        if nanoseconds < 10_000_000 { return "\(nanoseconds / 1000) µs" }
        return "\(nanoseconds / 1_000_000) ms"
    }
}
