// `autorun`: run at once, and again after each change of what the last run read.

/// Runs `body` now, and again whenever something that its last run read has changed.
///
/// ```swift
/// let reaction = autorun { print("count:", count.value) }  // prints "count: 0"
/// count.value = 1  // prints "count: 1"
/// reaction.cancel()
/// ```
///
/// - Each run finds out anew what it depends on.
/// - Changes made in one ``inTransaction(_:)`` cause one run. Without a transaction each write runs it before the
///   setter returns.
/// - A run that changes what it read runs again until it settles; one that does not within 100 runs is suspended with
///   an issue that names the loop, until the next change from outside.
/// - It goes on until it is cancelled; dropping the result does not stop it. Made inside a run of another reaction, it
///   belongs to that.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - schedule: When runs that are due happen; by default at once.
///   - isolation: The actor that `body` belongs to; by default the caller's. A write elsewhere makes it run there by
///     one hop. Made in no isolation, it runs on the writing thread.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - body: Runs with the graph locked, one thread at a time, and is kept until the reaction is cancelled. It must not
///     wait for another thread; put such work into the effect of a `reaction`.
/// - Returns: The reaction, to cancel it.
@discardableResult
public func autorun(
    named name: String? = nil, schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: consuming @escaping () -> Void
) -> Reaction {
    let reaction = Reaction(
        named: name, fileID: fileID, line: line,
        extras: .ifNeeded(isolation: isolation, schedule: schedule), body: body)
    reaction.start()
    return reaction
}

/// Runs `body` now, and again whenever something that its last run read has changed; hands what it throws to `onError`.
///
/// The reaction stays subscribed to what the failed run read up to the error, and runs again when that changes.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - schedule: When runs that are due happen; by default at once.
///   - onError: Gets the error of a run that threw. Runs outside the library's lock, untracked, its writes batched,
///     where `body` runs. What it makes belongs to the failed run.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - body: As for ``autorun(named:schedule:isolation:fileID:line:_:)``, and may throw.
/// - Returns: The reaction, to cancel it.
@discardableResult
public func autorun(
    named name: String? = nil, schedule: Schedule = .immediate, onError: @escaping (any Error) -> Void,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () throws -> Void
) -> Reaction {
    let effect = ErrorEffect(onError)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line,
        extras: ReactionExtras(isolation: isolation, schedule: schedule, effect: effect)
    ) {
        do { try body() } catch { effect.fail(error) }
    }
    reaction.start()
    return reaction
}

/// Hands the newest error to its handler.
private final class ErrorEffect: ReactionEffect {
    private let handler: (any Error) -> Void
    private var latest: (any Error)?
    private var delivered: (any Error)?

    init(_ handler: @escaping (any Error) -> Void) { self.handler = handler }

    func fail(_ error: any Error) {
        if let replaced = latest { Trash.add(value: replaced) }
        latest = error
        isDue = true
    }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        delivered = latest
        latest = nil
    }

    override func run() {
        guard let error = delivered else { return }
        delivered = nil
        // The handler belongs to the run that failed: what it makes ends before the next one.
        Reaction.currentOwner?.owning(.tracked) { handler(error) }
    }
}
