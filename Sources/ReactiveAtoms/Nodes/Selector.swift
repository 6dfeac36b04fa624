// Selectors: `selector { accessor in try accessor.get(x) }`, writable ones, and asynchronous ones.

/// A value derived from other nodes, computed when somebody needs it and something that it read has changed.
///
/// ```swift
/// static var badge: Selector<String> {
///     selector { accessor in "\(try accessor.get(Cart.items).count)" }
/// }
/// ```
///
/// - Equal results go no further.
/// - A thrown error is kept like a value, reaches whoever reads the selector as it is, and is gone once an input changes.
///
/// Where the `Selector` of Objective-C is visible, ``AtomSelector`` is the same type without the ambiguity.
@frozen
public struct Selector<T: Sendable>: SyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time, on the actor that
    // it was created on.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
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

    /// Of a closure that may run anywhere.
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

    /// For the compiler's sake; not for use.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler's sake; not for use.
    @inlinable
    public var _unretained: Self { Self(key: key.unretained, retention: retention, get, origin) }
}

/// ``Selector`` by another name, for files where the `Selector` of Objective-C is visible too.
public typealias AtomSelector = Selector

/// A selector that can be written through.
@frozen
public struct MutableSelector<T: Sendable>: SyncSelectorNode, Writeable, @unchecked Sendable {
    // Sendable as `Selector` is.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
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

    /// Passes a value on to what the selector is derived from.
    ///
    /// - Precondition: The calling code runs on the actor that the selector's closures were created on, if there is
    ///   one.
    @inlinable
    public func setValue(context: MutableContext, newValue: T) {
        origin.require("the setter of selector", of: key)
        set(context, newValue)
    }

    /// For the compiler's sake; not for use.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler's sake; not for use.
    @inlinable
    public var _unretained: Self { Self(key: key.unretained, retention: retention, get: get, set: set, origin) }
}

/// A value derived from other nodes that takes its time.
///
/// See ``AsyncSelectorNode`` for how it runs.
public struct AsyncSelector<T: Sendable>: AsyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure goes to the actor that it was created on.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
    public let retention: Retention
    /// Which results are kept for inputs that come back.
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

    /// Of a closure that may run anywhere.
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

    /// Creates what a store keeps of the selector. For the compiler's sake; not for use.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        // Past `getValue`, which leaves the actor of the run, only for the closure to return to it.
        let selector = _unretained
        let instance = AsyncInstance(selector, isAtom: false, cache: cache, effects: [], in: store) {
            try await selector.get.call($0)
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }

    /// For the compiler's sake; not for use.
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler's sake; not for use.
    public var _isolation: (any Actor)? { origin.isolation?.actor }

    /// For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler's sake; not for use.
    public var _unretained: Self {
        Self(
            key: key.unretained, retention: retention, cache: cache, keepPrevious: keepPrevious, get, origin)
    }
}

extension Selector {
    /// Whether both are the same node.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension MutableSelector {
    /// Whether both are the same node.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AsyncSelector {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Defines a selector.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value or throws. Runs with the graph locked, on the reader's thread. If it belongs to an
///     actor, the program stops where it would have to run elsewhere; a result that is still current can be read
///     anywhere.
/// - Returns: The definition; results live in stores.
@inlinable
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (StateGetter) throws -> T
) -> Selector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let closure = SelectorClosure(call: getBody)
    return Selector(
        key: NodeKey(type: Selector<T>.self, place: place, name: name), retention: retention, .single(closure),
        ClosureOrigin(of: closure, on: isolation))
}

/// Defines a selector that takes its time.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the result.
///   - cache: Which results are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value or throws. Runs in a task of its own, in the isolation that made it.
/// - Returns: The definition; results live in stores.
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let closure = AsyncSelectorClosure(call: getBody)
    return AsyncSelector(
        key: NodeKey(type: AsyncSelector<T>.self, place: place, name: name), retention: retention, cache: cache,
        keepPrevious: keepPrevious, closure, ClosureOrigin(of: closure, on: isolation))
}

/// Defines a selector that can be written through.
///
/// ```swift
/// let fahrenheit = atom(32)
/// let celsius = selector(
///     get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
///     set: { context, newValue in context.set(fahrenheit, newValue * 9 / 5 + 32) })
/// ```
///
/// Resetting it calls the setter too, and resets what that would set; see ``RecoilStore/reset(_:)``.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the result.
///   - getBody: Returns the value or throws. Runs with the graph locked, on the reader's thread.
///   - setBody: Passes a new value on. Runs in a transaction, on the writer's thread.
///   - isolation: The actor that both closures belong to; by default the caller's. The program stops where one of them
///     would have to run elsewhere. `nil` for closures that may run anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
/// - Returns: The definition; results live in stores.
@inlinable
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, get getBody: @escaping (StateGetter) throws -> T,
    set setBody: @escaping (MutableContext, T) -> Void, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let closure = SelectorClosure(call: getBody)
    return MutableSelector(
        key: NodeKey(type: MutableSelector<T>.self, place: place, name: name), retention: retention, get: closure,
        set: setBody, ClosureOrigin(of: closure, on: isolation))
}
