// Nodes that a view marks during its evaluation.
//
// A view by key has a node for each key that is read, and for each group. Propagation cannot know which of them change;
// only the evaluation of the view can. So while any of them has an edge, a router of the engine observes the view, and
// the view is evaluated before any reader relies on these nodes:
//
//     source ──▶ view ──▶ router
//                 ┊ evaluation
//                 └┄┄▶ routed node ──▶ edge of a reader
//
// Readers update the view untracked, and depend on the routed node alone.

import Reactive

/// The router of a view, which exists while routed nodes of the view have edges. Guarded by the graph's lock. A
/// roll-back does not restore it.
@usableFromInline
final class Routing {
    /// The view. The nodes that call the routing keep it alive.
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var view: AnyView!
    @exclusivity(unchecked) private final var router: _Router?
    @exclusivity(unchecked) private final var count = 0

    @usableFromInline
    init() {}

    /// Notes that one more node has edges. Precondition: the view is up to date.
    @usableFromInline
    final func connect() {
        count += 1
        if router == nil { router = _Router(of: view) }
    }

    /// Notes that a node no longer has edges. Runs no user code.
    @usableFromInline
    final func disconnect() {
        count -= 1
        guard count == 0, let router else { return }
        self.router = nil
        router.end()
    }
}

/// The node of a key of a view: whether the view has the key, and its value. Exists while it has edges.
@usableFromInline
@_fixed_layout
final class ViewKeyNode<Key: Hashable>: KeyNode<Key> {
    @usableFromInline let keys: ViewKeys<Key>
    /// The view, which the node keeps alive.
    @usableFromInline let view: AnyView
    /// The object that was returned as the value, so that the next read returns the same one.
    @exclusivity(unchecked) @usableFromInline final var value: AnyObject?

    @inlinable
    init(_ key: Key, hash: Int, of keys: ViewKeys<Key>) {
        self.keys = keys
        view = keys.routing.view
        super.init(key, hash: hash, beside: keys.routing.view)
        becomeRouted()
    }

    /// Notes that the value changes. Called under the lock, in the view's evaluation.
    @inlinable
    final func noteChangeOfView() {
        // Only the time of the change must be restored.
        // No test sees this: nobody reads the value.
        keepState(true)
        noteChange()
    }

    @usableFromInline
    override var routingView: _PartedDerivation? { view }

    // The view restores the value.
    @usableFromInline
    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {}

    @usableFromInline
    override func lastEdgeWasRemoved() { keys.remove(self) }

    #if DEBUG
    override var storingNode: _Node? { view }
    #endif
}

/// The nodes of a view's keys. Guarded by the graph's lock. A roll-back does not restore them.
@usableFromInline
@_fixed_layout
final class ViewKeys<Key: Hashable> {
    @usableFromInline let routing = Routing()
    @exclusivity(unchecked) @usableFromInline final var nodes = KeyNodes<Key>()

    @inlinable
    init() {}

    /// Whether comparing and hashing keys runs no user code that could read observables.
    @inlinable @inline(__always)
    static var hasPlainKeys: Bool {
        // No test sees this never hold: tracking would be suspended for code that reads nothing.
        _isPOD(Key.self) || Key.self == String.self
    }

    /// Returns the hash of a key, as all stages compute it.
    @inlinable @inline(__always)
    static func hash(of key: Key) -> Int {
        // No test sees this never hold: as above.
        hasPlainKeys ? key._rawHashValue(seed: 0) : untracked { key._rawHashValue(seed: 0) }
    }

    /// Runs code that calls `==` of keys.
    @inlinable @inline(__always)
    static func comparing<Result>(_ body: () -> Result) -> Result {
        // No test sees this never hold: as above.
        hasPlainKeys ? body() : untracked(body)
    }

    /// Records a tracked read of a key. The view is up to date.
    @inlinable
    final func noteRead(of key: Key, _ hash: Int) -> ViewKeyNode<Key> {
        if let node = find(key, hash) {
            node.noteRead()
            return node
        }
        let node = ViewKeyNode(key, hash: hash, of: self)
        nodes.insert(node)
        routing.connect()
        // From here on, an edge keeps the node alive.
        node.noteRead()
        return node
    }

    /// Notes that the value of a key has changed. Called in the view's evaluation.
    @inlinable @inline(__always)
    final func noteChange(of key: @autoclosure () -> Key) {
        // No test sees this always hold: a search finds no node.
        if !nodes.isEmpty {
            let key = key()
            noteChange(of: key, Self.hash(of: key))
        }
    }

    /// Notes that the value of a key has changed. Called in the view's evaluation.
    @inlinable @inline(never)
    final func noteChange(of key: Key, _ hash: Int) { find(key, hash)?.noteChangeOfView() }

    /// Notes that all values have changed, because the view is rebuilt.
    @inlinable
    final func noteChangeOfAll() {
        // No test sees this always hold: there is no node.
        if !nodes.isEmpty { nodes.forEach { unsafeDowncast($0, to: ViewKeyNode<Key>.self).noteChangeOfView() } }
    }

    @inlinable
    final func remove(_ node: ViewKeyNode<Key>) {
        nodes.remove(node)
        routing.disconnect()
    }

    @inlinable
    final func find(_ key: Key, _ hash: Int) -> ViewKeyNode<Key>? {
        // No test sees this never hold: a search finds no node.
        if nodes.isEmpty { return nil }
        // The `==` of keys may run evaluations that create and remove nodes here. So the search uses a copy, and is
        // repeated if the table has changed.
        while true {
            let nodes = nodes
            let node = Self.comparing { nodes.find(key, hash: hash) }
            if self.nodes.version == nodes.version {
                return node.map { unsafeDowncast($0, to: ViewKeyNode<Key>.self) }
            }
        }
    }
}
