// The node of a stage, which its readers depend on.

import Reactive

/// The node of a collection, of a view, or of a group of a view.
@frozen @usableFromInline
struct StageNode {
    @usableFromInline let node: _Node
    /// The view to update before reads: the node itself, or the view of the group. `nil` for a collection, which is
    /// always up to date.
    @usableFromInline let view: _PartedDerivation?

    @inlinable
    init(_ source: _StoredSource) {
        node = source
        view = nil
    }

    @inlinable
    init(_ view: _PartedDerivation) {
        node = view
        self.view = view
    }

    @usableFromInline
    init(group: GroupStage) {
        node = group
        view = group.view
    }

    /// Runs `body` with the graph locked.
    @inlinable @inline(__always)
    func withLock<Result>(_ body: () -> Result) -> Result {
        if let view {
            view.enter()
            defer { view.leave() }
            return body()
        }
        let source = unsafeDowncast(node, to: _StoredSource.self)
        source.enter()
        defer { source.leave() }
        return body()
    }

    /// The graph of the stage.
    var graph: GraphHandle { node.graphHandle }

    /// Whether the calling code is tracked.
    @inlinable
    var isTracked: Bool { node.isTracked }

    /// Updates the stage and records the read. Called under the lock.
    @inlinable
    func refresh() {
        if let view {
            if view === node { view.noteRead() } else { refreshGroup() }
        } else {
            unsafeDowncast(node, to: _StoredSource.self).noteRead()
        }
    }

    @usableFromInline @inline(never)
    func refreshGroup() { unsafeDowncast(node, to: GroupStage.self).refresh() }

    /// A number that changes whenever the elements change. Valid under the lock, directly after `refresh()`.
    @usableFromInline
    var version: UInt64 {
        guard let view, view !== node else { return node.version }
        return max(node.version, unsafeDowncast(node, to: GroupStage.self).contents.since)
    }

    /// Updates the stage for code that depends on a related node, such as that of a key. Called under the lock.
    @usableFromInline
    func refreshUntracked() {
        // No test sees this always hold: then nothing is tracked in any case.
        if isTracked { untracked { refresh() } } else { refresh() }
    }
}
