// Selectors: `selector { accessor in try accessor.get(x) }`, writable ones, and asynchronous ones.

/// A value derived from other nodes, computed when it is needed and one of its inputs has changed.
///
/// ```swift
/// static var badge: Selector<String> {
///     selector { accessor in "\(try accessor.get(Cart.items).count)" }
/// }
/// ```
///
/// - If a new result equals the previous one, readers do not run.
/// - A thrown error is cached like a value. Each reader gets the same error until an input changes.
///
/// If the `Selector` of Objective-C is visible in a file, use the alias ``AtomSelector``.
@frozen
public struct Selector<T: Sendable>: SyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time, on the actor that
    // it was created on.

    /// The identity of the selector.
    public let key: NodeKey
    /// The time for which a store keeps the result.
    public let retention: Retention
    @usableFromInline let get: SelectorBody<T>
    @usableFromInline let origin: ClosureOrigin

    @inlinable @inline(__always)
    init(key: NodeKey, retention: Retention, _ get: SelectorBody<T>, _ origin: ClosureOrigin) {
        self.key = key
        self.retention = retention
        self.get = get
        self.origin = origin
    }

    /// Creates a selector from a closure that may run anywhere.
    init(key: NodeKey, retention: Retention, _ get: @escaping (StateGetter) throws -> T) {
        let closure = SelectorClosure(call: get)
        self.init(key: key, retention: retention, .single(closure), ClosureOrigin(of: closure))
    }

    /// Computes the value.
    ///
    /// - Precondition: The calling code runs on the actor that the selector's closure was created on, if there is one.
    @inlinable
    public func getValue(_ accessor: StateGetter) throws -> T {
        origin.require("selector", of: key)
        return try get.call(accessor, for: key)
    }

    /// For the compiler only; do not use it.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler only; do not use it.
    @inlinable
    public var _unretained: Self { Self(key: key.unretained, retention: retention, get, origin) }
}

/// An alias of ``Selector``, for files where the `Selector` of Objective-C is visible too.
public typealias AtomSelector = Selector

/// A selector that can be set.
@frozen
public struct MutableSelector<T: Sendable>: SyncSelectorNode, Writeable, @unchecked Sendable {
    // Sendable as `Selector` is.

    /// The identity of the selector.
    public let key: NodeKey
    /// The time for which a store keeps the result.
    public let retention: Retention
    @usableFromInline let get: SelectorClosure<T>
    @usableFromInline let set: (MutableContext, T) -> Void
    @usableFromInline let origin: ClosureOrigin

    @inlinable @inline(__always)
    init(
        key: NodeKey, retention: Retention, get: SelectorClosure<T>, set: @escaping (MutableContext, T) -> Void,
        _ origin: ClosureOrigin
    ) {
        self.key = key
        self.retention = retention
        self.get = get
        self.set = set
        self.origin = origin
    }

    /// Computes the value.
    ///
    /// - Precondition: The calling code runs on the actor that the selector's closures were created on, if there is
    ///   one.
    @inlinable
    public func getValue(_ accessor: StateGetter) throws -> T {
        origin.require("selector", of: key)
        return try get.call(accessor)
    }

    /// Passes a value to the nodes that the selector is derived from.
    ///
    /// - Precondition: The calling code runs on the actor that the selector's closures were created on, if there is
    ///   one.
    @inlinable
    public func setValue(context: MutableContext, newValue: T) {
        origin.require("the setter of selector", of: key)
        set(context, newValue)
    }

    /// For the compiler only; do not use it.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler only; do not use it.
    @inlinable
    public var _unretained: Self { Self(key: key.unretained, retention: retention, get: get, set: set, origin) }
}

