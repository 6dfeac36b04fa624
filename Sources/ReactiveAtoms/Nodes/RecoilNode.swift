// What a node is: a definition, without a value. Values live in stores.
//
//     RecoilNode
//     ├─ RecoilSyncNode      getValue(_:) throws              SyncSelectorNode, SyncAtomNode: getValue()
//     └─ RecoilAsyncNode     getValue(_:) async throws        AsyncSelectorNode, AsyncAtomNode: getValue()
//     Writeable              setValue(context:newValue:)      atoms, and selectors that can be written through

/// A piece of state that stores can hold: the definition of it, not the value.
///
/// Nodes are made by ``atom(_:named:retention:effects:function:fileID:line:column:)``, `selector` and their like, or are values of
/// your own types that conform to ``SyncAtomNode``, ``AsyncAtomNode``, ``SyncSelectorNode`` or ``AsyncSelectorNode``:
///
/// ```swift
/// struct Greetings: SyncAtomNode {
///     func getValue() -> [String: String] { ["en": "Hello", "de": "Hallo"] }
/// }
///
/// struct Greeting: SyncSelectorNode {
///     let language: String
///     func getValue(_ accessor: StateGetter) throws -> String { try accessor.get(Greetings())[language] ?? "?" }
/// }
/// ```
///
/// Equal values of such a type are the same node.
public protocol RecoilNode<T>: Hashable, Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// What identifies the node in a store. For types of your own: their value.
    var key: NodeKey { get }

    /// How long a store keeps what it holds of the node.
    var retention: Retention { get }

    /// Creates what a store keeps of the node, from what is `_unretained` of it. For the compiler's sake; not for use.
    func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T>

    /// What tells two nodes of one source location apart. For the compiler's sake; not for use.
    var _definition: _NodeDefinition { get }

    /// The node as a store keeps it: it does not count as a copy. For the compiler's sake; not for use.
    var _unretained: Self { get }

    /// Whether `key` is a stored property, so that the node keeps what the key refers to. For the compiler's sake; not
    /// for use.
    static var _storesKey: Bool { get }
}

extension RecoilNode {
    /// The identity that the value implies.
    @inlinable
    public var key: NodeKey { NodeKey(self) }

    /// The value tells all. For the compiler's sake; not for use.
    @inlinable
    public var _definition: _NodeDefinition { .none }

    /// The node itself. For the compiler's sake; not for use.
    @inlinable
    public var _unretained: Self { self }

    /// The key may be created on each access. For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { false }
}

/// A node whose value is there at once.
public protocol RecoilSyncNode<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value, or the default of an atom.
    ///
    /// - Parameter accessor: Reads other nodes, and makes this one depend on them.
    func getValue(_ accessor: StateGetter) throws -> T
}

/// A node whose value takes its time.
public protocol RecoilAsyncNode<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Whether `data` keeps the previous value while a new one is loading after an input has changed. By default it does not.
    var keepPrevious: Bool { get }

    /// Returns the value, or the default of an atom.
    ///
    /// - Parameter accessor: Reads other nodes, before and after any `await`, and makes this one depend on them.
    func getValue(_ accessor: StateGetter) async throws -> T

    /// The actor on which a store compares what a run has read. For the compiler's sake; not for use.
    var _isolation: (any Actor)? { get }
}

extension RecoilAsyncNode {
    /// Shows no previous data as the present one.
    public var keepPrevious: Bool { false }

    /// No actor. For the compiler's sake; not for use.
    public var _isolation: (any Actor)? { nil }
}

/// A node that can be written.
public protocol Writeable<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Stores a new value, in one transaction. An atom keeps it; a selector passes it on to others.
    ///
    /// - Parameters:
    ///   - context: Reads and writes other nodes.
    ///   - newValue: The value.
    func setValue(context: MutableContext, newValue: T)
}

/// A node whose value is there at once, and that can be written.
public typealias RecoilMutableSyncNode = RecoilSyncNode & Writeable
/// A node whose value takes its time, and that can be written.
public typealias RecoilMutableAsyncNode = RecoilAsyncNode & Writeable

