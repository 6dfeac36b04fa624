// The `of:` forms of `autorun`: reactions that end with their owner.
//
// For an object, and for an actor; see Owner.swift. An actor's form is the object's form, isolated to the actor.

/// Runs `body` with its owner now, and again whenever something that its last run read has changed, for as long as the
/// owner lives.
///
/// ```swift
/// final class Screen {
///     init(_ state: AppState) {
///         autorun(of: self) { $0.show(state.title) }  // ends with the screen
///     }
///     func show(_ title: String) { print(title) }
/// }
/// ```
///
/// As `autorun` without an owner. When the owner is gone, the reaction is cancelled, at the latest when it is next due.
///
/// - Parameters:
///   - owner: What `body` gets. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately.
///   - isolation: The actor that `body` belongs to; by default the caller's. A write elsewhere makes it run there by
///     one hop.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - body: Runs with the graph locked, one thread at a time, and is kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func autorun<Owner: AnyObject>(
    of owner: Owner, named name: String? = nil, schedule: Schedule = .immediate,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (Owner) -> Void
) -> Reaction {
    .started(
        for: WeakOwner(owner), named: name, schedule: schedule, isolation: isolation, fileID: fileID, line: line, body)
}

/// Runs `body` on an actor now, and again whenever something that its last run read has changed, for as long as the
/// actor lives.
///
/// ```swift
/// autorun(of: self) { me in me.seen = messages.value.count }
/// ```
///
/// As `autorun` for an object; `body` may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that `body` gets and belongs to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - schedule: When runs that are due happen; by default immediately.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - body: Runs on the actor with the graph locked, and is kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it earlier.
@discardableResult
public func autorun<Owner: Actor>(
    of owner: isolated Owner, named name: String? = nil, schedule: Schedule = .immediate,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping (isolated Owner) -> Void
) -> Reaction {
    autorun(
        of: owner, named: name, schedule: schedule, isolation: owner, fileID: fileID, line: line,
        Isolation.plain(body))
}
