// The node of a stage: what its readers depend on.

import Reactive

/// The node of a collection or of a view.
@frozen @usableFromInline
struct StageNode {
    @usableFromInline let node: _Node
    /// The same as a view; `nil` for a collection, which is always up to date.
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

    @inlinable
    var graph: GraphHandle { GraphHandle(of: node) }

    /// Runs `body` with the graph locked.
    @inlinable
    func withLock<Result>(_ body: () -> Result) -> Result { graph.withLock(body) }

    /// Whether the calling code is tracked.
    @inlinable
    var isTracked: Bool { graph.isTracking }

    /// Brings the stage up to date, and records that it is read. Under the lock.
    @inlinable
    func refresh() {
        if let view {
            view.refreshAndTrack()
        } else {
            unsafeDowncast(node, to: _StoredSource.self).noteRead()
        }
    }

    /// Returns what `body` creates; it belongs to the graph of the stage. Under the lock.
    func created<Result>(_ body: () -> Result) -> Result { body() }

    /// Releases a value once the graph is unlocked.
    func releaseLater<Value>(_ value: Value) { DeferredReleases.add(value) }
}
