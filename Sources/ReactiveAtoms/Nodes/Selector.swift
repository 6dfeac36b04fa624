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
public struct Selector<T: Sendable>: SyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time; what it captures besides state must
    // be safe to use from there, as in a computed of the core.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
    public let retention: Retention
    private let get: (StateGetter) throws -> T

    init(key: NodeKey, retention: Retention, _ get: @escaping (StateGetter) throws -> T) {
        self.key = key
        self.retention = retention
        self.get = get
    }

    /// Computes the value.
    public func getValue(_ accessor: StateGetter) throws -> T { try get(accessor) }
}

/// A selector that can be written through.
public struct MutableSelector<T: Sendable>: SyncSelectorNode, Writeable, @unchecked Sendable {
    // Sendable as `Selector` is.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
    public let retention: Retention
    private let get: (StateGetter) throws -> T
    private let set: (MutableContext, T) -> Void

    init(
        key: NodeKey, retention: Retention, get: @escaping (StateGetter) throws -> T,
        set: @escaping (MutableContext, T) -> Void
    ) {
        self.key = key
        self.retention = retention
        self.get = get
        self.set = set
    }

    /// Computes the value.
    public func getValue(_ accessor: StateGetter) throws -> T { try get(accessor) }

    /// Passes a value on to what the selector is derived from.
    public func setValue(context: MutableContext, newValue: T) { set(context, newValue) }
}

/// A value derived from other nodes that takes its time.
///
/// See ``AsyncSelectorNode`` for how it runs.
public struct AsyncSelector<T: Sendable>: AsyncSelectorNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure runs in the isolation that made it; what it captures must be safe to use from there.

    /// What identifies the selector.
    public let key: NodeKey
    /// How long a store keeps the result.
    public let retention: Retention
    /// Which results are kept for inputs that come back.
    public let cache: CachePolicy
    /// Whether `data` keeps the previous value while a new one is loading after an input has changed.
    public let keepPrevious: Bool
    private let get: (StateGetter) async throws -> T

    init(
        key: NodeKey, retention: Retention, cache: CachePolicy, keepPrevious: Bool,
        _ get: @escaping (StateGetter) async throws -> T
    ) {
        self.key = key
        self.retention = retention
        self.cache = cache
        self.keepPrevious = keepPrevious
        self.get = get
    }

    /// Computes the value.
    public func getValue(_ accessor: StateGetter) async throws -> T { try await get(accessor) }
}

extension Selector {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension MutableSelector {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
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
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value or throws. Runs with the graph locked, on the reader's thread.
/// - Returns: The definition; results live in stores.
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (StateGetter) throws -> T
) -> Selector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    return Selector(key: NodeKey(type: Selector<T>.self, place: place, name: name), retention: retention, getBody)
}

/// Defines a selector that takes its time.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the result.
///   - cache: Which results are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value or throws. Runs in a task of its own, in the isolation that made it.
/// - Returns: The definition; results live in stores.
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column, _ getBody: @escaping (StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    return AsyncSelector(
        key: NodeKey(type: AsyncSelector<T>.self, place: place, name: name), retention: retention, cache: cache,
        keepPrevious: keepPrevious, getBody)
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
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
/// - Returns: The definition; results live in stores.
public func selector<T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, get getBody: @escaping (StateGetter) throws -> T,
    set setBody: @escaping (MutableContext, T) -> Void, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelector<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    return MutableSelector(
        key: NodeKey(type: MutableSelector<T>.self, place: place, name: name), retention: retention, get: getBody,
        set: setBody)
}
