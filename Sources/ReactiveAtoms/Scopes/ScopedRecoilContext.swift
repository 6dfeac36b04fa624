// A view's access to a store: it records the nodes that the view uses, and asks the view to refresh when they change.

#if canImport(SwiftUI)
import Reactive
public import struct SwiftUI.Binding
#else
public import Reactive
#endif

/// A view's access to a store. It follows the nodes that the view uses, and asks the view to refresh when they change.
///
/// ```swift
/// let recoil = ScopedRecoilContext(store: store) { print("refresh") }
/// print(recoil.useValue(count) ?? 0)  // prints "1"
/// store.set(count, 2)                 // prints "refresh"
/// ```
///
/// - Several changes in one transaction request one refresh.
/// - A node that was not used between two refreshes is no longer followed.
/// - The refresh runs in the isolation that created the context: immediately if the write happens there, otherwise
///   after one hop.
/// - The context follows nodes until it is released. The work that callbacks have stored in it is then cancelled: in
///   the isolation that created the context, after a hop if necessary.
public final class ScopedRecoilContext {
    /// The store.
    public private(set) var store: RecoilStore
    /// Called when a node that was used has changed. Outside the lock.
    public var onRefresh: (() -> Void)?

    /// Called with the nodes that have changed, before the refresh.
    package var onChange: (([NodeKey]) -> Void)?

    /// Whether a refresh follows some time after its request, and announces itself with `beginRefresh`.
    var refreshesLater = false
    /// Whether a refresh has begun since the last change.
    private var hasRefreshed = true

    /// The nodes that the view uses. Guarded by the graph's lock.
    private var uses: [NodeKey: Use] = [:]
    /// Changed when the set of used nodes changes, so that the reaction follows the new set.
    private let rearranged: Observable<Int>
    /// The work that callbacks have stored. Guarded by the graph's lock.
    private var cancellables: Set<AnyCancellable> = []
    /// The actor that the scope was created on, if there is one.
    private let isolation: ClosureIsolation?
    /// The number of refreshes.
    private var generation = 0
    private var reaction: Reaction?

    /// A node that the view uses.
    private struct Use {
        /// The generation that used it last.
        var generation: Int
        /// Whether to follow everything in a loadable, not only the data.
        var isLoadable: Bool
        /// The stamp that the view has last seen or been notified of.
        var seen: [UInt64] = []
        /// Reads the node, and returns which instance this is and which version of it.
        let stamp: (_ isLoadable: Bool) -> [UInt64]
    }

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isolation: The actor that refreshes; by default the caller's.
    ///   - onRefresh: Called when a node that was used has changed. Outside the lock.
    public init(
        store: RecoilStore = .shared, isolation: isolated (any Actor)? = #isolation, onRefresh: (() -> Void)? = nil
    ) {
        self.store = store
        self.onRefresh = onRefresh
        self.isolation = isolation.map { ClosureIsolation($0) }
        rearranged = store.graph.run { Observable(0, named: "used nodes") }
        reaction = store.graph.run {
            detached {
                Reactive.reaction(named: "scope", equals: .never, isolation: isolation) { [weak self] in
                    self?.followUses() ?? [:]
                } onChange: { [weak self] stamps in
                    self?.noteChange(stamps)
                }
            }
        }
    }

    deinit {
        reaction?.cancel()
        if !cancellables.isEmpty, let actor = isolation?.actor, !Isolation.isCurrent(actor) {
            // The work of callbacks ends where they were called.
            let kept = Guarded(cancellables)
            Isolation.hop(to: actor) { _ = kept.exchange(for: []) }
        }
    }

    /// Records that the view begins to refresh.
    func beginRefresh() { store.graph.withUntrackedLock { hasRefreshed = true } }

    /// Switches to a different store of the same graph, as if no node had been used yet.
    package func startOver(with store: RecoilStore) {
        // The end of the old store notifies this scope, which must find the new store then.
        let old = self.store
        defer { withExtendedLifetime(old) {} }
        self.store = store
        // Freed outside the lock, because that cancels them.
        var kept: Set<AnyCancellable> = []
        defer { withExtendedLifetime(kept) {} }
        store.graph.withUntrackedLock {
            swap(&kept, &cancellables)
            generation = 0
            uses = [:]
            rearranged.value += 1
        }
    }

