// What a view holds of a store: it notes what the view uses, and asks it to refresh when that changes.

public import Reactive

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
/// - It follows until it is released.
public final class ScopedRecoilContext {
    /// The store.
    public private(set) var store: RecoilStore
    /// Is called when what was used has changed. Outside the lock.
    public var onRefresh: (() -> Void)?

    /// Is told which nodes have changed, before the refresh.
    package var onChange: (([NodeKey]) -> Void)?

    private let uses = Observable<[NodeKey: Use]>([:], equals: .never, named: "used nodes")
    private var cancellables: Set<AnyCancellable> = []
    /// Counts the refreshes.
    private var generation = 0
    private var reaction: Reaction?

    /// A node that the view uses.
    private struct Use {
        /// In which generation it was used last.
        var generation: Int
        /// Follows all that a loadable says, not only the data.
        var isLoadable: Bool
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
        let rule = Equality<[NodeKey: [UInt64]]> { old, new in Self.changed(old, new).isEmpty }
        let uses = uses
        reaction = detached {
            Reactive.reaction(named: "scope", equals: rule, isolation: isolation) {
                uses.value.mapValues { $0.stamp($0.isLoadable) }
            } onChange: { [weak self] new, old in
                self?.noteChange(of: Self.changed(old, new))
            }
        }
    }

    deinit { reaction?.cancel() }

    /// Turns to another store, as if nothing had been used yet.
    package func startOver(with store: RecoilStore) {
        self.store = store
        generation = 0
        cancellables = []
        uses.value = [:]
    }

    /// The nodes that are in both and differ.
    private static func changed(_ old: [NodeKey: [UInt64]], _ new: [NodeKey: [UInt64]]) -> [NodeKey] {
        new.compactMap { key, stamp in
            guard let before = old[key], before != stamp else { return nil }
            return key
        }
    }

    private func noteChange(of nodes: [NodeKey]) {
        guard !nodes.isEmpty else { return }
        let current = generation
        generation += 1
        let idle = untracked { uses.value }.filter { $0.value.generation < current }
        if !idle.isEmpty { uses.value = untracked { uses.value }.filter { $0.value.generation >= current } }
        onChange?(nodes)
        onRefresh?()
    }

    private func follow<Node: RecoilNode>(_ node: Node, isLoadable: Bool) {
        untracked {
            let key = node.key
            if let known = uses.value[key] {
                if known.generation == generation, known.isLoadable || !isLoadable { return }
                uses.value[key]?.generation = generation
                if isLoadable { uses.value[key]?.isLoadable = true }
                return
            }
            let stamp: (Bool) -> [UInt64] = { [weak store] isLoadable in
                guard let store else { return [] }
                let kind: AnyRun.Dependency.Kind = isLoadable ? .loadable : .value
                let found = try? StateGetter(.store(store)).reading(node, as: kind) { instance in
                    try instance.follow()
                    // Of a value that takes its time, only the data count here; but they come and go with the content.
                    return [instance.serial] + (try instance.stamp(of: kind) ?? [])
                }
                return found ?? []
            }
            uses.value[key] = Use(generation: generation, isLoadable: isLoadable, stamp: stamp)
        }
    }

    // MARK: - Values

    /// The value of a node, or `nil` if there is none now.
    public func useValue<Node: RecoilNode>(_ node: Node) -> Node.T? {
        follow(node, isLoadable: false)
        return store.getOrNil(node)
    }

