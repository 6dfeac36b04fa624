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

            package init(
                id: Int, kind: Kind, name: String, site: String, runCount: Int?, changedAt: Int?, ranAt: Int?,
                ranBeforeAt: Int?
            ) {
                self.id = id
                self.kind = kind
                self.name = name
                self.site = site
                self.runCount = runCount
                self.changedAt = changedAt
                self.ranAt = ranAt
                self.ranBeforeAt = ranBeforeAt
            }
        }

        /// An edge: `observer` has read `source`.
        public struct Edge: Codable, Sendable, Hashable {
            /// The node that was read.
            public let source: Int
            /// The node that read it.
            public let observer: Int

            package init(source: Int, observer: Int) {
                self.source = source
                self.observer = observer
            }
        }

        /// The nodes: reactions in order of creation, each followed by those of its dependencies that were not listed
        /// yet.
        public let nodes: [Node]
        /// The edges, in the order of the reads.
        public let edges: [Edge]
        /// The number of changes of values so far. The counter also counts some other events, so only the order of such
        /// numbers is meaningful.
        public let changes: Int

        package init(nodes: [Node], edges: [Edge], changes: Int) {
            self.nodes = nodes
            self.edges = edges
            self.changes = changes
        }
    }

    /// Returns the current graph: every live reaction and its dependencies. Costs nothing until it is called.
    ///
    /// It covers one graph: inside `run` of an ``IndependentGraph``, that graph; elsewhere, the default one.
    ///
    /// Complexity: O(nodes + edges); the graph is locked meanwhile.
    @_alwaysEmitIntoClient
    public static func graph() -> GraphSnapshot { GraphSnapshot(reactive_snapshot_code()) }
}

extension Diagnostics.GraphSnapshot {
    /// The code of snapshots, which a linker leaves out of programs that do not use it; see RecordingCode.swift.
    package final class Code: Sendable {
        /// Returns the snapshot of a graph. Under the lock.
        package let snapshot: @Sendable (GraphPointer) -> Diagnostics.GraphSnapshot

        package init(snapshot: @escaping @Sendable (GraphPointer) -> Diagnostics.GraphSnapshot) {
            self.snapshot = snapshot
        }
    }

    @usableFromInline
    init(_ code: UnsafeRawPointer) {
        let graph = GraphPointer.current
        graph.enter()
        defer { graph.leave() }
        self = Unmanaged<Code>.fromOpaque(code).takeUnretainedValue().snapshot(graph)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The kind of a node and its numbers, as in a snapshot. Under the lock.
    package func figures(
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
