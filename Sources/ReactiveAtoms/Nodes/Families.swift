// Families: one definition, a node for each parameter.

/// An atom for each parameter: `let todo = atomFamily { (id: Int) in Todo(id: id) }`, and then `todo(7)`.
public struct AtomFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let effects: (Parameter) -> [AtomEffect<T>]
    let getValue: (Parameter) throws -> T

    /// The atom for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> Atom<T> {
        Atom(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            effects: effects(parameter)
        ) { try getValue(parameter) }
    }
}

/// An asynchronous atom for each parameter.
public struct AsyncAtomFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let keepPrevious: Bool
    let effects: (Parameter) -> [AtomEffect<T>]
    let getValue: (Parameter) async throws -> T

    /// The atom for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> AsyncAtom<T> {
        AsyncAtom(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            keepPrevious: keepPrevious, effects: effects(parameter)
        ) { try await getValue(parameter) }
    }
}

/// A selector for each parameter.
public struct SelectorFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let get: (Parameter, StateGetter) throws -> T

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> Selector<T> {
        Selector(key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention) {
            try get(parameter, $0)
        }
    }
}

/// A selector that can be written through, for each parameter.
public struct MutableSelectorFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let get: (Parameter, StateGetter) throws -> T
    let set: (Parameter, MutableContext, T) -> Void

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> MutableSelector<T> {
        MutableSelector(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            get: { try get(parameter, $0) }, set: { set(parameter, $0, $1) })
    }
}

/// An asynchronous selector for each parameter.
public struct AsyncSelectorFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let cache: CachePolicy
    let keepPrevious: Bool
    let get: (Parameter, StateGetter) async throws -> T

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> AsyncSelector<T> {
        AsyncSelector(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            cache: cache, keepPrevious: keepPrevious
        ) { try await get(parameter, $0) }
    }
}

// MARK: - Defining them

/// Defines a family of atoms.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - effects: What runs when a store first uses a member.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store,
    effects: @escaping (Parameter) -> [AtomEffect<T>] = { _ in [] }, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) throws -> T
) -> AtomFamily<Parameter, T> {
    AtomFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, effects: effects, getValue: getValue)
}

/// Defines a family of atoms whose defaults take their time.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - keepPrevious: Whether `data` keeps the previous value while the default is loaded again.
///   - effects: What runs when a store first uses a member.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store, keepPrevious: Bool = false,
    effects: @escaping (Parameter) -> [AtomEffect<T>] = { _ in [] }, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) async throws -> T
) -> AsyncAtomFamily<Parameter, T> {
    AsyncAtomFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, keepPrevious: keepPrevious, effects: effects, getValue: getValue)
}

/// Defines a family of selectors.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Parameter, StateGetter) throws -> T
) -> SelectorFamily<Parameter, T> {
    SelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, get: getBody)
}

/// Defines a family of selectors that can be written through.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - getBody: Returns the value for a parameter.
///   - setBody: Passes a new value for a parameter on.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    get getBody: @escaping (Parameter, StateGetter) throws -> T,
    set setBody: @escaping (Parameter, MutableContext, T) -> Void, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelectorFamily<Parameter, T> {
    MutableSelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, get: getBody, set: setBody)
}

/// Defines a family of selectors that take their time.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - cache: Which results of a member are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column, _ getBody: @escaping (Parameter, StateGetter) async throws -> T
) -> AsyncSelectorFamily<Parameter, T> {
    AsyncSelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, cache: cache, keepPrevious: keepPrevious, get: getBody)
}
