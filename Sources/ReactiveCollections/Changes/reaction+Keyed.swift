// `reaction(to:)`: the changes of dictionaries, views by key, and sets.

import Reactive

/// Calls a closure with the changes of a dictionary whenever it has changed.
///
/// ```swift
/// reaction(to: stock) { changes in
///     for change in changes { print(change) }  // prints "update(3, forKey: apples, was: 4)"
/// }
/// ```
///
/// The changes lead from what the dictionary had when the reaction was created, or at the last call, to what it has
/// now: at most one for each key, in no particular order. A transaction gives one call; one whose net effect is none
/// gives no call. The closure is not called on creation.
///
/// The reaction keeps the entries as it delivered them.
///
/// - Parameters:
///   - dictionary: The dictionary, which the reaction keeps alive.
///   - name: What diagnostics call the reaction. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately. Several changes become one.
///   - isolation: The actor that `onChange` belongs to; by default the caller's. Changes elsewhere reach it by one hop.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - onChange: Gets the changes. Runs outside the library's lock, untracked, its writes batched; its runs never
///     overlap. Kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
/// - Complexity: O(N) on creation, O(1) for each key that changed.
@discardableResult
public func reaction<Key: Hashable, Value>(
    to dictionary: ObservableDictionary<Key, Value>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower(dictionary.live, onChange), named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a dictionary whenever it has changed, for as long as the
/// owner lives.
///
/// As `reaction(to:)` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is
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
        following: follower, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID,
        line: line)
}

/// Calls a closure on an actor with the actor and the changes of a dictionary whenever it has changed, for as
/// long as the actor lives.
///
/// As `reaction(of:to:)` for an object; the closure may use the actor as its own methods do.
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

/// Calls a closure with the changes of a view by key whenever it has changed.
///
/// As `reaction(to:)` for a dictionary; see there for the parameters.
@discardableResult
public func reaction<Key: Hashable, Value>(
    to view: LiveDictionary<Key, Value>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower(view, onChange), named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a view by key whenever it has changed, for as long as the
/// owner lives.
///
/// As `reaction(to:)` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is
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
        following: follower, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID,
        line: line)
}

/// Calls a closure on an actor with the actor and the changes of a view by key whenever it has changed, for as
/// long as the actor lives.
///
/// As `reaction(of:to:)` for an object; the closure may use the actor as its own methods do.
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

/// Calls a closure with the changes of a set whenever it has changed.
///
/// As `reaction(to:)` for a dictionary; see there for the parameters.
@discardableResult
public func reaction<Element: Hashable>(
    to set: ObservableSet<Element>, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ onChange: @escaping (SetChanges<Element>) -> Void
) -> Reaction {
    .started(
        following: KeyedFollower.following(set, onChange), named: name, schedule: schedule,
        isolation: isolation, fileID: fileID, line: line)
}

/// Calls a closure with an owner and the changes of a set whenever it has changed, for as long as the
/// owner lives.
///
/// As `reaction(to:)` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is
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
        following: follower, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: fileID,
        line: line)
}

/// Calls a closure on an actor with the actor and the changes of a set whenever it has changed, for as
/// long as the actor lives.
///
/// As `reaction(of:to:)` for an object; the closure may use the actor as its own methods do.
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
    /// Follows a set.
    fileprivate static func following(
        _ set: ObservableSet<Key>, _ onChange: @escaping (SetChanges<Key>) -> Void
    ) -> KeyedFollower {
        KeyedFollower(StageNode(set), set.stageLog, set.liveEntries) { changes in
            let changes = SetChanges(changes)
            if !changes.isEmpty { onChange(changes) }
        }
    }
}