// MARK: - Selectors

/// A selector of your own type: a value derived from other nodes.
///
/// ``RecoilSyncNode/getValue(_:)`` runs with the graph locked, when somebody needs the value and something that it read has changed.
public protocol SyncSelectorNode<T>: RecoilSyncNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value or throws.
    ///
    /// - Parameter accessor: Reads other nodes, and makes this one depend on them.
    func getValue(_ accessor: StateGetter) throws -> T
}

extension RecoilSyncNode {
    /// A selector is kept while it is observed.
    @inlinable
    public var retention: Retention { .whileObserved }

    /// Creates what a store keeps of the node. For the compiler's sake; not for use.
    @inlinable
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let instance = DefinedSelector(self, in: store)
        store.adopt(instance)
        return instance
    }
}

/// A selector of your own type whose value takes its time.
///
/// ``RecoilAsyncNode/getValue(_:)`` runs in a task of its own, one at a time for each store. If something that it read changes meanwhile, the
/// task is cancelled, what it returns is dropped, and it runs again.
public protocol AsyncSelectorNode<T>: RecoilAsyncNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value or throws.
    ///
    /// - Parameter accessor: Reads other nodes, before and after any `await`, and makes this one depend on them.
    func getValue(_ accessor: StateGetter) async throws -> T

    /// Which results are kept for inputs that come back. By default the latest.
    var cache: CachePolicy { get }
}

extension AsyncSelectorNode {
    /// Keeps the latest result.
    public var cache: CachePolicy { .latest }

    /// A selector is kept while it is observed.
    public var retention: Retention { .whileObserved }

    /// Creates what a store keeps of the node. For the compiler's sake; not for use.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let node = _unretained
        let instance = AsyncInstance(node, isAtom: false, cache: cache, effects: [], in: store) {
            try await node.getValue($0)
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }
}

// MARK: - Atoms

/// An atom of your own type: a value that is set.
public protocol SyncAtomNode<T>: RecoilSyncNode, Writeable {
    /// The type of the value.
    associatedtype T

    /// What runs when a store first uses the atom. By default nothing.
    var effects: [AtomEffect<T>] { get }

    /// Returns the default. Called once in each store, on first use, and again on each reset.
    func getValue() throws -> T
}

extension SyncAtomNode {
    /// An atom is kept as long as the store.
    @inlinable
    public var retention: Retention { .store }

    /// No effects.
    @inlinable
    public var effects: [AtomEffect<T>] { [] }

    /// The default.
    @inlinable
    public func getValue(_ accessor: StateGetter) throws -> T { try getValue() }

    /// Keeps the value.
    @inlinable
    public func setValue(context: MutableContext, newValue: T) { context.assign(newValue, to: self) }

    /// Creates what a store keeps of the node. For the compiler's sake; not for use.
    @inlinable
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let instance = DefinedAtom(self, in: store)
        store.adopt(instance)
        instance.begin(for: trigger)
        return instance
    }
}

/// An atom of your own type whose default takes its time.
public protocol AsyncAtomNode<T>: RecoilAsyncNode, Writeable {
    /// The type of the value.
    associatedtype T

    /// What runs when a store first uses the atom. By default nothing.
    var effects: [AtomEffect<T>] { get }

    /// Returns the default. Runs in a task of its own, on first use and again on each reset. A value that is set meanwhile wins.
    func getValue() async throws -> T
}

extension AsyncAtomNode {
    /// An atom is kept as long as the store.
    public var retention: Retention { .store }

    /// No effects.
    public var effects: [AtomEffect<T>] { [] }

    /// The default.
    public func getValue(_ accessor: StateGetter) async throws -> T { try await getValue() }

    /// Keeps the value.
    public func setValue(context: MutableContext, newValue: T) { context.assign(newValue, to: self) }

    /// Creates what a store keeps of the node. For the compiler's sake; not for use.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let node = _unretained
        let instance = AsyncInstance(node, isAtom: true, cache: .latest, effects: effects, in: store) {
            try await node.getValue($0)
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }
}
