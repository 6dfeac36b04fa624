// What a view holds of a store: it notes what the view uses, and asks it to refresh when that changes.

#if canImport(SwiftUI)
import Reactive
public import struct SwiftUI.Binding
#else
public import Reactive
#endif

/// A store as a view uses it: what is used is followed, and when it changes the view is asked to refresh.
///
/// ```swift
/// let recoil = ScopedRecoilContext(store: store) { print("refresh") }
/// print(recoil.useValue(count) ?? 0)  // prints "1"
/// store.set(count, 2)                 // prints "refresh"
/// ```
///
/// - Several changes in one transaction ask for one refresh.
/// - What was not used between two refreshes is no longer followed.
/// - The refresh happens in the isolation that made the context: at once when the write happens there, else after one hop.
/// - It follows until it is released. What callbacks have left in its keeping is cancelled then: in the isolation that created it, elsewhere by a hop.
public final class ScopedRecoilContext {
    /// The store.
    public private(set) var store: RecoilStore
    /// Is called when what was used has changed. Outside the lock.
    public var onRefresh: (() -> Void)?

    /// Is told which nodes have changed, before the refresh.
    package var onChange: (([NodeKey]) -> Void)?

    /// Whether a refresh comes some time after it was asked for, and says so by `beginRefresh`.
    var refreshesLater = false
    /// Whether there has been one since the last change.
    private var hasRefreshed = true

    /// What the view uses. Guarded by the graph's lock.
    private var uses: [NodeKey: Use] = [:]
    /// Tells the reaction that there are other nodes to follow.
    private let rearranged: Observable<Int>
    /// What callbacks keep in it. Guarded by the graph's lock.
    private var cancellables: Set<AnyCancellable> = []
    /// The actor that the scope was created on, if there is one.
    private let isolation: ClosureIsolation?
    /// Counts the refreshes.
    private var generation = 0
    private var reaction: Reaction?

