// Atoms: `atom(0)`, `atom { [] }`, `atom { await load() }`.

/// A value that is set, in each store its own.
///
/// ```swift
/// enum Cart {
///     static var items: Atom<[Item]> { atom { [] } }
/// }
/// let store = RecoilStore()
/// store.update(Cart.items) { $0.append(book) }
/// ```
///
/// The property may create the atom anew on each access, or keep it: what identifies an atom is the source location of
/// its creation; see ``NodeKey``.
@frozen
public struct Atom<T: Sendable>: SyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time, on the actor that
    // it was created on.

    /// What identifies the atom.
    public let key: NodeKey
    /// How long a store keeps the value.
    public let retention: Retention
    /// What runs when a store first uses the atom.
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

    /// For the compiler's sake; not for use.
    @inlinable
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler's sake; not for use.
    @inlinable
    public var _unretained: Self {
        Self(key: key.unretained, retention: retention, effects: effects, initial, origin)
    }
}

/// The default of an atom. A given value is no closure, which would be allocated on each access.
@frozen @usableFromInline
enum AtomDefault<T> {
    case value(T)
    case closure(DefaultClosure<T>)
    case member(MemberDefaultClosure<T>)
}

/// A value that is set, and whose default takes its time.
public struct AsyncAtom<T: Sendable>: AsyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure goes to the actor that it was created on.

    /// What identifies the atom.
    public let key: NodeKey
    /// How long a store keeps the value.
    public let retention: Retention
    /// Whether `data` keeps the previous value while the default is loaded again.
    public let keepPrevious: Bool
    /// What runs when a store first uses the atom.
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

    /// Creates what a store keeps of the atom. For the compiler's sake; not for use.
    public func _makeInstance(in store: RecoilStore, for trigger: AtomEffectTrigger) -> _NodeInstance<T> {
        // Past `getValue`, as for selectors.
        let atom = _unretained
        let instance = AsyncInstance(atom, isAtom: true, cache: .latest, effects: effects, in: store) { _ in
            try await atom.makeDefault.call()
        }
        store.adopt(instance)
        instance.prepare(for: trigger)
        return instance
    }

    /// For the compiler's sake; not for use.
    public var _definition: _NodeDefinition { origin.definition }

    /// For the compiler's sake; not for use.
    @inlinable
    public static var _storesKey: Bool { true }

    /// For the compiler's sake; not for use.
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
    /// Feeds the identity.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AsyncAtom {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Defines an atom with a default value.
///
/// - Parameters:
///   - value: The default.
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the value.
///   - effects: What runs, in this order, when a store first uses the atom.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
/// - Returns: The definition; values live in stores.
@inlinable
public func atom<T: Sendable>(
    _ value: T, named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> Atom<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: Atom<T>.self, place: place, name: name)
    guard NodeKey.Place.isOfFunction(function) else {
        return Atom(key: key, retention: retention, effects: effects, .value(value), ClosureOrigin())
    }
    // A closure with a context, by which stores notice other values; see DefinitionCheck.swift.
    let closure = DefaultClosure { value }
    return Atom(
        key: key, retention: retention, effects: effects, .closure(closure),
        ClosureOrigin(of: closure, isDefaultValue: true))
}

/// Defines an atom whose default is computed on first use.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the value.
///   - effects: What runs, in this order, when a store first uses the atom.
///   - isolation: The actor that `getValue` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default. Called once in each store, with the graph locked, and again on each reset. If it
///     belongs to an actor, the program stops where a store would have to call it elsewhere.
/// - Returns: The definition; values live in stores.
@inlinable
public func atom<T: Sendable>(
    named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, _ getValue: @escaping () throws -> T
) -> Atom<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let closure = DefaultClosure(call: getValue)
    return Atom(
        key: NodeKey(type: Atom<T>.self, place: place, name: name), retention: retention, effects: effects,
        .closure(closure), ClosureOrigin(of: closure, on: isolation))
}

/// Defines an atom whose default takes its time.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the value.
///   - keepPrevious: Whether `data` keeps the previous value while the default is loaded again.
///   - effects: What runs, in this order, when a store first uses the atom.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default. Runs in a task of its own, in the isolation that made it, on first use and again on each reset. A
///     value that is set meanwhile wins.
/// - Returns: The definition; values live in stores.
public func atom<T: Sendable>(
    named name: String? = nil, retention: Retention = .store, keepPrevious: Bool = false,
    effects: [AtomEffect<T>] = [], function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column, _ getValue: @escaping () async throws -> T
) -> AsyncAtom<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let closure = AsyncDefaultClosure(call: getValue)
    return AsyncAtom(
        key: NodeKey(type: AsyncAtom<T>.self, place: place, name: name), retention: retention,
        keepPrevious: keepPrevious, effects: effects, closure, ClosureOrigin(of: closure))
}
