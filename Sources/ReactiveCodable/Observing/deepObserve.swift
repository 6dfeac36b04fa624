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
/// - What is reached: observables in structs, classes, arrays, dictionaries, optionals and payloads of enums, those
///   inside their values, and so on; and what a custom `encode(to:)` reads. What is not encoded is not observed. Only
///   `Encodable` is asked for.
/// - Calls once for each transaction, not on creation. A value that was put back, and a transaction that was rolled
///   back, calls nobody.
/// - The first walk visits the whole graph. After that a change costs what changed: the observable's new value is
///   walked, and nothing else. What left the graph is no longer observed; what came is.
/// - Of an array that is the value of an observable, only elements that came or were replaced are walked. They are found
///   by comparing the bits of the elements with those of the last array, which is kept for that: an array that is
///   mutated in place is copied once for each transaction. Dictionaries, sets and arrays that lie deeper in a value are
///   walked as a whole, as are, if changes are asked for, arrays whose elements read their observables in an
///   `encode(to:)` of their own.
/// - Depth costs memory, not stack. Shared parts and cycles are fine.
/// - An `encode(to:)` that throws is reported to `Diagnostics.onIssue` with its path; the rest is observed.
/// - The reaction belongs to the graph that the root's state belongs to: that of the first observable that encoding
///   meets. State of a different graph is not observed, and reported.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onChange: Runs outside the library's lock, untracked, its writes batched; its runs never overlap. Kept until the
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

/// Calls `onChange` with its owner after any change to any observable that encoding `root` would reach, for as long as
/// the owner lives.
///
/// ```swift
/// deepObserve(state, of: self) { $0.save() }
/// ```
///
/// As `deepObserve` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is next
/// due. `root` may be the owner itself, which is not kept alive then; but it must not lead to the owner by other
/// references.
///
/// - Parameters:
///   - root: The root of the graph. Kept until the reaction is cancelled, unless it is the owner.
///   - owner: The argument of `onChange`. Held weakly.
///   - name: The name in diagnostics. Without one, the file and line of the call.
///   - schedule: The schedule of the calls; by default immediate.
///   - isolation: The actor that runs `onChange`; by default the caller's. Changes elsewhere reach it with one hop.
///   - fileID: The file of the call.
///   - line: The line of the call.
///   - onChange: Gets the owner. Runs outside the library's lock, untracked, its writes batched; its runs never
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

/// Calls `onChange` on an actor after any change to any observable that encoding `root` would reach, for as long as the
/// actor lives.
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
///   - onChange: Gets the actor. Runs outside the library's lock, untracked, its writes batched; its runs never
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

/// Creates the reaction, in the graph that the root's state belongs to.
func follow(
    _ root: some Encodable, _ effect: DeepObserver.Effect, named name: String?, schedule: Schedule,
    isolation: (any Actor)?, fileID: StaticString, line: UInt, pathLimit: Int = 64
) -> Reaction {
    let graph = GraphHandle(ofStateIn: root)
    let observer = DeepObserver(in: graph, ValueCell.maker(for: root), effect, pathLimit: pathLimit)
    return graph.run {
        .made(of: observer, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
    }
}

/// Creates the reaction, in the graph that the root's state belongs to, for as long as the owner lives.
func follow<Owner: AnyObject>(
    _ root: some Encodable, of owner: Owner, named name: String?, schedule: Schedule, isolation: (any Actor)?,
    fileID: StaticString, line: UInt, pathLimit: Int = 64, _ effect: (WeakOwner<Owner>) -> DeepObserver.Effect
) -> Reaction {
    let graph = GraphHandle(ofStateIn: root)
    let makeRoot = ValueCell.maker(for: root, of: owner)
    let owner = WeakOwner(owner)
    let observer = DeepObserver(in: graph, makeRoot, effect(owner), pathLimit: pathLimit)
    return graph.run {
        .made(
            of: observer, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line)
    }
}
