// `reaction(to:)`: the changes of an ordered view as edits.

import Reactive

/// Calls a closure with the edits of a view whenever it changes.
///
/// ```swift
/// reaction(to: todos.live.filter { !$0.isDone }) { changes in
///     for change in changes {
///         switch change {
///         case .insert(let todo, let row): table.insert(todo, at: row)
///         case .remove(_, let row): table.remove(at: row)
///         case .move(_, let from, let to): table.move(from: from, to: to)
///         case .update(let todo, let row, _): table.update(todo, at: row)
///         }
///     }
/// }
/// ```
///
/// The edits turn the elements of the previous call, or those at the creation of the reaction, into the current ones. A
/// transaction causes one call, or no call if it has no net effect. The closure is not called on creation: read
/// `view.elements` first.
///
/// The reaction keeps the elements that it delivered last: a reference or value for each.
///
/// - Parameters:
///   - view: The view, which the reaction keeps alive.
///   - name: The name of the reaction in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of runs that are due; by default they run immediately. The edits of several changes are
///     merged into one call.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes from elsewhere arrive after
///     one hop.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - onChange: Receives the edits. Runs outside the library's lock, untracked, its writes batched. Its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; releasing it does not stop it.
/// - Complexity: O(N) on creation. O(K log N) for K changed rows. Elements are not compared.
@discardableResult
public func reaction<Element>(
    to view: LiveArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (CollectionChanges<Element>) -> Void
) -> Reaction {
    .started(
        following: ArrayFollower(view, onChange), in: view.stage.graph, named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with the edits of an array whenever it changes.
///
/// Like `reaction(to:)` for a view, which describes the parameters.
@discardableResult
public func reaction<Element>(
    to array: ObservableArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (CollectionChanges<Element>) -> Void
) -> Reaction {
    reaction(
        to: array.live, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, onChange)
}

// MARK: - With an owner

/// Calls a closure with an owner and the edits of a view whenever it changes, for as long as the owner lives.
///
/// ```swift
/// reaction(of: self, to: rows) { me, changes in me.table.apply(changes) }
/// ```
///
/// Like `reaction(to:)` without an owner, which describes the other parameters. Once the owner is gone, the reaction is
/// cancelled, at the latest when it is next due.
///
/// - Parameters:
///   - owner: The object that `onChange` receives. Held weakly.
///   - view: The view, which the reaction keeps alive.
///   - name: The name of the reaction in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of runs that are due; by default they run immediately.
///   - isolation: The actor that `onChange` belongs to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - onChange: Receives the owner and the edits.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func reaction<Owner: AnyObject, Element>(
    of owner: Owner, to view: LiveArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (Owner, CollectionChanges<Element>) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let follower = ArrayFollower(view) { changes in owner.act { onChange($0, changes) } }
    return .started(
        following: follower, for: owner, in: view.stage.graph, named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line)
}

/// Calls a closure with an owner and the edits of an array whenever it changes, for as long as the owner lives.
///
/// Like `reaction(of:to:)` for a view, which describes the parameters.
@discardableResult
public func reaction<Owner: AnyObject, Element>(
    of owner: Owner, to array: ObservableArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (Owner, CollectionChanges<Element>) -> Void
) -> Reaction {
    reaction(
        of: owner, to: array.live, named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
        onChange)
}

/// Calls a closure on an actor with the actor and the edits of a view whenever it changes, for as long as the actor
/// lives.
///
/// Like `reaction(of:to:)` for an object. The closure may use the actor as its own methods do.
@discardableResult
public func reaction<Owner: Actor, Element>(
    of owner: isolated Owner, to view: LiveArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (isolated Owner, CollectionChanges<Element>) -> Void
) -> Reaction {
    reaction(
        of: owner, to: view, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(onChange))
}

/// Calls a closure on an actor with the actor and the edits of an array whenever it changes, for as long as the actor
/// lives.
///
/// Like `reaction(of:to:)` for an object. The closure may use the actor as its own methods do.
@discardableResult
public func reaction<Owner: Actor, Element>(
    of owner: isolated Owner, to array: ObservableArray<Element>, named name: String? = nil,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (isolated Owner, CollectionChanges<Element>) -> Void
) -> Reaction {
    reaction(
        of: owner, to: array.live, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(onChange))
}
