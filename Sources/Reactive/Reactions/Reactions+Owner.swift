// The `of:` forms of `autorun`, `reaction`, `when` and `values`: reactions that end with their owner.
//
// Each comes for an object and for an actor (see Owner.swift), and both come down to `Reaction.started(for:)`.
// Parameters with defaults keep their number small: `equals:` is the type's own rule unless given, and there is one
// order of the closures, with labels.

/// Runs `body` with its owner now, and again whenever something that its last run read has changed, for as long as the
/// owner lives.
///
/// ```swift
/// final class Screen {
///     init(_ state: AppState) {
///         autorun(of: self) { $0.show(state.title) }  // ends with the screen
///     }
///     func show(_ title: String) { print(title) }
/// }
/// ```
///
/// As `autorun` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is next due.
///
/// - Parameters:
///   - owner: What `body` gets. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately.
///   - isolation: The actor that `body` belongs to; by default the caller's. A write elsewhere makes it run there by
///     one hop.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - body: Runs with the graph locked, one thread at a time, and is kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func autorun<Owner: AnyObject>(
    of owner: Owner, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (Owner) -> Void
) -> Reaction {
    .started(
        for: WeakOwner(owner), named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, body)
}

/// Runs `body` on an actor now, and again whenever something that its last run read has changed, for as long as the
/// actor lives.
///
/// ```swift
/// autorun(of: self) { me in me.seen = messages.value.count }
/// ```
///
/// As `autorun` for an object; `body` may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that `body` gets and belongs to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - body: Runs on the actor with the graph locked, and is kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func autorun<Owner: Actor>(
    of owner: isolated Owner, named name: String? = nil, schedule: Schedule = .immediate,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (isolated Owner) -> Void
) -> Reaction {
    .started(
        for: WeakOwner(owner), named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(body))
}

// MARK: - reaction

/// Evaluates `track` with its owner now, and calls `onChange` with the owner and the new value whenever that changes,
/// for as long as the owner lives.
///
/// ```swift
/// reaction(of: self) { $0.text } onChange: { me, text in me.save(text) }
/// ```
///
/// As `reaction` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is next
/// due. `onChange` may also take the owner alone, or the owner, the new value and the one before.
///
/// - Parameters:
///   - owner: What the closures get. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - equals: When two values count as the same; without one the type decides, see ``Equality``.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: When runs that are due happen; by default immediately.
///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one
///     hop.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - track: Returns the value to follow. Runs with the graph locked, one thread at a time.
///   - onChange: Runs outside the library's lock, untracked, its writes batched. Both closures are kept until the
///     reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner, V) -> Void
) -> Reaction {
    makeReaction(
        of: owner, name, equals, fireImmediately, schedule, isolation, fileID, line, track,
        { me, new, _ in onChange(me, new) })
}

/// Evaluates `track` with its owner now, and calls `onChange` with the owner whenever its value changes; see
/// `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner) -> Void
) -> Reaction {
    makeReaction(
        of: owner, name, equals, fireImmediately, schedule, isolation, fileID, line, track, { me, _, _ in onChange(me) }
    )
}

/// Evaluates `track` with its owner now, and calls `onChange` with the owner, the new value and the one before whenever
/// its value changes; see `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult
public func reaction<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping (Owner) -> V, onChange: @escaping (Owner, V, V) -> Void
) -> Reaction {
    makeReaction(
        of: owner, name, equals, fireImmediately, schedule, isolation, fileID, line, track, onChange)
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor and the new value whenever that
/// changes, for as long as the actor lives.
///
/// As `reaction` for an object; the closures may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that the closures get and belong to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - equals: When two values count as the same; without one the type decides, see ``Equality``.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: When runs that are due happen; by default immediately.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - track: Returns the value to follow. Runs on the actor with the graph locked.
///   - onChange: Runs on the actor outside the library's lock, untracked, its writes batched. Both closures are kept
///     until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner, V) -> Void
) -> Reaction {
    let onChange = Isolation.plain(onChange)
    return makeReaction(
        of: owner, name, equals, fireImmediately, schedule, owner, fileID, line, Isolation.plain(track),
        { me, new, _ in onChange(me, new) })
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor whenever its value changes; see
/// `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner) -> Void
) -> Reaction {
    let onChange = Isolation.plain(onChange)
    return makeReaction(
        of: owner, name, equals, fireImmediately, schedule, owner, fileID, line, Isolation.plain(track),
        { me, _, _ in onChange(me) })
}

/// Evaluates `track` on an actor now, and calls `onChange` on it with the actor, the new value and the one before
/// whenever its value changes; see `reaction(of: owner) { … } onChange: { owner, newValue in … }`.
@discardableResult
public func reaction<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, equals: Equality<V>? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping (isolated Owner) -> V, onChange: @escaping (isolated Owner, V, V) -> Void
) -> Reaction {
    makeReaction(
        of: owner, name, equals, fireImmediately, schedule, owner, fileID, line, Isolation.plain(track),
        Isolation.plain(onChange))
}

