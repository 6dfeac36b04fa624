// The `of:` forms of `autorun`: reactions that end with their owner.
//
// There is one for objects and one for actors; see Owner.swift. The form for actors calls the form for objects,
// isolated to the actor.

/// Runs `body` with the owner now, and again whenever something that its last run read has changed, for as long as the
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
/// Like `autorun` without an owner. After the owner is released, the reaction is cancelled, at the latest when it is
/// next due.
///
/// - Parameters:
///   - owner: The object that `body` receives. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - isolation: The actor that `body` belongs to; by default the caller's. A write outside that actor runs it there
///     after one hop.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
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
/// Like `autorun` for an object; `body` may use the actor like its own methods.
///
/// - Parameters:
///   - owner: The actor that `body` receives and belongs to. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
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
