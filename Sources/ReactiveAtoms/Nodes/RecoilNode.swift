// Nodes: definitions without values. Stores keep the values.
//
//     RecoilNode
//     ├─ RecoilSyncNode      getValue(_:) throws              SyncSelectorNode, SyncAtomNode: getValue()
//     └─ RecoilAsyncNode     getValue(_:) async throws        AsyncSelectorNode, AsyncAtomNode: getValue()
//     Writeable              setValue(context:newValue:)      atoms, and selectors that can be written through

/// The definition of a piece of state. Stores keep the values.
///
/// Functions such as ``atom(_:named:retention:effects:function:fileID:line:column:)`` and `selector` create nodes.
/// Values of your own types are nodes if the types conform to ``SyncAtomNode``, ``AsyncAtomNode``, ``SyncSelectorNode``
/// or ``AsyncSelectorNode``:
///
/// ```swift
/// struct Greetings: SyncAtomNode {
///     func getValue() -> [String: String] { ["en": "Hello", "de": "Hallo"] }
/// }
///
/// struct Greeting: SyncSelectorNode {
///     let language: String
///     func getValue(_ accessor: StateGetter) throws -> String {
///         try accessor.get(Greetings())[language] ?? "?"
///     }
/// }
/// ```
///
/// Equal values of such a type are the same node.
public protocol RecoilNode<T>: Hashable, Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// The identity of the node in a store. For types of your own: their value.
    var key: NodeKey { get }

    /// The time for which a store keeps its instance of the node.
    var retention: Retention { get }

    /// Creates a store's instance of the node. The instance keeps the node's `_unretained`. For the compiler only; do
    /// not use it.
    func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T>

    /// The definition, which distinguishes two nodes of one source location. For the compiler only; do not use it.
    var _definition: _NodeDefinition { get }

    /// The node as a store keeps it: it does not count as a copy. For the compiler only; do not use it.
    var _unretained: Self { get }

    /// Whether `key` is a stored property, so that the node retains the references of the key. For the compiler only;
    /// do not use it.
    static var _storesKey: Bool { get }
}

extension RecoilNode {
    /// The identity that follows from the value.
    @inlinable
    public var key: NodeKey { NodeKey(self) }

    /// No definition: the value alone identifies the node. For the compiler only; do not use it.
    @inlinable
    public var _definition: _NodeDefinition { .none }

    /// The node itself. For the compiler only; do not use it.
    @inlinable
    public var _unretained: Self { self }

    /// The key may be created on each access. For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { false }
}

/// A node whose value is available immediately.
public protocol RecoilSyncNode<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value, or the default of an atom.
    ///
    /// - Parameter accessor: Reads other nodes. This node depends on them.
    func getValue(_ accessor: StateGetter) throws -> T
}

/// An asynchronous node.
public protocol RecoilAsyncNode<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Whether `data` keeps the previous value while a new one is loading after an input has changed. False by default.
    var keepPrevious: Bool { get }

    /// Returns the value, or the default of an atom.
    ///
    /// - Parameter accessor: Reads other nodes, before and after any `await`. This node depends on them.
    func getValue(_ accessor: StateGetter) async throws -> T

    /// The actor on which a store compares the inputs of a run. For the compiler only; do not use it.
    var _isolation: (any Actor)? { get }
}

extension RecoilAsyncNode {
    /// False: previous data are not shown as current.
    public var keepPrevious: Bool { false }

    /// No actor. For the compiler only; do not use it.
    public var _isolation: (any Actor)? { nil }
}

/// A node that can be written.
public protocol Writeable<T>: RecoilNode {
    /// The type of the value.
    associatedtype T

    /// Stores a new value, in one transaction. An atom keeps it; a selector passes it to other nodes.
    ///
    /// - Parameters:
    ///   - context: Reads and writes other nodes.
    ///   - newValue: The value.
    func setValue(context: MutableContext, newValue: T)
}

/// A node whose value is available immediately, and that can be written.
public typealias RecoilMutableSyncNode = RecoilSyncNode & Writeable
/// An asynchronous node that can be written.
public typealias RecoilMutableAsyncNode = RecoilAsyncNode & Writeable

// MARK: - Selectors

/// A selector of your own type: a value derived from other nodes.
///
/// ``RecoilSyncNode/getValue(_:)`` runs with the graph locked, when the value is needed and one of its inputs has
/// changed.
public protocol SyncSelectorNode<T>: RecoilSyncNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value or throws.
    ///
    /// - Parameter accessor: Reads other nodes. This node depends on them.
    func getValue(_ accessor: StateGetter) throws -> T
}

extension RecoilSyncNode {
    /// A selector is kept while it is observed.
    @inlinable
    public var retention: Retention { .whileObserved }

    /// Creates a store's instance of the node. For the compiler only; do not use it.
    @inlinable
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let instance = DefinedSelector(self, in: store)
        store.adopt(instance)
        return instance
    }
}

/// An asynchronous selector of your own type.
///
/// ``RecoilAsyncNode/getValue(_:)`` runs in a task of its own, one at a time for each store. If an input changes
/// meanwhile, the task is cancelled, its result is discarded, and it runs again.
public protocol AsyncSelectorNode<T>: RecoilAsyncNode {
    /// The type of the value.
    associatedtype T

    /// Returns the value or throws.
    ///
    /// - Parameter accessor: Reads other nodes, before and after any `await`. This node depends on them.
    func getValue(_ accessor: StateGetter) async throws -> T

    /// The results that are cached for earlier values of the inputs. The latest by default.
    var cache: CachePolicy { get }
}

extension AsyncSelectorNode {
    /// Keeps the latest result.
    public var cache: CachePolicy { .latest }

    /// A selector is kept while it is observed.
    public var retention: Retention { .whileObserved }

    /// Creates a store's instance of the node. For the compiler only; do not use it.
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

    /// The effects that run when a store first uses the atom. None by default.
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

    /// Creates a store's instance of the node. For the compiler only; do not use it.
    @inlinable
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        let instance = DefinedAtom(self, in: store)
        store.adopt(instance)
        instance.begin(for: trigger)
        return instance
    }
}

/// An atom of your own type whose default is asynchronous.
public protocol AsyncAtomNode<T>: RecoilAsyncNode, Writeable {
    /// The type of the value.
    associatedtype T

    /// The effects that run when a store first uses the atom. None by default.
    var effects: [AtomEffect<T>] { get }

    /// Returns the default. Runs in a task of its own, on first use and again on each reset. A value that is set
    /// meanwhile wins.
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

    /// Creates a store's instance of the node. For the compiler only; do not use it.
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