    /// The value of a node.
    ///
    /// - Throws: What the node throws.
    public func useThrowingValue<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        follow(node, isLoadable: false)
        return try store.get(node)
    }

    /// The value of a node that cannot fail.
    ///
    /// - Precondition: The node has a value.
    public func useUnsafeValue<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
        follow(node, isLoadable: false)
        return store.getUnsafe(node)
    }

    /// Where a node stands.
    public func useLoadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
        follow(node, isLoadable: true)
        return store.loadable(node)
    }

    // MARK: - Bindings

    /// A binding that reads and writes a node.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - value: What it reads while the node has no value.
    public func useBinding<Node: Writeable>(_ node: Node, default value: Node.T) -> Binding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return Binding(get: { store.getOrNil(node) ?? value }, set: { store.set(node, $0) })
    }

    /// A binding that reads and writes a node that cannot fail.
    ///
    /// - Precondition: The node has a value whenever the binding is read.
    public func useBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> Binding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return Binding(get: { store.getUnsafe(node) }, set: { store.set(node, $0) })
    }

    /// ``useBinding(_:)`` by another name.
    public func useUnsafeBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> Binding<Node.T> { useBinding(node) }

    /// A way to read and write a node that may fail.
    public func useThrowingBinding<Node: RecoilMutableSyncNode>(_ node: Node) -> ThrowingBinding<Node.T> {
        follow(node, isLoadable: false)
        let store = store
        return ThrowingBinding(get: { try store.get(node) }, set: { store.set(node, $0) })
    }

    // MARK: - Acting without following

    /// A function that sets a node. The node is not followed.
    public func useUpdate<Node: Writeable>(_ node: Node) -> (Node.T) -> Void {
        let store = store
        return { store.set(node, $0) }
    }

    /// A function that resets a node. The node is not followed.
    public func useReset<Node: Writeable>(_ node: Node) -> () -> Void {
        let store = store
        return { store.reset(node) }
    }

    /// A function that reads and writes the store without following anything.
    ///
    /// - Parameter body: What it does.
    public func useCallback<R>(_ body: @escaping (RecoilCallbackContext) -> R) -> () -> R {
        let context = callbackContext
        return { body(context) }
    }

    /// A function of one parameter that reads and writes the store without following anything.
    public func useCallback<P, R>(_ body: @escaping (RecoilCallbackContext, P) -> R) -> (P) -> R {
        let context = callbackContext
        return { body(context, $0) }
    }

    /// A function of two parameters that reads and writes the store without following anything.
    public func useCallback<P1, P2, R>(_ body: @escaping (RecoilCallbackContext, P1, P2) -> R) -> (P1, P2) -> R {
        let context = callbackContext
        return { body(context, $0, $1) }
    }

    /// A function that takes its time, and reads and writes the store without following anything.
    public func useCallback<R>(
        _ body: @escaping (RecoilCallbackContext) async throws -> R
    ) -> () async throws -> R {
        let context = callbackContext
        return { try await body(context) }
    }

    /// A function of one parameter that takes its time, and reads and writes the store without following anything.
    public func useCallback<P, R>(
        _ body: @escaping (RecoilCallbackContext, P) async throws -> R
    ) -> (P) async throws -> R {
        let context = callbackContext
        return { try await body(context, $0) }
    }

    private var callbackContext: RecoilCallbackContext {
        RecoilCallbackContext(accessor: StateAccessor(store)) { [weak self] in self?.cancellables.insert($0) }
    }
}

/// What a callback is handed.
public struct RecoilCallbackContext {
    /// Reads and writes the store.
    public let accessor: StateAccessor
    /// Keeps something cancellable as long as the scope.
    public let store: (AnyCancellable) -> Void

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - accessor: Reads and writes the store.
    ///   - store: Keeps something cancellable.
    public init(accessor: StateAccessor, store: @escaping (AnyCancellable) -> Void) {
        self.accessor = accessor
        self.store = store
    }

    /// The value of a node.
    ///
    /// - Throws: What the node throws.
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try accessor.get(node) }

    /// The value of a node that takes its time, once it has settled.
    ///
    /// - Throws: What the node throws.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await accessor.get(node)
    }

    /// Sets a node.
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) { accessor.set(node, newValue) }
}

extension Cancellable {
    /// Keeps this running as long as the scope that made the callback.
    public func store(in context: RecoilCallbackContext) { context.store(AnyCancellable(self)) }
}

/// A way to read and write a value whose reading may fail.
public struct ThrowingBinding<Value> {
    private let get: () throws -> Value
    private let set: (Value) -> Void

    /// Creates a binding from a way to read and a way to write.
    ///
    /// - Parameters:
    ///   - get: Returns the value or throws.
    ///   - set: Stores a value.
    public init(get: @escaping () throws -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// The value.
    public var wrappedValue: Value {
        get throws { try get() }
    }

    /// The value, or `nil` if reading it fails. Setting `nil` does nothing.
    public var value: Value? {
        get { try? get() }
        nonmutating set { if let newValue { set(newValue) } }
    }

    /// The value of what cannot fail.
    ///
    /// - Precondition: Reading does not fail.
    public var unsafeValue: Value {
        do {
            return try get()
        } catch {
            fatalError("ReactiveAtoms: unsafeValue found an error: \(error). Use `wrappedValue` to handle it.")
        }
    }
}
