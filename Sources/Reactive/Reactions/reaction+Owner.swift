// The `of:` forms of `reaction`: reactions that end with their owner.
//
// There is one for objects and one for actors; see Owner.swift. The form for actors calls the form for objects,
// isolated to the actor.

/// Evaluates `track` with the owner now, and calls `onChange` with the owner and the new value whenever the value
/// changes, for as long as the owner lives.
///
/// ```swift
/// reaction(of: self) { $0.text } onChange: { me, text in me.save(text) }
/// ```
///
/// Like `reaction` without an owner. After the owner is released, the reaction is cancelled, at the latest when it is
/// next due. `onChange` may also take the owner alone, or the owner, the new value and the previous one.
///
/// - Parameters:
///   - owner: The object that the closures receive. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - equals: The comparison of two values; by default that of the type, see ``Equality``.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - isolation: The actor that the closures belong to; by default the caller's. Changes made outside that actor
///     arrive after one hop.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - track: Returns the value to follow. Runs with the graph locked, one thread at a time.
///   - onChange: Runs untracked and outside the library's lock; its writes are batched. Both closures are kept until
///     the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult @inlinable
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner, V) -> Void
) -> Reaction {
    reaction(
        of: owner, named: name, equals: equals, fireImmediately: fireImmediately, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line, track, onChange: { me, new, _ in onChange(me, new) })
}

/// Evaluates `track` with the owner now, and calls `onChange` with the owner whenever the value changes; see
/// `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult @inlinable
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner) -> Void
) -> Reaction {
    reaction(
        of: owner, named: name, equals: equals, fireImmediately: fireImmediately, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line, track, onChange: { me, _, _ in onChange(me) })
}

/// Evaluates `track` with the owner now, and calls `onChange` with the owner, the new value and the previous one
/// whenever the value changes; see `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult @inlinable
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner, V, V) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let effect = ValueEffect.make(
        equals ?? .automatic, firesImmediately: fireImmediately, nil,
        .bothValues { new, old in owner.act { onChange($0, new, old) } })
    return .started(
        for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, effect: effect
    ) { ValueEffect.observe(track($0), for: effect) }
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor and the new value whenever the value
/// changes, for as long as the actor lives.
///
/// Like `reaction` for an object; the closures may use the actor like its own methods.
///
/// - Parameters:
///   - owner: The actor that the closures receive and belong to. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - equals: The comparison of two values; by default that of the type, see ``Equality``.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - track: Returns the value to follow. Runs on the actor with the graph locked.
///   - onChange: Runs on the actor, untracked and outside the library's lock; its writes are batched. Both closures are
///     kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult @inlinable
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner, V) -> Void
) -> Reaction {
    reaction(
        of: owner, named: name, equals: equals, fireImmediately: fireImmediately, schedule: schedule,
        isolation: owner, fileID: fileID, line: line, Isolation.plain(track), onChange: Isolation.plain(onChange))
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor whenever the value changes; see
/// `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult @inlinable
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner) -> Void
) -> Reaction {
    reaction(
        of: owner, named: name, equals: equals, fireImmediately: fireImmediately, schedule: schedule,
        isolation: owner, fileID: fileID, line: line, Isolation.plain(track), onChange: Isolation.plain(onChange))
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor, the new value and the previous one
/// whenever the value changes; see `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult @inlinable
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner, V, V) -> Void
) -> Reaction {
    reaction(
        of: owner, named: name, equals: equals, fireImmediately: fireImmediately, schedule: schedule,
        isolation: owner, fileID: fileID, line: line, Isolation.plain(track), onChange: Isolation.plain(onChange))
}
