// Families: one definition, a node for each parameter.

/// An atom for each parameter: `let todo = atomFamily { (id: Int) in Todo(id: id) }`, and then `todo(7)`.
public struct AtomFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let effects: FamilyEffects<Parameter, T>
    let getValue: FamilyDefaultClosure<Parameter, T>
    let origin: ClosureOrigin

    /// The atom for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> Atom<T> {
        let key = NodeKey(type: Self.self, place: place, value: parameter, name: name)
        let getValue = getValue
        return Atom(
            key: key, retention: retention, effects: effects.make(parameter, for: key),
            DefaultClosure { try getValue.call(parameter) }, origin)
    }
}

/// An asynchronous atom for each parameter.
public struct AsyncAtomFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let keepPrevious: Bool
    let effects: FamilyEffects<Parameter, T>
    let getValue: AsyncFamilyDefaultClosure<Parameter, T>
    let origin: ClosureOrigin

    /// The atom for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> AsyncAtom<T> {
        let key = NodeKey(type: Self.self, place: place, value: parameter, name: name)
        let getValue = getValue
        return AsyncAtom(
            key: key, retention: retention, keepPrevious: keepPrevious, effects: effects.make(parameter, for: key),
            AsyncDefaultClosure { try await getValue.call(parameter) }, origin)
    }
}

/// A selector for each parameter.
public struct SelectorFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let get: FamilySelectorClosure<Parameter, T>
    let origin: ClosureOrigin

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> Selector<T> {
        let get = get
        return Selector(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            SelectorClosure { try get.call(parameter, $0) }, origin)
    }
}

/// A selector that can be written through, for each parameter.
public struct MutableSelectorFamily<Parameter: Hashable & Sendable, T: Sendable>: @unchecked Sendable {
    // Sendable as nodes are.
    let place: NodeKey.Place
    let name: String?
    let retention: Retention
    let get: FamilySelectorClosure<Parameter, T>
    let set: (Parameter, MutableContext, T) -> Void
    let origin: ClosureOrigin

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> MutableSelector<T> {
        let (get, set) = (get, set)
        return MutableSelector(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            get: SelectorClosure { try get.call(parameter, $0) }, set: { set(parameter, $0, $1) }, origin)
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
    let get: AsyncFamilySelectorClosure<Parameter, T>
    let origin: ClosureOrigin

    /// The selector for a parameter; equal parameters give the same one.
    public func callAsFunction(_ parameter: Parameter) -> AsyncSelector<T> {
        let get = get
        return AsyncSelector(
            key: NodeKey(type: Self.self, place: place, value: parameter, name: name), retention: retention,
            cache: cache, keepPrevious: keepPrevious, AsyncSelectorClosure { try await get.call(parameter, $0) }, origin
        )
    }
}

// MARK: - Comparing them

extension AtomFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

extension AsyncAtomFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

extension SelectorFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

extension MutableSelectorFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

extension AsyncSelectorFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

// MARK: - Their closures

struct FamilyDefaultClosure<Parameter, T> { let call: (Parameter) throws -> T }
struct AsyncFamilyDefaultClosure<Parameter, T> { let call: (Parameter) async throws -> T }
struct FamilySelectorClosure<Parameter, T> { let call: (Parameter, StateGetter) throws -> T }
struct AsyncFamilySelectorClosure<Parameter, T> { let call: (Parameter, StateGetter) async throws -> T }

/// The effects of a family's members.
struct FamilyEffects<Parameter, T: Sendable> {
    let call: ((Parameter) -> [AtomEffect<T>])?
    /// The actor that the closure was created on, if any.
    let isolation: ClosureIsolation?

    func make(_ parameter: Parameter, for key: @autoclosure () -> NodeKey) -> [AtomEffect<T>] {
        guard let call else { return [] }
        isolation?.require("the effects of atom \(key().name)")
        return call(parameter)
    }
}

// MARK: - Defining them

/// Defines a family of atoms.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - effects: What runs when a store first uses a member. Called whenever the family gives out a member, on the actor
///     that it belongs to.
///   - isolation: The actor that the closures belong to; by default the caller's. `nil` for closures that may run
///     anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store,
    effects: ((Parameter) -> [AtomEffect<T>])? = nil, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) throws -> T
) -> AtomFamily<Parameter, T> {
    let closure = FamilyDefaultClosure(call: getValue)
    return AtomFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, effects: FamilyEffects(call: effects, isolation: .of(isolation)), getValue: closure,
        origin: ClosureOrigin(of: closure, on: isolation))
}

/// Defines a family of atoms whose defaults take their time.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - keepPrevious: Whether `data` keeps the previous value while the default is loaded again.
///   - effects: What runs when a store first uses a member. Called whenever the family gives out a member, on the actor
///     that it belongs to.
///   - isolation: The actor that `effects` belongs to; by default the caller's.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store, keepPrevious: Bool = false,
    effects: ((Parameter) -> [AtomEffect<T>])? = nil, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) async throws -> T
) -> AsyncAtomFamily<Parameter, T> {
    let closure = AsyncFamilyDefaultClosure(call: getValue)
    return AsyncAtomFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, keepPrevious: keepPrevious,
        effects: FamilyEffects(call: effects, isolation: .of(isolation)), getValue: closure,
        origin: ClosureOrigin(of: closure))
}

/// Defines a family of selectors.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Parameter, StateGetter) throws -> T
) -> SelectorFamily<Parameter, T> {
    let closure = FamilySelectorClosure(call: getBody)
    return SelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, get: closure, origin: ClosureOrigin(of: closure, on: isolation))
}

/// Defines a family of selectors that can be written through.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - getBody: Returns the value for a parameter.
///   - setBody: Passes a new value for a parameter on.
///   - isolation: The actor that the closures belong to; by default the caller's. `nil` for closures that may run
///     anywhere.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    get getBody: @escaping (Parameter, StateGetter) throws -> T,
    set setBody: @escaping (Parameter, MutableContext, T) -> Void, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelectorFamily<Parameter, T> {
    let closure = FamilySelectorClosure(call: getBody)
    return MutableSelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, get: closure, set: setBody, origin: ClosureOrigin(of: closure, on: isolation))
}

/// Defines a family of selectors that take their time.
///
/// - Parameters:
///   - name: What messages and graphs call it, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - cache: Which results of a member are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that makes it.
///   - fileID: The file that makes it.
///   - line: The line that makes it.
///   - column: The column that makes it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Parameter, StateGetter) async throws -> T
) -> AsyncSelectorFamily<Parameter, T> {
    let closure = AsyncFamilySelectorClosure(call: getBody)
    return AsyncSelectorFamily(
        place: NodeKey.Place(function: function, fileID: fileID, line: line, column: column), name: name,
        retention: retention, cache: cache, keepPrevious: keepPrevious, get: closure,
        origin: ClosureOrigin(of: closure, on: isolation))
}
