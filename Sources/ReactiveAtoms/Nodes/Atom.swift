// Atoms: `atom(0)`, `atom { [] }`, `atom { await load() }`.

/// A value that you set, separate in each store.
///
/// ```swift
/// enum Cart {
///     static var items: Atom<[Item]> { atom { [] } }
/// }
/// let store = RecoilStore()
/// store.update(Cart.items) { $0.append(book) }
/// ```
///
/// The property may create the atom anew on each access, or keep it: the source location of its creation identifies an
/// atom; see ``NodeKey``.
@frozen
public struct Atom<T: Sendable>: SyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time, on the actor that
    // it was created on.

    /// The identity of the atom.
    public let key: NodeKey
    /// The time for which a store keeps the value.
    public let retention: Retention
    /// The effects that run when a store first uses the atom.
    public let effects: [AtomEffect<T>]
    @usableFromInline let initial: AtomDefault<T>
    @usableFromInline let origin: ClosureOrigin

    @inlinable @inline(__always)
    init(
        key: NodeKey, retention: Retention, effects: [AtomEffect<T>], _ initial: AtomDefault<T>,
        _ origin: ClosureOrigin
    ) {
        self.key = key
        self.retention = retention
        self.effects = effects
        self.initial = initial
        self.origin = origin
    }

    /// Returns the default.
    ///
    /// - Precondition: The calling code runs on the actor that the atom's closure was created on, if there is one.
    @inlinable
    public func getValue() throws -> T {
        origin.require("the default of atom", of: key)
        switch initial {
        case .value(let value): return value
        case .closure(let closure): return try closure.call()
        case .member(let closure): return try closure.call(key.parameter)
        }
    }

    /// For the compiler only; do not use it.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler only; do not use it.
    @inlinable
    public var _unretained: Self {
        Self(key: key.unretained, retention: retention, effects: effects, initial, origin)
    }
}

/// The default of an atom. A constant is not a closure, because a closure would be allocated on each access.
@frozen @usableFromInline
enum AtomDefault<T> {
    case value(T)
    case closure(DefaultClosure<T>)
    case member(MemberDefaultClosure<T>)
}

/// A value that you set, with an asynchronous default.
public struct AsyncAtom<T: Sendable>: AsyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure runs on the actor that it was created on.

    /// The identity of the atom.
    public let key: NodeKey
    /// The time for which a store keeps the value.
    public let retention: Retention
    /// Whether `data` keeps the previous value while the default is loaded again.
    public let keepPrevious: Bool
    /// The effects that run when a store first uses the atom.
    public let effects: [AtomEffect<T>]
    private let makeDefault: AsyncDefaultClosure<T>
    private let origin: ClosureOrigin

    init(
        key: NodeKey, retention: Retention, keepPrevious: Bool, effects: [AtomEffect<T>],
        _ makeDefault: AsyncDefaultClosure<T>, _ origin: ClosureOrigin
    ) {
        self.key = key
        self.retention = retention
        self.keepPrevious = keepPrevious
        self.effects = effects
        self.makeDefault = makeDefault
        self.origin = origin
    }

    /// Returns the default.
    public func getValue() async throws -> T { try await makeDefault.call() }

    /// Creates a store's instance of the atom. For the compiler only; do not use it.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        // Does not call `getValue`, as for selectors.
        let atom = _unretained
        let instance = AsyncInstance(atom, isAtom: true, cache: .latest, effects: effects, in: store) { _ in
            try await atom.makeDefault.call()
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }

    /// For the compiler only; do not use it.
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler only; do not use it.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler only; do not use it.
    public var _unretained: Self {
        Self(
            key: key.unretained, retention: retention, keepPrevious: keepPrevious, effects: effects, makeDefault, origin
        )
    }
}

extension Atom {
    /// Whether both are the same node.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Hashes the identity of the node.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AsyncAtom {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Hashes the identity of the node.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Defines an atom with a default value.
///
/// - Parameters:
///   - value: The default.
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the value.
///   - effects: The effects that run, in this order, when a store first uses the atom.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
/// - Returns: The definition; values live in stores.
@inlinable
public func atom<T: Sendable>(
    _ value: T, named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> Atom<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: Atom<T>.self, location: location, name: name)
    guard NodeKey.SourceLocation.isOfFunction(function) else {
        return Atom(key: key, retention: retention, effects: effects, .value(value), ClosureOrigin())
    }
    // A closure with a context, by which stores detect different values; see DefinitionCheck.swift.
    let closure = DefaultClosure { value }
    return Atom(
        key: key, retention: retention, effects: effects, .closure(closure),
        ClosureOrigin(of: closure, isDefaultValue: true))
}

/// Defines an atom whose default is computed on first use.
///
/// - Parameters:
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the value.
///   - effects: The effects that run, in this order, when a store first uses the atom.
///   - isolation: The actor that `getValue` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getValue: Returns the default. Called once in each store, with the graph locked, and again on each reset. If it
///     belongs to an actor, the program stops where a store would have to call it elsewhere.
/// - Returns: The definition; values live in stores.
@inlinable
public func atom<T: Sendable>(
    named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, _ getValue: @escaping () throws -> T
) -> Atom<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let closure = DefaultClosure(call: getValue)
    return Atom(
        key: NodeKey(type: Atom<T>.self, location: location, name: name), retention: retention, effects: effects,
        .closure(closure), ClosureOrigin(of: closure, on: isolation))
}

/// Defines an atom whose default is asynchronous.
///
/// - Parameters:
///   - name: The name in messages and graphs; by default the property that creates it, or file and line.
///   - retention: How long a store keeps the value.
///   - keepPrevious: Whether `data` keeps the previous value while the default is loaded again.
///   - effects: The effects that run, in this order, when a store first uses the atom.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getValue: Returns the default. Runs in a task of its own, in the isolation that created it, on first use and
///     again on each reset. A value that is set meanwhile wins.
/// - Returns: The definition; values live in stores.
public func atom<T: Sendable>(
    named name: String? = nil, retention: Retention = .store, keepPrevious: Bool = false,
    effects: [AtomEffect<T>] = [], function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column, _ getValue: @escaping () async throws -> T
) -> AsyncAtom<T> {
    let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
    let closure = AsyncDefaultClosure(call: getValue)
    return AsyncAtom(
        key: NodeKey(type: AsyncAtom<T>.self, location: location, name: name), retention: retention,
        keepPrevious: keepPrevious, effects: effects, closure, ClosureOrigin(of: closure))
}
