// `selector(of: owner)`: a selector of an object, which the selector does not keep alive.
//
// The owner is part of the key; see OwnerIdentity.swift.

import Reactive

private struct OwnedClosure<Owner: AnyObject, T> { let call: (Owner, StateGetter) throws -> T }
private struct AsyncOwnedClosure<Owner: AnyObject, T> { let call: (Owner, StateGetter) async throws -> T }
private struct ActorClosure<Owner: Actor, T> { let call: @Sendable (isolated Owner, StateGetter) throws -> T }
private struct AsyncActorClosure<Owner: Actor, T> {
    let call: @Sendable (isolated Owner, StateGetter) async throws -> T
}

/// The key of an owner's node, and a reference from the node to the owner.
private struct OwnedKey<Owner: AnyObject> {
    let key: NodeKey
    private let identity: OwnerIdentity

    init(
        type: Any.Type, owner: Owner, named name: String?, function: StaticString, fileID: StaticString, line: UInt,
        column: UInt
    ) {
        identity = OwnerIdentity(owner)
        let location = NodeKey.SourceLocation(function: function, fileID: fileID, line: line, column: column)
        key = NodeKey(type: type, location: location, parameter: NodeParameter(identity), name: name)
    }

    /// The owner, for a closure of the node. A store keeps that closure, so the closure must not retain the node.
    var owner: OwnerReference<Owner> { OwnerReference(identity: identity, key: key.unretained) }
}

/// The owner of a node, as the node's closure refers to it.
private struct OwnerReference<Owner: AnyObject> {
    let identity: OwnerIdentity
    let key: NodeKey

    /// Returns the owner.
    ///
    /// - Throws: ``RecoilError/ownerGone(node:)`` if it has been released.
    func get() throws -> Owner { try identity.get(Owner.self, for: key) }
}

/// Defines a selector of an object, which the selector does not keep alive.
///
/// ```swift
/// final class Form {
///     let text = atom("")
///     let price = 5
///     var total: Selector<Int> {
///         selector(of: self) { form, accessor in try accessor.get(form.text).count * form.price }
///     }
/// }
/// ```
///
/// Each object has a node of its own. The selector follows only nodes and other reactive state, not plain properties of
/// the object. After the object has been released, computing the value throws ``RecoilError/ownerGone(node:)``; a
/// current result can still be read.
///
/// - Parameters:
///   - owner: The object, held weakly.
///   - name: The name in messages and graphs, followed by the object's type; by default the property that creates it,
///     or file and line.
///   - retention: How long a store keeps the result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Receives the object, and returns the value or throws. Runs with the graph locked, on the reader's
///     thread. If it belongs to an actor and would have to run elsewhere, the program stops.
/// - Returns: The definition; results live in stores.
public func selector<Owner: AnyObject, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Owner, StateGetter) throws -> T
) -> Selector<T> {
    let node = OwnedKey(
        type: Selector<T>.self, owner: owner, named: name, function: function, fileID: fileID, line: line,
        column: column)
    let reference = node.owner
    let original = OwnedClosure(call: getBody)
    let closure = SelectorClosure { try original.call(reference.get(), $0) }
    return Selector(
        key: node.key, retention: retention, .single(closure), ClosureOrigin(of: original, on: isolation))
}

/// Defines an asynchronous selector of an object. It keeps the object alive only while it is running.
///
/// Each object has a node of its own. After the object has been released, a run throws
/// ``RecoilError/ownerGone(node:)``.
///
/// - Parameters:
///   - owner: The object, held weakly.
///   - name: The name in messages and graphs, followed by the object's type; by default the property that creates it,
///     or file and line.
///   - retention: How long a store keeps the result.
///   - cache: The results that are cached for earlier values of the inputs.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Receives the object, and returns the value or throws. Runs in a task of its own, in the isolation that
///     created it.
/// - Returns: The definition; results live in stores.
public func selector<Owner: AnyObject, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Owner, StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let node = OwnedKey(
        type: AsyncSelector<T>.self, owner: owner, named: name, function: function, fileID: fileID, line: line,
        column: column)
    let reference = node.owner
    let original = AsyncOwnedClosure(call: getBody)
    let closure = AsyncSelectorClosure { try await original.call(reference.get(), $0) }
    return AsyncSelector(
        key: node.key, retention: retention, cache: cache, keepPrevious: keepPrevious, closure,
        ClosureOrigin(of: original, on: isolation))
}

/// Defines a selector of an actor, which the selector does not keep alive.
///
/// - Parameters:
///   - owner: The actor, held weakly.
///   - name: The name in messages and graphs, followed by the actor's type; by default the property that creates it, or
///     file and line.
///   - retention: How long a store keeps the result.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Receives the actor, isolated, and returns the value or throws. Runs with the graph locked. If it would
///     have to run elsewhere than on the actor, the program stops; a current result can be read anywhere.
/// - Returns: The definition; results live in stores.
public func selector<Owner: Actor, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping @Sendable (isolated Owner, StateGetter) throws -> T
) -> Selector<T> {
    let node = OwnedKey(
        type: Selector<T>.self, owner: owner, named: name, function: function, fileID: fileID, line: line,
        column: column)
    let reference = node.owner
    let original = ActorClosure(call: getBody)
    let closure = SelectorClosure { accessor in
        let owner = try reference.get()
        ClosureIsolation(owner).require("selector \(reference.key.name)")
        return try owner.assumeIsolated { try original.call($0, accessor) }
    }
    return Selector(key: node.key, retention: retention, .single(closure), ClosureOrigin(of: original))
}

/// Defines an asynchronous selector of an actor, which runs on the actor. It keeps the actor alive only while it is
/// running.
///
/// - Parameters:
///   - owner: The actor, held weakly. After it has been released, a run throws ``RecoilError/ownerGone(node:)``.
///   - name: The name in messages and graphs, followed by the actor's type; by default the property that creates it, or
///     file and line.
///   - retention: How long a store keeps the result.
///   - cache: The results that are cached for earlier values of the inputs.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Receives the actor, isolated, and returns the value or throws. Runs in a task of its own, on the actor.
/// - Returns: The definition; results live in stores.
public func selector<Owner: Actor, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping @Sendable (isolated Owner, StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let node = OwnedKey(
        type: AsyncSelector<T>.self, owner: owner, named: name, function: function, fileID: fileID, line: line,
        column: column)
    let reference = node.owner
    let original = AsyncActorClosure(call: getBody)
    let closure = AsyncSelectorClosure { accessor in
        let owner = try reference.get()
        return try await original.call(owner, accessor)
    }
    return AsyncSelector(
        key: node.key, retention: retention, cache: cache, keepPrevious: keepPrevious, closure,
        ClosureOrigin(of: original, on: owner))
}
