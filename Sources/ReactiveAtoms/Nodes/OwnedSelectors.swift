// `selector(of: owner)`: a selector of an object, which it does not keep alive.
//
// The owner is part of the key, by a weak reference. Two keys are equal while the owner lives; after its end a key
// equals itself alone, so an object that takes over the address has nodes of its own. A store cannot learn that an
// owner has gone: it releases the nodes of owners that are gone, and that nobody observes, each time that the number of
// such nodes has doubled.

import Reactive

/// An object as a part of a key.
struct OwnerIdentity: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Sendable because it is immutable, and weak references may be read anywhere.
    private final class Reference {
        weak var owner: AnyObject?
        init(_ owner: AnyObject) { self.owner = owner }
    }

    private let id: ObjectIdentifier
    private let reference: Reference
    let description: String

    init<Owner: AnyObject>(_ owner: Owner) {
        id = ObjectIdentifier(owner)
        reference = Reference(owner)
        description = "\(Owner.self)"
    }

    /// The object, unless it is gone.
    var owner: AnyObject? { reference.owner }

    /// The object.
    ///
    /// - Throws: `RecoilError.ownerGone` if it is gone.
    func get<Owner: AnyObject>(_ type: Owner.Type, for key: NodeKey) throws -> Owner {
        guard let owner else { throw RecoilError.ownerGone(node: key.name) }
        return unsafeDowncast(owner, to: Owner.self)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.reference === b.reference || (a.id == b.id && a.owner != nil && b.owner != nil)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private struct OwnedClosure<Owner: AnyObject, T> { let call: (Owner, StateGetter) throws -> T }
private struct AsyncOwnedClosure<Owner: AnyObject, T> { let call: (Owner, StateGetter) async throws -> T }
private struct ActorClosure<Owner: Actor, T> { let call: @Sendable (isolated Owner, StateGetter) throws -> T }
private struct AsyncActorClosure<Owner: Actor, T> {
    let call: @Sendable (isolated Owner, StateGetter) async throws -> T
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
/// Each object has a node of its own. Only nodes and other reactive state are followed, not plain properties of the
/// object. Once the object is gone, computing the value throws ``RecoilError/ownerGone(node:)``; a result that is still
/// current can be read.
///
/// - Parameters:
///   - owner: The object, held weakly.
///   - name: What messages and graphs call it, followed by the object's type. Without one: the property that creates
///     it, or file and line.
///   - retention: How long a store keeps the result.
///   - isolation: The actor that `getBody` belongs to; by default the caller's. `nil` for a closure that may run
///     anywhere.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Gets the object, and returns the value or throws. Runs with the graph locked, on the reader's thread.
///     If it belongs to an actor, the program stops where it would have to run elsewhere.
/// - Returns: The definition; results live in stores.
public func selector<Owner: AnyObject, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved,
    isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Owner, StateGetter) throws -> T
) -> Selector<T> {
    let identity = OwnerIdentity(owner)
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: Selector<T>.self, place: place, value: identity, name: name)
    let original = OwnedClosure(call: getBody)
    let closure = SelectorClosure { try original.call(identity.get(Owner.self, for: key.unretained), $0) }
    return Selector(
        key: key, retention: retention, closure, ClosureOrigin(of: original, on: isolation))
}

/// Defines a selector of an object that takes its time, and does not keep the object alive while it is not running.
///
/// Each object has a node of its own. Once the object is gone, a run throws ``RecoilError/ownerGone(node:)``.
///
/// - Parameters:
///   - owner: The object, held weakly.
///   - name: What messages and graphs call it, followed by the object's type. Without one: the property that creates
///     it, or file and line.
///   - retention: How long a store keeps the result.
///   - cache: Which results are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - isolation: The actor on which the inputs are compared; by default the caller's.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Gets the object, and returns the value or throws. Runs in a task of its own, in the isolation that
///     created it.
/// - Returns: The definition; results live in stores.
public func selector<Owner: AnyObject, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, isolation: isolated (any Actor)? = #isolation, function: StaticString = #function,
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping (Owner, StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let identity = OwnerIdentity(owner)
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: AsyncSelector<T>.self, place: place, value: identity, name: name)
    let original = AsyncOwnedClosure(call: getBody)
    let closure = AsyncSelectorClosure { try await original.call(identity.get(Owner.self, for: key.unretained), $0) }
    return AsyncSelector(
        key: key, retention: retention, cache: cache, keepPrevious: keepPrevious, closure,
        ClosureOrigin(of: original, on: isolation))
}

/// Defines a selector of an actor, which the selector does not keep alive.
///
/// - Parameters:
///   - owner: The actor, held weakly.
///   - name: What messages and graphs call it, followed by the actor's type. Without one: the property that creates it,
///     or file and line.
///   - retention: How long a store keeps the result.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Gets the actor, isolated, and returns the value or throws. Runs with the graph locked. The program
///     stops where it would have to run elsewhere than on the actor; a result that is still current can be read
///     anywhere.
/// - Returns: The definition; results live in stores.
public func selector<Owner: Actor, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved,
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping @Sendable (isolated Owner, StateGetter) throws -> T
) -> Selector<T> {
    let identity = OwnerIdentity(owner)
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: Selector<T>.self, place: place, value: identity, name: name)
    let original = ActorClosure(call: getBody)
    let closure = SelectorClosure { accessor in
        let owner = try identity.get(Owner.self, for: key.unretained)
        ClosureIsolation(owner).require("selector \(key.name)")
        return try owner.assumeIsolated { try original.call($0, accessor) }
    }
    return Selector(key: key, retention: retention, closure, ClosureOrigin(of: original))
}

/// Defines a selector of an actor that takes its time, and runs there. It does not keep the actor alive while it is not
/// running.
///
/// - Parameters:
///   - owner: The actor, held weakly. Once it is gone, a run throws ``RecoilError/ownerGone(node:)``.
///   - name: What messages and graphs call it, followed by the actor's type. Without one: the property that creates it,
///     or file and line.
///   - retention: How long a store keeps the result.
///   - cache: Which results are kept for inputs that come back.
///   - keepPrevious: Whether `data` keeps the previous value while a new one is loading after an input has changed.
///   - function: The function or property that creates it.
///   - fileID: The file that creates it.
///   - line: The line that creates it.
///   - column: The column that creates it.
///   - getBody: Gets the actor, isolated, and returns the value or throws. Runs in a task of its own, on the actor.
/// - Returns: The definition; results live in stores.
public func selector<Owner: Actor, T: Sendable>(
    of owner: Owner, named name: String? = nil, retention: Retention = .whileObserved, cache: CachePolicy = .latest,
    keepPrevious: Bool = false, function: StaticString = #function, fileID: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column,
    _ getBody: @escaping @Sendable (isolated Owner, StateGetter) async throws -> T
) -> AsyncSelector<T> {
    let identity = OwnerIdentity(owner)
    let place = NodeKey.Place(function: function, fileID: fileID, line: line, column: column)
    let key = NodeKey(type: AsyncSelector<T>.self, place: place, value: identity, name: name)
    let original = AsyncActorClosure(call: getBody)
    let closure = AsyncSelectorClosure { accessor in
        let owner = try identity.get(Owner.self, for: key.unretained)
        return try await original.call(owner, accessor)
    }
    return AsyncSelector(
        key: key, retention: retention, cache: cache, keepPrevious: keepPrevious, closure,
        ClosureOrigin(of: original, on: owner))
}
