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
/// The property may make the atom anew on each access, or keep it: what identifies an atom is where it is made; see ``NodeKey``.
public struct Atom<T: Sendable>: SyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure is called with the graph locked, one thread at a time; what it captures besides state must
    // be safe to use from there, as in a computed of the core.

    /// What identifies the atom.
    public let key: NodeKey
    /// How long a store keeps the value.
    public let retention: Retention
    /// What runs when a store first uses the atom.
    public let effects: [AtomEffect<T>]
    private let makeDefault: () throws -> T

    init(key: NodeKey, retention: Retention, effects: [AtomEffect<T>], _ makeDefault: @escaping () throws -> T) {
        self.key = key
        self.retention = retention
        self.effects = effects
        self.makeDefault = makeDefault
    }

    /// Returns the default.
    public func getValue() throws -> T { try makeDefault() }
}

/// A value that is set, and whose default takes its time.
public struct AsyncAtom<T: Sendable>: AsyncAtomNode, @unchecked Sendable {
    // Sendable as nodes must be. The closure runs in the isolation that made it; what it captures must be safe to use from there.

    /// What identifies the atom.
    public let key: NodeKey
    /// How long a store keeps the value.
    public let retention: Retention
    /// Whether `data` keeps the previous value while the default is loaded again.
    public let keepPrevious: Bool
    /// What runs when a store first uses the atom.
    public let effects: [AtomEffect<T>]
    private let makeDefault: () async throws -> T

    init(
        key: NodeKey, retention: Retention, keepPrevious: Bool, effects: [AtomEffect<T>],
        _ makeDefault: @escaping () async throws -> T
    ) {
        self.key = key
        self.retention = retention
        self.keepPrevious = keepPrevious
        self.effects = effects
        self.makeDefault = makeDefault
    }

    /// Returns the default.
    public func getValue() async throws -> T { try await makeDefault() }
}

extension Atom {
    /// Whether both are the same node.
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    /// Feeds the identity.
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
public func atom<T: Sendable>(
    _ value: T, named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> Atom<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    return Atom(
        key: NodeKey(type: Atom<T>.self, place: place, name: name), retention: retention, effects: effects
    ) { value }
}

/// Defines an atom whose default is computed on first use.
///
/// - Parameters:
///   - name: What messages and graphs call it. Without one: the property that makes it, or file and line.
///   - retention: How long a store keeps the value.
///   - effects: What runs, in this order, when a store first uses the atom.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default. Called once in each store, with the graph locked, and again on each reset.
/// - Returns: The definition; values live in stores.
public func atom<T: Sendable>(
    named name: String? = nil, retention: Retention = .store, effects: [AtomEffect<T>] = [],
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping () throws -> T
) -> Atom<T> {
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    return Atom(
        key: NodeKey(type: Atom<T>.self, place: place, name: name), retention: retention, effects: effects, getValue)
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
    return AsyncAtom(
        key: NodeKey(type: AsyncAtom<T>.self, place: place, name: name), retention: retention,
        keepPrevious: keepPrevious, effects: effects, getValue)
}
