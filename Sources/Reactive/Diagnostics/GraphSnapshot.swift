// The graph as data: the dependencies of the live reactions, for pictures and tools.

import CReactive

extension Diagnostics {
    /// The nodes that live reactions depend on and the edges between them, at one moment.
    public struct GraphSnapshot: Codable, Sendable, Hashable {
        /// A node.
        public struct Node: Codable, Sendable, Hashable {
            /// The kind of a node.
            public enum Kind: String, Codable, Sendable {
                /// State.
                case observable
                /// A derived value.
                case computed
                /// A tracked closure that runs again after changes.
                case reaction
            }

            /// Its number in this snapshot: its index in `nodes`.
            public let id: Int
            /// The kind of the node.
            public let kind: Kind
            /// The name: the given one, or the file and line of the call that created the node.
            public let name: String
            /// The file and line of the call that created the node.
            public let site: String
            /// For reactions, the number of runs of the tracked closure. For computeds, the number of evaluations.
            public let runCount: Int?
            /// For observables and computeds, the number of the change that gave the node its current value, as counted
            /// by ``GraphSnapshot/changes``.
            public let changedAt: Int?
            /// For reactions, the number of changes that the last run is known to include. That run was caused by
            /// dependencies that changed after ``ranBeforeAt``, up to this number.
            public let ranAt: Int?
            /// For reactions, the number of changes that were included before that run; 0 if it was the first.
            public let ranBeforeAt: Int?
        }

        /// An edge: `observer` has read `source`.
        public struct Edge: Codable, Sendable, Hashable {
            /// The node that was read.
            public let source: Int
            /// The node that read it.
            public let observer: Int
        }

        /// The nodes: reactions in order of creation, each followed by those of its dependencies that were not listed
        /// yet.
        public let nodes: [Node]
        /// The edges, in the order of the reads.
        public let edges: [Edge]
        /// The number of changes of values so far. The counter also counts some other events, so only the order of such
        /// numbers is meaningful.
        public let changes: Int
    }

    /// Returns the current graph: every live reaction and its dependencies. Costs nothing until it is called.
    ///
    /// It covers one graph: inside `run` of an ``IndependentGraph``, that graph; elsewhere, the default one.
    ///
    /// Complexity: O(nodes + edges); the graph is locked meanwhile.
    public static func graph() -> GraphSnapshot {
        let graph = GraphPointer.current
        graph.enter()
        defer { graph.leave() }
        return graph.snapshot()
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    fileprivate func snapshot() -> Diagnostics.GraphSnapshot {
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

    /// The kind of a node and its numbers, as in a snapshot. Under the lock.
    func figures(
        of node: NodePointer
    ) -> (kind: Diagnostics.GraphSnapshot.Node.Kind, runCount: Int?, changedAt: Int?, ranAt: Int?, ranBeforeAt: Int?) {
        let header = node.pointee
        if header.flags.contains(.reaction) {
            let previousRun = node.asObserver.reaction.takeUnretainedValue().previousRun
            let ranAt = node.asObserver.pointee.validated_at
            return (.reaction, Int(header.run_count), nil, Int(ranAt), Int(previousRun))
        }
        guard header.flags.contains(.derivation) else { return (.observable, nil, Int(header.changed_at), nil, nil) }
        let count = node.asObserver.derivation._withUnsafeGuaranteedRef { $0.evaluationCount }
        return (.computed, count, Int(header.changed_at), nil, nil)
    }
}
