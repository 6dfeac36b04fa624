// `reaction(to:)`: the changes of an ordered view as edits.

import Reactive

/// Calls a closure with the edits of a view whenever it has changed.
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
/// The edits lead from what the view had when the reaction was created, or at the last call, to what it has now. A
/// transaction gives one call; one whose net effect is none gives no call. The closure is not called on creation: read
/// `view.elements` before.
///
/// The reaction keeps the elements as it delivered them, one reference or value each.
///
/// - Parameters:
///   - view: The view, which the reaction keeps alive.
///   - name: What diagnostics call the reaction. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately. The edits of several changes become those of
///     one.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes elsewhere reach it by one hop.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - onChange: Gets the edits. Runs outside the library's lock, untracked, its writes batched; its runs never overlap.
///     Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
/// - Complexity: O(N) on creation. O(K log N) for K changed rows, and no row's element is compared.
@discardableResult
public func reaction<Element>(
    to view: LiveArray<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (CollectionChanges<Element>) -> Void
) -> Reaction {
    .started(
        following: ArrayFollower(view, onChange), named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line)
}

/// Calls a closure with the edits of an array whenever it has changed.
///
/// As `reaction(to:)` for a view; see there for the parameters.
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

/// Calls a closure with an owner and the edits of a view whenever it has changed, for as long as the owner lives.
///
/// ```swift
/// reaction(of: self, to: rows) { me, changes in me.table.apply(changes) }
/// ```
///
/// As `reaction(to:)` without an owner; see there for the other parameters. When the owner is gone, the reaction is
/// cancelled, at the latest when it is next due.
///
/// - Parameters:
///   - owner: What the closure gets. Held weakly.
///   - view: The view, which the reaction keeps alive.
///   - name: What diagnostics call the reaction. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately.
///   - isolation: The actor that `onChange` belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - onChange: Gets the owner and the edits.
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
        following: follower, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID,
        line: line)
}

/// Calls a closure with an owner and the edits of an array whenever it has changed, for as long as the owner lives.
///
/// As `reaction(of:to:)` for a view; see there for the parameters.
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

/// Calls a closure on an actor with the actor and the edits of a view whenever it has changed, for as long as the actor
/// lives.
///
/// As `reaction(of:to:)` for an object; the closure may use the actor as its own methods do.
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

/// Calls a closure on an actor with the actor and the edits of an array whenever it has changed, for as long as the
/// actor lives.
///
/// As `reaction(of:to:)` for an object; the closure may use the actor as its own methods do.
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
