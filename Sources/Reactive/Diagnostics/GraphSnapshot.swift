// The graph as data: what the live reactions depend on, for pictures and for tools.

import CReactive

extension Diagnostics {
    /// The nodes that live reactions depend on and the edges between them, at one moment.
    public struct GraphSnapshot: Codable, Sendable, Hashable {
        /// A node.
        public struct Node: Codable, Sendable, Hashable {
            /// What sort of node it is.
            public enum Kind: String, Codable, Sendable {
                /// State.
                case observable
                /// A derived value.
                case computed
                /// Something that runs again.
                case reaction
            }

            /// Its number in this snapshot: its index in `nodes`.
            public let id: Int
            /// What sort of node it is.
            public let kind: Kind
            /// The name that it was given, or the file and line that made it.
            public let name: String
            /// The file and line that made it.
            public let site: String
            /// Reactions: how often the tracked part has run. Computeds: how often they have been evaluated.
            public let runCount: Int?
            /// Observables and computeds: the change that gave it its present value, as counted by
            /// ``GraphSnapshot/changes``.
            public let changedAt: Int?
            /// Reactions: how many changes its last run is known to take into account. What it depends on and what
            /// changed after ``ranBeforeAt``, up to this, was the cause of that run.
            public let ranAt: Int?
            /// Reactions: how many changes were taken into account before that run; 0 if it was the first.
            public let ranBeforeAt: Int?
        }

        /// "`observer` read `source`."
        public struct Edge: Codable, Sendable, Hashable {
            /// The node that was read.
            public let source: Int
            /// The node that read it.
            public let observer: Int
        }

        /// The nodes: reactions in order of creation, each followed by what it depends on and was not listed yet.
        public let nodes: [Node]
        /// The edges, in the order of the reads.
        public let edges: [Edge]
        /// How many changes of values there have been. What counts them counts some other events too: the order is what
        /// means something.
        public let changes: Int
    }

    /// The graph as it is now: every live reaction and what it depends on. Takes nothing while nobody asks.
    ///
    /// One graph: inside `run` of an ``IndependentGraph`` that one, else the default one.
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
        // A read that is repeated after a computed in between was evaluated leaves a second edge, which means nothing.
        var known: Set<Diagnostics.GraphSnapshot.Edge> = []

        func id(of node: NodePointer) -> Int {
            if let id = ids[node] { return id }
            ids[node] = found.count
            found.append(node)
            return found.count - 1
        }

        var next = 0
        func addSources(of observer: ObserverPointer) {
            var edge = observer.pointee.sources
            while let source = edge.pointee.source {
                let found = Diagnostics.GraphSnapshot.Edge(source: id(of: source), observer: next)
                if known.insert(found).inserted { edges.append(found) }
                edge = edge.pointee.next_source
            }
        }
        for reaction in employedReactionsInOrder() {
            _ = id(of: reaction.asNode)
            while next < found.count {
                let node = found[next]
                if !node.pointee.flags.isDisjoint(with: .observers) {
                    addSources(of: node.asObserver)
                    node.asObserver.forEachPart { addSources(of: $0) }
                } else if let view = node.evaluatedObserver {
                    // The node of a key of a view.
                    edges.append(.init(source: id(of: view.asNode), observer: next))
                }
                next += 1
            }
        }
        let nodes = found.enumerated().map { index, node in
            let header = node.pointee
            let kind: Diagnostics.GraphSnapshot.Node.Kind =
                header.flags.contains(.reaction)
                ? .reaction : header.flags.contains(.derivation) ? .computed : .observable
            let isReaction = kind == .reaction
            let runCount: Int? =
                switch kind {
                case .observable: nil
                case .computed: node.asObserver.derivation._withUnsafeGuaranteedRef { $0.evaluationCount }
                case .reaction: Int(header.run_count)
                }
            return Diagnostics.GraphSnapshot.Node(
                id: index, kind: kind, name: NodeName.text(of: header), site: NodeName.site(of: header),
                runCount: runCount,
                changedAt: isReaction ? nil : Int(header.changed_at),
                ranAt: isReaction ? Int(node.asObserver.pointee.validated_at) : nil,
                ranBeforeAt: isReaction ? Int(node.asObserver.reaction.takeUnretainedValue().previousRun) : nil)
        }
        return .init(nodes: nodes, edges: edges, changes: Int(pointee.epoch))
    }
}
