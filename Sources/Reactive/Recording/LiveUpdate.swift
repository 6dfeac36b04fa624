// What is new in a graph, for tools that show it; see LiveGraph.swift.

/// A node of a graph as it changes, as it is now: its number, as in the events; the numbers that a `GraphSnapshot` has,
/// 0 for those that the node does not have; and the numbers of the nodes that it has read last.
package typealias LiveNode = (
    id: Int, kind: Diagnostics.GraphSnapshot.Node.Kind, name: String, site: String, runCount: Int, changedAt: Int,
    ranAt: Int, ranBeforeAt: Int, sources: [Int]
)

/// What is new in a graph since the last update. Only the first update can have nodes without events.
package final class LiveUpdate {
    /// The nodes that are new or that events name. Their sources are known, or among them.
    package var nodes: [LiveNode] = []
    /// The nodes that have ended.
    package var ended: [Int] = []
    /// The events, in the order in which they began.
    package var events: [Diagnostics.Event] = []
    /// The number of events that were left out because there were too many.
    package var droppedCount = 0
    /// The number of changes of values so far.
    package var changes = 0

    package init() {}
}