    /// A node that the view uses.
    private struct Use {
        /// In which generation it was used last.
        var generation: Int
        /// Follows all that a loadable says, not only the data.
        var isLoadable: Bool
        /// What the view has seen of it, or has been told of.
        var seen: [UInt64] = []
        /// Says which instance this is and which version of it, after reading it.
        let stamp: (_ isLoadable: Bool) -> [UInt64]
    }

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isolation: The actor that refreshes; by default the caller's.
    ///   - onRefresh: Is called when what was used has changed. Outside the lock.
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
            // What callbacks keep ends where they were called.
            let kept = Guarded(cancellables)
            Isolation.hop(to: actor) { _ = kept.exchange(for: []) }
        }
    }

    /// The view begins to refresh.
    func beginRefresh() { store.graph.withUntrackedLock { hasRefreshed = true } }

    /// Turns to another store, of the same graph, as if nothing had been used yet.
    package func startOver(with store: RecoilStore) {
        // The end of the old one reaches this scope, which is then to find the new one.
        let old = self.store
        defer { withExtendedLifetime(old) {} }
        self.store = store
        // Freed outside the lock, since that cancels them.
        var kept: Set<AnyCancellable> = []
        defer { withExtendedLifetime(kept) {} }
        store.graph.withUntrackedLock {
            swap(&kept, &cancellables)
            generation = 0
            uses = [:]
            rearranged.value += 1
        }
    }

    /// Reads all that is used. Tracked, under the lock.
    private func followUses() -> [NodeKey: [UInt64]] {
        _ = rearranged.value
        return uses.mapValues { $0.stamp($0.isLoadable) }
    }

    /// Something has changed, or other nodes are used.
    private func noteChange(_ stamps: [NodeKey: [UInt64]]) {
        let changed = store.graph.withUntrackedLock {
            let changed = stamps.filter { key, stamp in uses[key].map { $0.seen != stamp } ?? false }
            guard !changed.isEmpty else { return changed }
            for (key, stamp) in changed { uses[key]?.seen = stamp }
            // As long as the view has not looked, it is unknown what it will use.
            guard !refreshesLater || hasRefreshed else { return changed }
            hasRefreshed = false
            // What the last refresh did not use will not be followed any more.
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

    /// The value of a node, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    public func useValue<Node: RecoilNode>(_ node: Node) -> Node.T? {
        follow(node, isLoadable: false)
        return Hosting.followedByCaller { store.getOrNil(node) }
    }

    /// The value of a node.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func useThrowingValue<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        follow(node, isLoadable: false)
        return try Hosting.followedByCaller { try store.get(node) }
    }

    /// The value of a node that cannot fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    public func useUnsafeValue<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
        follow(node, isLoadable: false)
        return Hosting.followedByCaller { store.getUnsafe(node) }
    }

    /// Where a node stands. Starts loading it if need be.
    ///
    /// - Parameter node: The node. All that the loadable says is followed from now on.
    /// - Returns: A loadable that looks at the store each time it is asked.
    public func useLoadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
        follow(node, isLoadable: true)
        return Hosting.followedByCaller { store.loadable(node) }
    }

    // MARK: - Bindings

    /// A binding that reads and writes a node.
    ///
    /// - Parameters:
    ///   - node: The node, followed from now on.
    ///   - value: What it reads while the node has no value.
    /// - Returns: The binding. It may be used from any thread, and keeps the store, not the scope.
    public func useBinding<Node: Writeable>(_ node: Node, default value: Node.T) -> Binding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return Binding(get: { store.getOrNil(node) ?? value }, set: { store.set(node, $0) })
    }

    /// A binding that reads and writes a node that cannot fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The binding. It may be used from any thread, and keeps the store, not the scope.
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

    /// A way to read and write a node that may fail.
    ///
    /// - Parameter node: The node, followed from now on.
    /// - Returns: The binding. It may be used from any thread, and keeps the store, not the scope.
    public func useThrowingBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> ThrowingBinding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return ThrowingBinding(get: { try store.get(node) }, set: { store.set(node, $0) })
    }

    // MARK: - Acting without following

    /// A function that sets a node. The node is not followed.
    ///
    /// - Parameter node: The node.
    /// - Returns: The function. It may be called from any thread, and keeps the store, not the scope.
    public func useUpdate<Node: Writeable>(_ node: Node) -> (Node.T) -> Void {
        let store = store
        return { store.set(node, $0) }
    }

    /// A function that resets a node. The node is not followed.
    ///
    /// - Parameter node: The node.
    /// - Returns: The function. It may be called from any thread, and keeps the store, not the scope.
    public func useReset<Node: Writeable>(_ node: Node) -> () -> Void {
        let store = store
        return { store.reset(node) }
    }

    /// A function that reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does. Called untracked, on the thread that calls the function; the graph is not locked for it.
    /// - Returns: The function. It keeps the store and `body`, not the scope.
    public func useCallback<R>(_ body: @escaping (RecoilCallbackContext) -> R) -> () -> R {
        let context = callbackContext
        return { untracked { body(context) } }
    }

    /// A function of one parameter that reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does. Called untracked, on the thread that calls the function; the graph is not locked for it.
    /// - Returns: The function. It keeps the store and `body`, not the scope.
    public func useCallback<P, R>(_ body: @escaping (RecoilCallbackContext, P) -> R) -> (P) -> R {
        let context = callbackContext
        return { parameter in untracked { body(context, parameter) } }
    }

    /// A function of two parameters that reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does. Called untracked, on the thread that calls the function; the graph is not locked for it.
    /// - Returns: The function. It keeps the store and `body`, not the scope.
    public func useCallback<P1, P2, R>(_ body: @escaping (RecoilCallbackContext, P1, P2) -> R) -> (P1, P2) -> R {
        let context = callbackContext
        return { first, second in untracked { body(context, first, second) } }
    }

    /// A function that takes its time, and reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does, in the task that calls the function.
    /// - Returns: The function. It keeps the store and `body`, not the scope; to end what it has begun with the scope, hand it to `store` of the
    ///   context.
    public func useCallback<R>(
        _ body: @escaping (RecoilCallbackContext) async throws -> R
    ) -> () async throws -> R {
        let context = callbackContext
        return { try await body(context) }
    }

    /// A function of one parameter that takes its time, and reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does, in the task that calls the function.
    /// - Returns: The function. It keeps the store and `body`, not the scope; to end what it has begun with the scope, hand it to `store` of the
    ///   context.
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
