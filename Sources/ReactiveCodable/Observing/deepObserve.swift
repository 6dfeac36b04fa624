// `deepObserve`: observes everything that is reachable by encoding.

public import Reactive

/// Calls `onChange` after each transaction that changes an observable reachable by encoding `root`, at any depth.
///
/// ```swift
/// struct Todo: Codable { @Observable var title = "" }
/// struct State: Codable { @Observable var todos = [Todo()] }
///
/// let state = State()
/// let observer = deepObserve(state) { print("changed") }
/// state.todos[0].title = "Buy milk"  // prints "changed"
/// ```
///
/// - Observables are found in structs, classes, arrays, dictionaries, optionals and payloads of enums, in the values of
///   other observables, and among the values that a custom `encode(to:)` reads. What is not encoded is not observed.
///   The root only needs to be `Encodable`.
/// - `onChange` runs once for each transaction, not on creation. It does not run if the transaction restored
///   all values or was rolled back. An array that was mutated in place, or a value that is not `Equatable`, may
///   count as changed even if it was restored.
/// - The first walk visits the whole graph. After that, a change costs what it changed: only the observable's new value
///   is walked. Objects that leave the graph are no longer observed; new objects are.
/// - In an array that is the value of an observable, only new elements are walked. They are found by comparing the bits
///   of the elements with those of the last array, which is kept for this purpose. So an array that is mutated in place
///   is copied once for each transaction. Dictionaries with string or integer keys are walked by key, in the same
///   manner. Sets, other dictionaries, and collections deeper inside a value are walked as a whole. If changes are
///   requested, so are arrays and dictionaries whose elements read their observables in an `encode(to:)` of their own.
/// - Memory limits the depth of the graph, not the stack. Shared objects and cycles are allowed.
/// - If an `encode(to:)` throws, `Diagnostics.onIssue` receives an issue with the path; the rest is observed.
/// - The reaction belongs to the graph of the root's state: that of the first observable that encoding reaches. State
///   of a different graph is not observed, and is reported.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onChange: Runs outside the library's lock, untracked, its writes batched. Its runs never overlap. Kept until the
///     reaction is cancelled.
/// - Returns: The reaction, to cancel it. Releasing it does not stop it.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable>(
    _ root: Root, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping () -> Void
) -> Reaction {
    follow(root, .onChange(onChange), named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
}

// MARK: - With an owner

/// Calls `onChange` with its owner after each transaction that changes an observable reachable by encoding `root`,
/// until the owner is released.
///
/// ```swift
/// deepObserve(state, of: self) { $0.save() }
/// ```
///
/// Behaves like `deepObserve` without an owner. When the owner has been released, the reaction is cancelled, at the
/// latest when it would next run. `root` may be the owner itself, which is then not kept alive. But it must not contain
/// other references to the owner.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled, unless it is the owner.
///   - owner: The argument of `onChange`. Held weakly.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onChange: Receives the owner. Runs outside the library's lock, untracked, its writes batched. Its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it early.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable, Owner: AnyObject>(
    _ root: Root, of owner: Owner, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ onChange: @escaping (Owner) -> Void
) -> Reaction {
    follow(
        root, of: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line
    ) { owner in
        .onChange { owner.act(onChange) }
    }
}

/// Calls `onChange` on an actor after each transaction that changes an observable reachable by encoding `root`, until
/// the actor is released.
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
///   - onChange: Receives the actor. Runs outside the library's lock, untracked, its writes batched. Its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it early.
/// - Complexity: O(what encoding visits) on creation; then O(what changed) for each transaction.
@discardableResult
public func deepObserve<Root: Encodable, Owner: Actor>(
    _ root: Root, of owner: isolated Owner, named name: String? = nil, schedule: Schedule = .immediate,
    fileID: StaticString = #fileID, line: UInt = #line, _ onChange: @escaping (isolated Owner) -> Void
) -> Reaction {
    let onChange = Isolation.plain(onChange)
    return follow(
        root, of: owner, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line
    ) { owner in
        .onChange { owner.act(onChange) }
    }
}

// MARK: - Reactions

/// Creates the reaction, in the graph of the root's state.
func follow(
    _ root: some Encodable, _ effect: DeepObserver.Effect, named name: String?, schedule: Schedule,
    isolation: (any Actor)?, fileID: StaticString, line: UInt, pathLimit: Int = 64
) -> Reaction {
    let graph = GraphHandle(ofStateIn: root)
    let observer = DeepObserver(in: graph, ValueCell.maker(for: root), effect, pathLimit: pathLimit)
    return graph.run {
        .started(of: observer, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
    }
}

/// Creates the reaction, in the graph of the root's state, until the owner is released.
func follow<Owner: AnyObject>(
    _ root: some Encodable, of owner: Owner, named name: String?, schedule: Schedule, isolation: (any Actor)?,
    fileID: StaticString, line: UInt, pathLimit: Int = 64, _ effect: (WeakOwner<Owner>) -> DeepObserver.Effect
) -> Reaction {
    let graph = GraphHandle(ofStateIn: root)
    let makeRoot = ValueCell.maker(for: root, of: owner)
    let owner = WeakOwner(owner)
    let observer = DeepObserver(in: graph, makeRoot, effect(owner), pathLimit: pathLimit)
    return graph.run {
        .started(
            of: observer, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
    }
}
