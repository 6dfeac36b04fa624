// `deepObserve`: follow everything that is reachable by encoding.

public import Reactive

/// Calls `onChange` after any change to any observable that encoding `root` would reach, however deep.
///
/// ```swift
/// struct Todo: Codable { @Observable var title = "" }
/// struct State: Codable { @Observable var todos = [Todo()] }
///
/// let state = State()
/// let reaction = deepObserve(state) { print("changed") }
/// state.todos[0].title = "Buy milk"  // prints "changed"
/// ```
///
/// - What is reached: observables in structs, classes, arrays, dictionaries, optionals and payloads of enums, those inside their values,
///   and so on; and what a custom `encode(to:)` reads. What is not encoded is not observed. Only `Encodable` is asked for.
/// - Calls once for each transaction, not on creation. A value that was put back, and a transaction that was rolled back, calls nobody.
/// - The first walk visits the whole graph. After that a change costs what changed: the observable's new value is walked, and nothing
///   else. What left the graph is no longer observed; what came is.
/// - Depth costs memory, not stack. Shared parts and cycles are fine.
/// - An `encode(to:)` that throws is reported to `Diagnostics.onIssue` with its path; the rest is observed.
///
/// - Parameters:
///   - root: Where to begin. Kept until the reaction is cancelled.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - schedule: When calls that are due happen; by default at once.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes elsewhere reach it by one hop.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - onChange: Runs outside the library's lock, untracked, its writes batched; its runs never overlap. Kept until the reaction is
///     cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
/// - Complexity: O(what encoding visits) at first; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable>(
    _ root: Root, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping () -> Void
) -> Reaction {
    let observer = DeepObserver(ValueCell.maker(for: root), .onChange(onChange))
    return .made(
        of: observer, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
}

/// Calls `onChange` with what changed, after any change to any observable that encoding `root` would reach, however deep.
///
/// ```swift
/// let reaction = deepObserve(state) { changes in
///     for change in changes { print(change.pointer) }
/// }
/// state.todos[0].title = "Buy milk"  // prints "/todos/0/title"
/// ```
///
/// As `deepObserve(_:_:)` without changes, and besides keeps the last value of each observable, for ``Change/oldValue``. That makes an
/// array, dictionary, set or string that is mutated in place be copied, once for each transaction.
///
/// - Parameters:
///   - root: Where to begin. Kept until the reaction is cancelled.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - schedule: When calls that are due happen; by default at once.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes elsewhere reach it by one hop.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - onChange: Gets the changes. Runs outside the library's lock, untracked, its writes batched; its runs never overlap. Kept until the
///     reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
/// - Complexity: O(what encoding visits) at first; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable>(
    _ root: Root, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (DeepChanges) -> Void
) -> Reaction {
    let observer = DeepObserver(ValueCell.maker(for: root), .onChanges(onChange))
    return .made(
        of: observer, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
}
