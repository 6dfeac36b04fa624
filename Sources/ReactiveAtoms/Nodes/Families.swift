// Families: one definition, and a node for each parameter.

/// A definition with a node for each parameter: the result of `atomFamily` and `selectorFamily`.
///
/// ```swift
/// let todo = atomFamily { (id: Int) in Todo(id: id) }  // todo(7) is an atom
/// let title = selectorFamily { (id: Int, accessor: StateGetter) in try accessor.get(todo(id)).title }
/// ```
///
/// Equal parameters give the same node. Two families are equal if one source location created both.
@frozen
public struct NodeFamily<Parameter: Hashable & Sendable, Node: RecoilNode>: @unchecked Sendable {
    // Sendable as nodes are.
    @usableFromInline let location: NodeKey.SourceLocation
    @usableFromInline let name: String?
    @usableFromInline let makeNode: (Parameter, consuming NodeKey) -> Node

    @inlinable
    init(
        named name: String?, function: StaticString, fileID: StaticString, line: UInt, column: UInt,
        _ makeNode: @escaping (Parameter, consuming NodeKey) -> Node
    ) {
        location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
        self.name = name
        self.makeNode = makeNode
    }

    /// Returns the node for a parameter; equal parameters give the same one.
    @inlinable
    public func callAsFunction(_ parameter: Parameter) -> Node {
        makeNode(
            parameter, NodeKey(type: Self.self, location: location, parameter: NodeParameter(parameter), name: name))
    }
}

extension NodeFamily: Equatable {
    /// Whether both are the same family.
    public static func == (a: Self, b: Self) -> Bool { a.location == b.location }
}

/// An atom for each parameter: `let todo = atomFamily { (id: Int) in Todo(id: id) }`, and then `todo(7)`.
public typealias AtomFamily<Parameter: Hashable & Sendable, T: Sendable> = NodeFamily<Parameter, Atom<T>>
/// An asynchronous atom for each parameter.
public typealias AsyncAtomFamily<Parameter: Hashable & Sendable, T: Sendable> = NodeFamily<Parameter, AsyncAtom<T>>
/// A selector for each parameter.
public typealias SelectorFamily<Parameter: Hashable & Sendable, T: Sendable> = NodeFamily<Parameter, Selector<T>>
/// A writable selector for each parameter.
public typealias MutableSelectorFamily<Parameter: Hashable & Sendable, T: Sendable> =
    NodeFamily<Parameter, MutableSelector<T>>
/// An asynchronous selector for each parameter.
public typealias AsyncSelectorFamily<Parameter: Hashable & Sendable, T: Sendable> =
    NodeFamily<Parameter, AsyncSelector<T>>

// MARK: - Closures of families

@frozen @usableFromInline
struct FamilyDefaultClosure<Parameter, T> {
    @usableFromInline let call: (Parameter) throws -> T

    @inlinable
    init(call: @escaping (Parameter) throws -> T) { self.call = call }
}

@frozen @usableFromInline
struct FamilySelectorClosure<Parameter, T> {
    @usableFromInline let call: (Parameter, StateGetter) throws -> T

    @inlinable
    init(call: @escaping (Parameter, StateGetter) throws -> T) { self.call = call }
}

private struct AsyncFamilyDefaultClosure<Parameter, T> { let call: (Parameter) async throws -> T }
private struct AsyncFamilySelectorClosure<Parameter, T> { let call: (Parameter, StateGetter) async throws -> T }

/// The effects of a family's members.
@frozen @usableFromInline
struct FamilyEffects<Parameter, T: Sendable> {
    @usableFromInline let call: ((Parameter) -> [AtomEffect<T>])?
    /// The actor that the closure was created on, if any.
    @usableFromInline let isolation: ClosureIsolation?

    @inlinable
    init(call: ((Parameter) -> [AtomEffect<T>])?, isolation: ClosureIsolation?) {
        self.call = call
        self.isolation = isolation
    }

    @inlinable
    func make(_ parameter: Parameter, for key: NodeKey) -> [AtomEffect<T>] {
        guard let call else { return [] }
        if let isolation { isolation.require("the effects of atom", of: key) }
        return call(parameter)
    }
}

// MARK: - Creating families

