// A graph as data, at one moment.

import CReactive
import Reactive

private let code = Diagnostics.GraphSnapshot.Code(snapshot: { $0.snapshot() })

/// Returns the code. Called by `reactive_snapshot_code`.
@_cdecl("reactive_code_of_snapshots")
func codeOfSnapshots() -> UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(code).toOpaque()) }

extension UnsafeMutablePointer where Pointee == GraphState {
    func snapshot() -> Diagnostics.GraphSnapshot {
        var ids: [NodePointer: Int] = [:]
        var found: [NodePointer] = []
        var edges: [Diagnostics.GraphSnapshot.Edge] = []

        func id(of node: NodePointer) -> Int {
            if let id = ids[node] { return id }
            ids[node] = found.count
            found.append(node)
            return found.count - 1
        }

        var next = 0
        for reaction in activeReactionsInOrder() {
            _ = id(of: reaction.asNode)
            while next < found.count {
                for source in sources(of: found[next]) { edges.append(.init(source: id(of: source), observer: next)) }
                next += 1
            }
        }
        let nodes = found.enumerated().map { index, node in
            let figures = figures(of: node)
            return Diagnostics.GraphSnapshot.Node(
                id: index, kind: figures.kind, name: NodeName.text(of: node.pointee),
                site: NodeName.site(of: node.pointee), runCount: figures.runCount, changedAt: figures.changedAt,
                ranAt: figures.ranAt, ranBeforeAt: figures.ranBeforeAt)
        }
        return .init(nodes: nodes, edges: edges, changes: Int(pointee.epoch))
    }

    /// Returns the nodes that a node has read last, each once. Under the lock.
    func sources(of node: NodePointer) -> [NodePointer] {
        // The node of a key of a view.
        guard !node.pointee.flags.isDisjoint(with: .observers) else {
            return node.evaluatedObserver.map { [$0.asNode] } ?? []
        }
        var sources: [NodePointer] = []
        // If a computed was evaluated between two reads of one source, the second read leaves a second edge. It has no
        // meaning.
        var known: Set<NodePointer> = []
        let addSource = { (source: NodePointer) in
            if known.insert(source).inserted { sources.append(source) }
        }
        node.asObserver.forEachSource(addSource)
        node.asObserver.forEachPart { $0.forEachSource(addSource) }
        return sources
    }
}
