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

    /// Whether the calling code is tracked.
    @inlinable
    var isTracked: Bool { node.isTracked }

    /// Brings the stage up to date, and records that it is read. Under the lock.
    @inlinable
    func refresh() {
        if let view {
            view.noteRead()
        } else {
            unsafeDowncast(node, to: _StoredSource.self).noteRead()
        }
    }
}
