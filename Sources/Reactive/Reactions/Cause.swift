// The cause of a reaction's last run: the writes that really changed something, and the path from each to the reaction.
//
// Nothing is recorded for this. Each node stores the epoch of its last change, and a reaction the epochs of its last
// two runs. The changes between those two are the cause. One case must be recorded: a changed source that the run
// itself stopped reading, because its edge is gone.

import CReactive

/// The cause of a reaction's run: writes, and the computeds through which they reached it.
public struct Cause: Sendable, Hashable, CustomStringConvertible {
    /// The paths from a write to the reaction, as names: first the written observable, then computeds. The reaction
    /// itself is omitted.
    public let paths: [[String]]

    /// The names of the observables that were written.
    public var writes: [String] {
        var seen: Set<String> = []
        return paths.compactMap { $0.first }.filter { seen.insert($0).inserted }
    }

    /// The paths in one line: `price → total; count → total`.
    public var description: String {
        paths.map { $0.joined(separator: " → ") }.joined(separator: "; ")
    }
}

extension Reaction {
    /// The writes that caused the last run, and the computeds through which they reached the reaction. Only writes that
    /// really changed something count. `nil` if the reaction has run only because it was created or invalidated.
    ///
    /// The result describes the current graph: read it before further writes to the same state. Complexity:
    /// O(dependencies).
    public final var lastCause: Cause? {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard node.pointee.run_count > 1 else { return nil }
        let present = graph.changedPaths(from: observer, after: previousRun, upTo: observer.pointee.validated_at)
        let paths = (options?.droppedCauses ?? []) + present.map { graph.names(on: $0) }
        return paths.isEmpty ? nil : Cause(paths: paths)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Returns the paths from `observer` up to sources that changed in the given epochs. The written source is last; if
    /// no path leads to one, the last node that changed. Each node is visited once, so one path represents all paths
    /// through the same computed.
    func changedPaths(
        from observer: ObserverPointer, after first: UInt64, upTo last: UInt64
    ) -> [[NodePointer]] {
        var visits: [(node: NodePointer, reachedFrom: Int)] = []
        var visited: Set<NodePointer> = []

        func visitSources(of observer: ObserverPointer, from index: Int) {
            var edge = observer.pointee.sources
            while let source = edge.pointee.source {
                let changedAt = source.pointee.changed_at
                if changedAt > first, changedAt <= last, visited.insert(source).inserted {
                    visits.append((source, index))
                }
                edge = edge.pointee.next_source
            }
        }

        visitSources(of: observer, from: -1)
        observer.forEachPart { visitSources(of: $0, from: -1) }
        var index = 0
        var ends: [Int] = []
        // Computeds and nodes that a view changes whose changed sources are on other paths, or are no longer read.
        var unexplained: [Int] = []
        while index < visits.count {
            let node = visits[index].node
            let count = visits.count
            if let observer = node.evaluatedObserver {
                visitSources(of: observer, from: index)
                observer.forEachPart { visitSources(of: $0, from: index) }
            }
            if visits.count == count {
                if node.evaluatedObserver == nil { ends.append(index) } else { unexplained.append(index) }
            }
            index += 1
        }
        return (ends.isEmpty ? unexplained : ends).map { end in
            var path: [NodePointer] = []
            var index = end
            while index >= 0 {
                path.insert(visits[index].node, at: 0)
                index = visits[index].reachedFrom
            }
            return path
        }
    }

    /// Records a source that caused a run, and that the run no longer read.
    func noteDroppedCause(_ source: NodePointer, of observer: ObserverPointer) {
        // No test sees this always hold: the options of a cancelled reaction are dropped next.
        guard !observer.flags.contains(.cancelled) else { return }
        let reaction = observer.reaction.takeUnretainedValue()
        guard source.pointee.changed_at > reaction.previousRun else { return }
        let paths =
            source.pointee.flags.contains(.derivation)
            ? changedPaths(from: source.asObserver, after: reaction.previousRun, upTo: .max) : []
        reaction.ensureOptions().droppedCauses += (paths.isEmpty ? [[]] : paths).map { names(on: [source] + $0) }
    }

    /// Returns the names on a path to a written source, the source first.
    fileprivate func names(on path: [NodePointer]) -> [String] {
        path.reversed().map { NodeName.text(of: $0.pointee) }
    }
}
