// `deepObserve` with what changed.

public import Reactive

/// Calls `onChange` with what changed, after any change to any observable that encoding `root` would reach, however
/// deep.
///
/// ```swift
/// let reaction = deepObserve(state) { changes in
///     for change in changes { print(change.pointer) }
/// }
/// state.todos[0].title = "Buy milk"  // prints "/todos/0/title"
/// ```
///
/// As `deepObserve(_:_:)` without changes, and besides keeps the last value of each observable, for
/// ``Change/oldValue``. That makes an array, dictionary, set or string that is mutated in place be copied, once for
/// each transaction.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - pathLimit: How many paths to each change are looked for: an observable that is shared may have many.
///   - onChange: Gets the changes. Runs outside the library's lock, untracked, its writes batched; its runs never
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

/// Calls `onChange` with its owner and what changed, after any change to any observable that encoding `root` would
/// reach, for as long as the owner lives.
///
/// As `deepObserve(_:of:_:)` with the owner alone, and besides keeps the last value of each observable, for
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
///   - pathLimit: How many paths to each change are looked for: an observable that is shared may have many.
///   - onChange: Gets the owner and the changes. Runs outside the library's lock, untracked, its writes batched; its
///     runs never overlap. Kept until the reaction is cancelled.
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

/// Calls `onChange` on an actor with what changed, after any change to any observable that encoding `root` would reach,
/// for as long as the actor lives.
///
/// As `deepObserve(_:of:_:)` for an object; `onChange` may use the actor as its own methods do.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled, unless it is the owner.
///   - owner: The actor that runs `onChange` and is its argument. Held weakly.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - pathLimit: How many paths to each change are looked for: an observable that is shared may have many.
///   - onChange: Gets the actor and the changes. Runs outside the library's lock, untracked, its writes batched; its
///     runs never overlap. Kept until the reaction is cancelled.
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