/// Defines a family of atoms.
///
/// - Parameters:
///   - name: The name in messages and graphs, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - effects: Returns the effects that run when a store first uses a member. Called whenever the family returns a
///     member, on the actor that it belongs to.
///   - isolation: The actor that the closures belong to; by default the caller's. `nil` for closures that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
@inlinable
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store,
    effects: ((Parameter) -> [AtomEffect<T>])? = nil, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) throws -> T
) -> AtomFamily<Parameter, T> {
    let closure = FamilyDefaultClosure(call: getValue)
    let origin = ClosureOrigin(of: closure, on: isolation)
    let effects = FamilyEffects(call: effects, isolation: origin.isolation)
    let member = MemberDefaultClosure { try closure.call($0.value(as: Parameter.self)) }
    return NodeFamily(named: name, function: function, fileID: fileID, line: line, column: column) { parameter, key in
        Atom(
            key: key, retention: retention, effects: effects.make(parameter, for: key), .member(member), origin)
    }
}

/// Defines a family of atoms with asynchronous defaults.
///
/// - Parameters:
///   - name: The name in messages and graphs, followed by the parameter.
///   - retention: How long a store keeps a value.
///   - keepPrevious: Whether `data` keeps the previous value while the default is loaded again.
///   - effects: Returns the effects that run when a store first uses a member. Called whenever the family returns a
///     member, on the actor that it belongs to.
///   - isolation: The actor that `effects` belongs to; by default the caller's.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getValue: Returns the default for a parameter.
/// - Returns: The family, to be called with a parameter.
public func atomFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .store, keepPrevious: Bool = false,
    effects: ((Parameter) -> [AtomEffect<T>])? = nil, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getValue: @escaping (Parameter) async throws -> T
) -> AsyncAtomFamily<Parameter, T> {
    let closure = AsyncFamilyDefaultClosure(call: getValue)
    let origin = ClosureOrigin(of: closure)
    let effects = FamilyEffects(call: effects, isolation: .of(isolation))
    return NodeFamily(named: name, function: function, fileID: fileID, line: line, column: column) { parameter, key in
        AsyncAtom(
            key: key, retention: retention, keepPrevious: keepPrevious, effects: effects.make(parameter, for: key),
            AsyncDefaultClosure { try await closure.call(parameter) }, origin)
    }
}

/// Defines a family of selectors.
///
/// - Parameters:
///   - name: The name in messages and graphs, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
@inlinable
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Parameter, StateGetter) throws -> T
) -> SelectorFamily<Parameter, T> {
    let closure = FamilySelectorClosure(call: getBody)
    let origin = ClosureOrigin(of: closure, on: isolation)
    let member = MemberSelectorClosure { try closure.call($0.value(as: Parameter.self), $1) }
    return NodeFamily(named: name, function: function, fileID: fileID, line: line, column: column) { _, key in
        Selector(key: key, retention: retention, .member(member), origin)
    }
}

/// Defines a family of selectors that can be set.
///
/// - Parameters:
///   - name: The name in messages and graphs, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - getBody: Returns the value for a parameter.
///   - setBody: Passes a new value for a parameter to other nodes.
///   - isolation: The actor that the closures belong to; by default the caller's. `nil` for closures that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
/// - Returns: The family, to be called with a parameter.
@inlinable
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved,
    get getBody: @escaping (Parameter, StateGetter) throws -> T,
    set setBody: @escaping (Parameter, MutableContext, T) -> Void, isolation: isolated (any Actor)? = #isolation,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
) -> MutableSelectorFamily<Parameter, T> {
    let closure = FamilySelectorClosure(call: getBody)
    let origin = ClosureOrigin(of: closure, on: isolation)
    return NodeFamily(named: name, function: function, fileID: fileID, line: line, column: column) { parameter, key in
        MutableSelector(
            key: key, retention: retention, get: SelectorClosure { try closure.call(parameter, $0) },
            set: { setBody(parameter, $0, $1) }, origin)
    }
}

/// Defines a family of asynchronous selectors.
///
/// - Parameters:
///   - name: The name in messages and graphs, followed by the parameter.
///   - retention: How long a store keeps a result.
///   - cache: The results of a member that are cached for earlier values of its inputs.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Returns the value for a parameter.
/// - Returns: The family, to be called with a parameter.
public func selectorFamily<Parameter: Hashable & Sendable, T: Sendable>(
    named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Parameter, StateGetter) async throws -> T
) -> AsyncSelectorFamily<Parameter, T> {
    let closure = AsyncFamilySelectorClosure(call: getBody)
    let origin = ClosureOrigin(of: closure, on: isolation)
    return NodeFamily(named: name, function: function, fileID: fileID, line: line, column: column) { parameter, key in
        AsyncSelector(
            key: key, retention: retention, cache: cache, keepPrevious: keepPrevious,
            AsyncSelectorClosure { try await closure.call(parameter, $0) }, origin)
    }
}
