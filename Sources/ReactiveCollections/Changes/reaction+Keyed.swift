// `reaction(to:)`: the changes of dictionaries, views by key, and sets.

import Reactive

/// Calls a closure with the changes of a dictionary whenever it changes.
///
/// ```swift
/// reaction(to: stock) { changes in
///     for change in changes { print(change) }  // prints "update(3, forKey: apples, was: 4)"
/// }
/// ```
///
/// The changes turn the contents of the previous call, or those at the creation of the reaction, into the current ones.
/// There is at most one change for each key, in no particular order. A transaction causes one call, or no call if it
/// has no net effect. The closure is not called on creation.
///
/// The reaction keeps the entries that it delivered last.
///
/// - Parameters:
///   - dictionary: The dictionary, which the reaction keeps alive.
///   - name: The name of the reaction in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of runs that are due; by default they run immediately. Several changes of a key are
///     merged into one.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes from elsewhere arrive after
///     one hop.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - onChange: Receives the changes. Runs outside the library's lock, untracked, its writes batched. Its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; releasing it does not stop it.
/// - Complexity: O(N) on creation, O(1) for each key that changed.
@discardableResult
public func reaction<Key: Hashable, Value>(
    to dictionary: ObservableDictionary<Key, Value>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower(dictionary.live, onChange), in: dictionary.graphHandle, named: name,
        schedule: schedule, isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a dictionary whenever it changes, for as long as the owner lives.
///
/// Like `reaction(to:)` without an owner. Once the owner is gone, the reaction is cancelled, at the latest when it is
/// next due.
@discardableResult
public func reaction<Owner: AnyObject, Key: Hashable, Value>(
    of owner: Owner, to dictionary: ObservableDictionary<Key, Value>, named name: String? = nil,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ onChange: @escaping (Owner, [KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let follower = KeyedFollower(dictionary.live) { changes in owner.act { onChange($0, changes) } }
    return .started(
        following: follower, for: owner, in: follower.graph, named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line)
}

/// Calls a closure on an actor with the actor and the changes of a dictionary whenever it changes, for as long as the
/// actor lives.
///
/// Like `reaction(of:to:)` for an object. The closure may use the actor as its own methods do.
@discardableResult
public func reaction<Owner: Actor, Key: Hashable, Value>(
    of owner: isolated Owner, to dictionary: ObservableDictionary<Key, Value>, named name: String? = nil,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (isolated Owner, [KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    reaction(
        of: owner, to: dictionary, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(onChange))
}

// MARK: - Views

/// Calls a closure with the changes of a view by key whenever it changes.
///
/// Like `reaction(to:)` for a dictionary, which describes the parameters.
@discardableResult
public func reaction<Key: Hashable, Value>(
    to view: LiveDictionary<Key, Value>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower(view, onChange), in: view.stage.graph, named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a view by key whenever it changes, for as long as the owner lives.
///
/// Like `reaction(to:)` without an owner. Once the owner is gone, the reaction is cancelled, at the latest when it is
/// next due.
@discardableResult
public func reaction<Owner: AnyObject, Key: Hashable, Value>(
    of owner: Owner, to view: LiveDictionary<Key, Value>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (Owner, [KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let follower = KeyedFollower(view) { changes in owner.act { onChange($0, changes) } }
    return .started(
        following: follower, for: owner, in: follower.graph, named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line)
}

/// Calls a closure on an actor with the actor and the changes of a view by key whenever it changes, for as long as the
/// actor lives.
///
/// Like `reaction(of:to:)` for an object. The closure may use the actor as its own methods do.
@discardableResult
public func reaction<Owner: Actor, Key: Hashable, Value>(
    of owner: isolated Owner, to view: LiveDictionary<Key, Value>, named name: String? = nil,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (isolated Owner, [KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    reaction(
        of: owner, to: view, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(onChange))
}

// MARK: - Sets

/// Calls a closure with the changes of a set whenever it changes.
///
/// Like `reaction(to:)` for a dictionary, which describes the parameters.
@discardableResult
public func reaction<Element: Hashable>(
    to set: ObservableSet<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (SetChanges<Element>) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower.following(set, onChange), in: set.graphHandle, named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a set whenever it changes, for as long as the owner lives.
///
/// Like `reaction(to:)` without an owner. Once the owner is gone, the reaction is cancelled, at the latest when it is
/// next due.
@discardableResult
public func reaction<Owner: AnyObject, Element: Hashable>(
    of owner: Owner, to set: ObservableSet<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (Owner, SetChanges<Element>) -> Void
) -> Reaction {
    let owner = WeakOwner(owner)
    let follower = KeyedFollower.following(set) { changes in owner.act { onChange($0, changes) } }
    return .started(
        following: follower, for: owner, in: follower.graph, named: name, schedule: schedule, isolation: isolation,
        fileID: fileID, line: line)
}

/// Calls a closure on an actor with the actor and the changes of a set whenever it changes, for as long as the actor
/// lives.
///
/// Like `reaction(of:to:)` for an object. The closure may use the actor as its own methods do.
@discardableResult
public func reaction<Owner: Actor, Element: Hashable>(
    of owner: isolated Owner, to set: ObservableSet<Element>, named name: String? = nil,
    schedule: Schedule = .immediate, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (isolated Owner, SetChanges<Element>) -> Void
) -> Reaction {
    reaction(
        of: owner, to: set, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(onChange))
}

extension KeyedFollower where Value == Void {
    /// Returns a follower of a set.
    fileprivate static func following(
        _ set: ObservableSet<Key>, _ onChange: @escaping (SetChanges<Key>) -> Void
    ) -> KeyedFollower {
        KeyedFollower(StageNode(set), set.stageLog, set.liveEntries) { changes in
            let changes = SetChanges(changes)
            if !changes.isEmpty { onChange(changes) }
        }
    }
}