private func makeReaction<Owner: AnyObject, V>(
    of owner: Owner, _ name: String?, _ equality: Equality<V>?, _ fireImmediately: Bool, _ schedule: Schedule,
    _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, _ track: @escaping (Owner) -> V,
    _ onChange: @escaping (Owner, V, V) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let effect = ValueEffect(equality ?? .automatic, firesImmediately: fireImmediately) { new, old in
        owner.act { onChange($0, new, old) }
    }
    return .started(
        for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, effect: effect
    ) { effect.observe(track($0)) }
}

// MARK: - when

/// Calls `effect` with its owner once, as soon as `predicate` is true; immediately if it is already; never once the
/// owner is gone.
///
/// - Parameters:
///   - owner: What the closures get. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, outside the library's lock, untracked, its writes batched. Inside a transaction it waits for
///     its end.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func when<Owner: AnyObject>(
    of owner: Owner, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping (Owner) -> Bool,
    effect: @escaping (Owner) -> Void
) -> Reaction {
    makeWhen(of: owner, name, isolation, fileID, line, predicate, effect)
}

/// Calls `effect` on an actor once, as soon as `predicate` is true; immediately if it is already; never once the actor
/// is gone.
///
/// As `when` for an object; the closures may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that the closures get and belong to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - predicate: The condition. Tracked; runs on the actor with the graph locked.
///   - effect: Runs once, on the actor, outside the library's lock, untracked, its writes batched.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func when<Owner: Actor>(
    of owner: isolated Owner, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping (isolated Owner) -> Bool, effect: @escaping (isolated Owner) -> Void
) -> Reaction {
    makeWhen(of: owner, name, owner, fileID, line, Isolation.plain(predicate), Isolation.plain(effect))
}

private func makeWhen<Owner: AnyObject>(
    of owner: Owner, _ name: String?, _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
    _ predicate: @escaping (Owner) -> Bool, _ effect: @escaping (Owner) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let once = OneTimeEffect({ owner.act(effect) }, createdIn: .current)
    return .started(
        for: owner, named: name, schedule: .immediate, isolation: isolation, fileID: fileID, line: line, effect: once
    ) { once.isDue = predicate($0) }
}

/// Waits until `predicate` of an object is true; returns immediately if it is already.
///
/// The wait keeps the owner alive.
///
/// - Parameters:
///   - owner: What `predicate` gets.
///   - timeout: How long to wait at most; `nil` for ever.
///   - clock: Where time comes from; tests hand in their own.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - predicate: The condition. Tracked; runs with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the time is up.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when<Owner: AnyObject, C: Clock>(
    of owner: Owner, timeout: Duration? = nil, clock: C = ContinuousClock(), named name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping (Owner) -> Bool
) async throws where C.Duration == Duration {
    let label = name ?? NodeName.describe(file: fileID.description, line: line)
    try await waitForEffect(timeout, clock, label, isolation: isolation) { effect in
        makeWhen(of: owner, name, isolation, fileID, line, predicate, { _ in effect() })
    }
}

/// Waits until `predicate` of an actor is true; returns immediately if it is already.
///
/// As `when` for an object; the closure may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that `predicate` gets and belongs to.
///   - timeout: How long to wait at most; `nil` for ever.
///   - clock: Where time comes from; tests hand in their own.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - predicate: The condition. Tracked; runs on the actor with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the time is up.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when<Owner: Actor, C: Clock>(
    of owner: isolated Owner, timeout: Duration? = nil, clock: C = ContinuousClock(), named name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping (isolated Owner) -> Bool
) async throws where C.Duration == Duration {
    let label = name ?? NodeName.describe(file: fileID.description, line: line)
    let predicate = Isolation.plain(predicate)
    try await waitForEffect(timeout, clock, label, isolation: owner) { effect in
        makeWhen(of: owner, name, owner, fileID, line, predicate, { _ in effect() })
    }
}

// MARK: - values

/// The values of an expression over time, for as long as its owner lives: the current one first, then one after each
/// change.
///
/// As ``values(named:isolation:fileID:line:of:)``. When the owner is gone, the sequence ends, at the latest with the
/// next change.
///
/// - Parameters:
///   - owner: What `expression` gets. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - expression: Tracked; runs immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails, and ends with the owner.
public func values<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ expression: @escaping (Owner) -> V
) -> ObservedValues<V> {
    makeValues(of: owner, name, isolation, fileID, line, expression)
}

/// The values of an expression of an actor over time, for as long as the actor lives: the current one first, then one
/// after each change.
///
/// As `values` for an object; the closure may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that `expression` gets and belongs to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - expression: Tracked; runs on the actor, immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails, and ends with the owner.
public func values<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ expression: @escaping (isolated Owner) -> V
) -> ObservedValues<V> {
    makeValues(of: owner, name, owner, fileID, line, Isolation.plain(expression))
}

private func makeValues<Owner: AnyObject, V>(
    of owner: Owner, _ name: String?, _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
    _ expression: @escaping (Owner) -> V
) -> ObservedValues<V> {
    makeValues { end in
        makeReaction(of: owner, name, nil, true, .immediate, isolation, fileID, line, expression) { _, new, _ in
            end.channel.send(new)
        }
    }
}