    /// Reads all used nodes. Tracked, under the lock.
    private func followUses() -> [NodeKey: [UInt64]] {
        _ = rearranged.value
        return uses.mapValues { $0.stamp($0.isLoadable) }
    }

    /// Handles a change of the used nodes, or of their set.
    private func noteChange(_ stamps: [NodeKey: [UInt64]]) {
        let changed = store.graph.withUntrackedLock {
            let changed = stamps.filter { key, stamp in uses[key].map { $0.seen != stamp } ?? false }
            guard !changed.isEmpty else { return changed }
            for (key, stamp) in changed { uses[key]?.seen = stamp }
            // Until the view has refreshed, it is unknown which nodes it will use.
            guard !refreshesLater || hasRefreshed else { return changed }
            hasRefreshed = false
            // Nodes that the last refresh did not use are no longer followed.
            let idle = uses.filter { $0.value.generation < generation }
            for key in idle.keys { uses[key] = nil }
            if !idle.isEmpty { rearranged.value += 1 }
            generation += 1
            return changed
        }
        guard !changed.isEmpty else { return }
        onChange?(Array(changed.keys))
        onRefresh?()
    }

    private func follow<Node: RecoilNode>(_ node: Node, isLoadable: Bool) {
        store.graph.withUntrackedLock {
            let key = node.key
            let isKnown = uses[key].map { $0.isLoadable || !isLoadable } ?? false
            var use = uses[key] ?? Use(generation: generation, isLoadable: isLoadable, stamp: stamp(of: node))
            use.generation = generation
            use.isLoadable = use.isLoadable || isLoadable
            use.seen = use.stamp(use.isLoadable)
            uses[key] = use
            if !isKnown { rearranged.value += 1 }
        }
    }

    private func stamp<Node: RecoilNode>(of node: Node) -> (_ isLoadable: Bool) -> [UInt64] {
        { [weak store] isLoadable in
            guard let store else { return [] }
            let kind: Dependency.Kind = isLoadable ? .loadable : .value
            let found = try? StateGetter(.store(store)).reading(node, as: kind) { instance in
                try instance.follow()
                guard let stamp = try instance.stamp(of: kind) else { return [instance.serial] }
                return [instance.serial, stamp.content, stamp.activity]
            }
            return found ?? []
        }
    }

    // MARK: - Values

    /// Returns the value of a node, or `nil` if there is none now. Starts to load the node if necessary.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value; `nil` if the node has failed or is loading.
    public func useValue<Node: RecoilNode>(_ node: Node) -> Node.T? {
        follow(node, isLoadable: false)
        return Hosting.followedByCaller { store.getOrNil(node) }
    }

