// The `of:` forms of `when`: conditions of an owner.
//
// There is one for objects and one for actors; see Owner.swift. The form for actors calls the form for objects,
// isolated to the actor.

/// Calls `effect` with the owner once, as soon as `predicate` is true; immediately if it already is. Once the owner is
/// gone, it is never called.
///
/// - Parameters:
///   - owner: The object that the closures receive. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, untracked and outside the library's lock; its writes are batched. Inside a transaction it
///     runs when the transaction ends.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func when<Owner: AnyObject>(
    of owner: Owner, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping (Owner) -> Bool,
    effect: @escaping (Owner) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let once = OneTimeEffect({ owner.act(effect) }, createdIn: .current)
    return .started(
        for: owner, named: name, schedule: .immediate, isolation: isolation, fileID: fileID, line: line, effect: once
    ) { once.isDue = predicate($0) }
}

/// Calls `effect` on an actor once, as soon as `predicate` is true; immediately if it already is. Once the actor is
/// gone, it is never called.
///
/// Like `when` for an object; the closures may use the actor like its own methods.
///
/// - Parameters:
///   - owner: The actor that the closures receive and belong to. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs on the actor with the graph locked.
///   - effect: Runs once, on the actor, untracked and outside the library's lock; its writes are batched.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func when<Owner: Actor>(
    of owner: isolated Owner, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping (isolated Owner) -> Bool, effect: @escaping (isolated Owner) -> Void
) -> Reaction {
    when(
        of: owner, named: name, isolation: owner, fileID: fileID, line: line, Isolation.plain(predicate),
        effect: Isolation.plain(effect))
}

/// Waits until `predicate` of an object is true; returns immediately if it already is.
///
/// The wait keeps the owner alive.
///
/// - Parameters:
///   - owner: The object that `predicate` receives.
///   - timeout: The maximum time to wait; `nil` for no limit.
///   - clock: The clock that measures the timeout; tests pass their own.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the timeout has passed.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when<Owner: AnyObject, C: Clock>(
    of owner: Owner, timeout: Duration? = nil, clock: C = ContinuousClock(), named name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping (Owner) -> Bool
) async throws where C.Duration == Duration {
    let label = name ?? NodeName.describe(file: fileID.description, line: line)
    try await waitForEffect(timeout, clock, label, isolation: isolation) { effect in
        when(of: owner, named: name, isolation: isolation, fileID: fileID, line: line, predicate) { _ in effect() }
    }
}

/// Waits until `predicate` of an actor is true; returns immediately if it already is.
///
/// Like `when` for an object; the closure may use the actor like its own methods.
///
/// - Parameters:
///   - owner: The actor that `predicate` receives and belongs to.
///   - timeout: The maximum time to wait; `nil` for no limit.
///   - clock: The clock that measures the timeout; tests pass their own.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs on the actor with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the timeout has passed.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when<Owner: Actor, C: Clock>(
    of owner: isolated Owner, timeout: Duration? = nil, clock: C = ContinuousClock(), named name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping (isolated Owner) -> Bool
) async throws where C.Duration == Duration {
    try await when(
        of: owner, timeout: timeout, clock: clock, named: name, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(predicate))
}
