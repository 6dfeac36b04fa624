// Why a reaction ran: the writes that really changed something, and the way from each to the reaction.
//
// Nothing is recorded for this. Each node knows the epoch of its last change, and a reaction those of its last two
// runs: what changed between them is the cause. Only a changed source that the run itself stopped reading has to be
// noted, because its edge is gone.

import CReactive

/// What made a reaction run: writes, and the computeds through which they reached it.
public struct Cause: Sendable, Hashable, CustomStringConvertible {
    /// The ways from a write to the reaction, each as names: the written observable first, then computeds, without the
    /// reaction.
    public let paths: [[String]]

    /// The names of the observables that were written.
    public var writes: [String] {
        var seen: Set<String> = []
        return paths.compactMap { $0.first }.filter { seen.insert($0).inserted }
    }

    /// The ways in one line: `price → total; count → total`.
    public var description: String {
        paths.map { $0.joined(separator: " → ") }.joined(separator: "; ")
    }
}

extension Reaction {
    /// Which writes, through which computeds, made it run the last time; only those that really changed something.
    /// `nil` if it has run only because it was created, or because it was told to.
    ///
    /// The answer is about the present graph: ask before further writes to the same state. Complexity: O(what it
    /// depends on).
    public final var lastCause: Cause? {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard node.pointee.run_count > 1 else { return nil }
        let present = graph.changedPaths(from: observer, after: previousRun, upTo: observer.pointee.validated_at)
        let paths = (extras?.droppedCauses ?? []) + present.map { graph.names(on: $0) }
        return paths.isEmpty ? nil : Cause(paths: paths)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The ways from `observer` up to sources that changed in the given epochs. The written source is last. Each node
    /// is visited once, so one way stands for all through the same computed.
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
        while index < visits.count {
            let node = visits[index].node
            let count = visits.count
            if let observer = node.evaluatedObserver {
                visitSources(of: observer, from: index)
                observer.forEachPart { visitSources(of: $0, from: index) }
            }
            if !node.pointee.flags.contains(.derivation), visits.count == count { ends.append(index) }
            index += 1
        }
        return ends.map { end in
            var path: [NodePointer] = []
            var index = end
            while index >= 0 {
                path.insert(visits[index].node, at: 0)
                index = visits[index].reachedFrom
            }
            return path
        }
    }

    /// Notes a source that made a reaction run and that the run no longer read.
    func noteDroppedCause(_ source: NodePointer, of observer: ObserverPointer) {
        guard !observer.flags.contains(.cancelled) else { return }
        let reaction = observer.reaction.takeUnretainedValue()
        guard reaction.node.pointee.run_count > 0, source.pointee.changed_at > reaction.previousRun else { return }
        let ways =
            source.pointee.flags.contains(.derivation)
            ? changedPaths(from: source.asObserver, after: reaction.previousRun, upTo: .max) : []
        reaction.needExtras().droppedCauses += (ways.isEmpty ? [[]] : ways).map { names(on: [source] + $0) }
    }

    /// A path to a written source as names, the source first.
    fileprivate func names(on path: [NodePointer]) -> [String] {
        path.reversed().map { NodeName.text(of: $0.pointee) }
    }
}