/// A value derived asynchronously from other nodes.
///
/// See ``AsyncSelectorNode`` for how it runs.
public struct AsyncSelector<T: Sendable>: AsyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure runs on the actor that it was created on.

    /// The identity of the selector.
    public let key: NodeKey
    /// The time for which a store keeps the result.
    public let retention: Retention
    /// The results that are cached for earlier values of the inputs.
    public let cache: CachePolicy
    /// Whether `data` keeps the previous value while a new one is loading after an input has changed.
    public let keepPrevious: Bool
    private let get: AsyncSelectorClosure<T>
    private let origin: ClosureOrigin

    init(
        key: NodeKey, retention: Retention, cache: CachePolicy, keepPrevious: Bool, _ get: AsyncSelectorClosure<T>,
        _ origin: ClosureOrigin
    ) {
        self.key = key
        self.retention = retention
        self.cache = cache
        self.keepPrevious = keepPrevious
        self.get = get
        self.origin = origin
    }

    /// Creates a selector from a closure that may run anywhere.
    init(
        key: NodeKey, retention: Retention, cache: CachePolicy, keepPrevious: Bool,
        _ get: @escaping (StateGetter) async throws -> T
    ) {
        let closure = AsyncSelectorClosure(call: get)
        self.init(
            key: key, retention: retention, cache: cache, keepPrevious: keepPrevious, closure,
            ClosureOrigin(of: closure))
    }

    /// Computes the value.
    public func getValue(_ accessor: StateGetter) async throws -> T { try await get.call(accessor) }

    /// Creates a store's instance of the selector. For the compiler only; do not use it.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        // Does not call `getValue`, which would leave the actor of the run, only for the closure to return to it.
        let selector = _unretained
        let instance = AsyncInstance(selector, isAtom: false, cache: cache, effects: [], in: store) {
            try await selector.get.call($0)
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }

    /// For the compiler only; do not use it.
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler only; do not use it.
    public var _isolation: (any Actor)? { origin.isolation?.actor }

    /// For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler only; do not use it.
    public var _unretained: Self {
        Self(
            key: key.unretained, retention: retention, cache: cache, keepPrevious: keepPrevious, get, origin)
    }
}

extension Selector {
    /// Whether both are the same node.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Hashes the identity of the node.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension MutableSelector {
    /// Whether both are the same node.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Hashes the identity of the node.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AsyncSelector {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Hashes the identity of the node.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Defines a selector.
///
/// - Parameters:
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Returns the value or throws. Runs with the graph locked, on the reader's thread. If it belongs to an
///     actor and would have to run elsewhere, the program stops; a current result can be read anywhere.
/// - Returns: The definition; results live in stores.
@inlinable
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (StateGetter) throws -> T
) -> Selector<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let closure = SelectorClosure(call: getBody)
    return Selector(
        key: NodeKey(type: Selector<T>.self, location: location, name: name), retention: retention, .single(closure),
        ClosureOrigin(of: closure, on: isolation))
}

/// Defines an asynchronous selector.
///
/// - Parameters:
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the result.
///   - cache: The results that are cached for earlier values of the inputs.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Returns the value or throws. Runs in a task of its own, in the isolation that created it.
/// - Returns: The definition; results live in stores.
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let closure = AsyncSelectorClosure(call: getBody)
    return AsyncSelector(
        key: NodeKey(type: AsyncSelector<T>.self, location: location, name: name), retention: retention, cache: cache,
        keepPrevious: keepPrevious, closure, ClosureOrigin(of: closure, on: isolation))
}

/// Defines a selector that can be set.
///
/// ```swift
/// let fahrenheit = atom(32)
/// let celsius = selector(
///     get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
///     set: { context, newValue in context.set(fahrenheit, newValue * 9 / 5 + 32) })
/// ```
///
/// Resetting it calls the setter too, and resets the nodes that the setter would set; see ``RecoilStore/reset(_:)``.
///
/// - Parameters:
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the result.
///   - getBody: Returns the value or throws. Runs with the graph locked, on the reader's thread.
///   - setBody: Passes a new value to other nodes. Runs in a transaction, on the writer's thread.
///   - isolation: The actor that both closures belong to; by default the caller's. If one of them would have to run
///     elsewhere, the program stops. `nil` for closures that may run anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
/// - Returns: The definition; results live in stores.
@inlinable
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, get getBody: @escaping (StateGetter) throws -> T,
    set setBody: @escaping (MutableContext, T) -> Void, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelector<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let closure = SelectorClosure(call: getBody)
    return MutableSelector(
        key: NodeKey(type: MutableSelector<T>.self, location: location, name: name), retention: retention, get: closure,
        set: setBody, ClosureOrigin(of: closure, on: isolation))
}