    /// Returns the value of a node.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    public func useThrowingValue<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        follow(node, isLoadable: false)
        return try Hosting.followedByCaller { try store.get(node) }
    }

    /// Returns the value of a node that cannot fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    public func useUnsafeValue<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
        follow(node, isLoadable: false)
        return Hosting.followedByCaller { store.getUnsafe(node) }
    }

    /// Returns the state of a node. Starts to load it if necessary.
    ///
    /// - Parameter node: The node. Everything in its loadable is followed from now on.
    /// - Returns: A loadable that reads the store on each access.
    public func useLoadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
        follow(node, isLoadable: true)
        return Hosting.followedByCaller { store.loadable(node) }
    }

    // MARK: - Bindings

    /// Returns a binding that reads and writes a node.
    ///
    /// - Parameters:
    ///   - node: The node, followed from now on.
    ///   - value: The value of the binding while the node has none.
    /// - Returns: The binding. It may be used from any thread, and retains the store, not the scope.
    public func useBinding<Node: Writeable>(_ node: Node, default value: Node.T) -> Binding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return Binding(get: { store.getOrNil(node) ?? value }, set: { store.set(node, $0) })
    }

    /// Returns a binding that reads and writes a node that cannot fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The binding. It may be used from any thread, and retains the store, not the scope.
    /// - Precondition: The node has a value whenever the binding is read.
    public func useBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> Binding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return Binding(get: { store.getUnsafe(node) }, set: { store.set(node, $0) })
    }

    /// ``useBinding(_:)`` by another name.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The binding.
    /// - Precondition: The node has a value whenever the binding is read.
    public func useUnsafeBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> Binding<Node.T> { useBinding(node) }

    /// Returns a binding that reads and writes a node that may fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The binding. It may be used from any thread, and retains the store, not the scope.
    public func useThrowingBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> ThrowingBinding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return ThrowingBinding(get: { try store.get(node) }, set: { store.set(node, $0) })
    }

    // MARK: - Acting without following

    /// Returns a function that sets a node. The node is not followed.
    ///
    /// - Parameter node: The node.
    /// - Returns: The function. It may be called from any thread, and retains the store, not the scope.
    public func useUpdate<Node: Writeable>(_ node: Node) -> (Node.T) -> Void {
        let store = store
        return { store.set(node, $0) }
    }

    /// Returns a function that resets a node. The node is not followed.
    ///
    /// - Parameter node: The node.
    /// - Returns: The function. It may be called from any thread, and retains the store, not the scope.
    public func useReset<Node: Writeable>(_ node: Node) -> () -> Void {
        let store = store
        return { store.reset(node) }
    }

    /// Returns a function that reads and writes the store without following anything.
    ///
    /// - Parameter body: The body of the function. Called untracked, on the thread that calls the function; the
    ///   function does not lock the graph.
    /// - Returns: The function. It retains the store and `body`, not the scope.
    public func useCallback<R>(_ body: @escaping (RecoilCallbackContext) -> R) -> () -> R {
        let context = callbackContext
        return { untracked { body(context) } }
    }

    /// Returns a function of one parameter that reads and writes the store without following anything.
    ///
    /// - Parameter body: The body of the function. Called untracked, on the thread that calls the function; the
    ///   function does not lock the graph.
    /// - Returns: The function. It retains the store and `body`, not the scope.
    public func useCallback<P, R>(_ body: @escaping (RecoilCallbackContext, P) -> R) -> (P) -> R {
        let context = callbackContext
        return { parameter in untracked { body(context, parameter) } }
    }

    /// Returns a function of two parameters that reads and writes the store without following anything.
    ///
    /// - Parameter body: The body of the function. Called untracked, on the thread that calls the function; the
    ///   function does not lock the graph.
    /// - Returns: The function. It retains the store and `body`, not the scope.
    public func useCallback<P1, P2, R>(_ body: @escaping (RecoilCallbackContext, P1, P2) -> R) -> (P1, P2) -> R {
        let context = callbackContext
        return { first, second in untracked { body(context, first, second) } }
    }

    /// Returns an asynchronous function that reads and writes the store without following anything.
    ///
    /// - Parameter body: The body of the function. Runs in the task that calls the function.
    /// - Returns: The function. It retains the store and `body`, not the scope. To cancel work when the scope ends,
    ///   pass it to `store` of the context.
    public func useCallback<R>(
        _ body: @escaping (RecoilCallbackContext) async throws -> R
    ) -> () async throws -> R {
        let context = callbackContext
        return { try await body(context) }
    }

    /// Returns an asynchronous function of one parameter that reads and writes the store without following anything.
    ///
    /// - Parameter body: The body of the function. Runs in the task that calls the function.
    /// - Returns: The function. It retains the store and `body`, not the scope. To cancel work when the scope ends,
    ///   pass it to `store` of the context.
    public func useCallback<P, R>(
        _ body: @escaping (RecoilCallbackContext, P) async throws -> R
    ) -> (P) async throws -> R {
        let context = callbackContext
        return { try await body(context, $0) }
    }

    private var callbackContext: RecoilCallbackContext {
        RecoilCallbackContext(accessor: StateAccessor(store)) { [weak self] in self?.keep($0) }
    }

    private func keep(_ cancellable: AnyCancellable) {
        store.graph.withUntrackedLock { _ = cancellables.insert(cancellable) }
    }
}
