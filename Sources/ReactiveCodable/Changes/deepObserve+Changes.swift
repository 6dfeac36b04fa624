// `deepObserve` with the changes.

public import Reactive

/// Calls `onChange` with the changes, after each transaction that changes an observable reachable by encoding `root`,
/// at any depth.
///
/// ```swift
/// let observer = deepObserve(state) { changes in
///     for change in changes { print(change.pointer) }
/// }
/// state.todos[0].title = "Buy milk"  // prints "/todos/0/title"
/// ```
///
/// Behaves like `deepObserve(_:_:)` without changes, and also keeps the last value of each observable, for
/// ``Change/oldValue``. So an array, dictionary, set or string that is mutated in place is copied, once for each
/// transaction.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - pathLimit: The maximum number of paths to each change. A shared observable may have many.
///   - onChange: Receives the changes. Runs outside the library's lock, untracked, its writes batched. Its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it. Releasing it does not stop it.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable>(
    _ root: Root, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    pathLimit: Int = 64, _ onChange: @escaping (DeepChanges) -> Void
) -> Reaction {
    follow(
        root, .onChanges { onChange(DeepChanges($0)) }, named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line, pathLimit: pathLimit)
}

// MARK: - With an owner

/// Calls `onChange` with its owner and the changes, after each transaction that changes an observable reachable by
/// encoding `root`, until the owner is released.
///
/// Behaves like `deepObserve(_:of:_:)` without changes, and also keeps the last value of each observable, for
/// ``Change/oldValue``.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled, unless it is the owner.
///   - owner: The argument of `onChange`. Held weakly.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - pathLimit: The maximum number of paths to each change. A shared observable may have many.
///   - onChange: Receives the owner and the changes. Runs outside the library's lock, untracked, its writes batched.
///     Its runs never overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it early.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable, Owner: AnyObject>(
    _ root: Root, of owner: Owner, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, pathLimit: Int = 64,
    _ onChange: @escaping (Owner, DeepChanges) -> Void
) -> Reaction {
    follow(
        root, of: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
        pathLimit: pathLimit
    ) { owner in
        .onChanges { record in owner.act { onChange($0, DeepChanges(record)) } }
    }
}

/// Calls `onChange` on an actor with the changes, after each transaction that changes an observable reachable by
/// encoding `root`, until the actor is released.
///
/// Behaves like `deepObserve(_:of:_:)` for an object. `onChange` may access the actor like the actor's own methods.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled, unless it is the owner.
///   - owner: The actor that runs `onChange` and is its argument. Held weakly.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - pathLimit: The maximum number of paths to each change. A shared observable may have many.
///   - onChange: Receives the actor and the changes. Runs outside the library's lock, untracked, its writes batched.
///     Its runs never overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it early.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable, Owner: Actor>(
    _ root: Root, of owner: isolated Owner, named name: String? = nil, schedule: Schedule = .immediate,
    fileID: StaticString = #fileID, line: UInt = #line, pathLimit: Int = 64,
    _ onChange: @escaping (isolated Owner, DeepChanges) -> Void
) -> Reaction {
    let onChange = Isolation.plain(onChange)
    return follow(
        root, of: owner, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        pathLimit: pathLimit
    ) { owner in
        .onChanges { record in owner.act { onChange($0, DeepChanges(record)) } }
    }
}
