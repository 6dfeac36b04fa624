// `autorun`: runs a closure immediately, and again after each change of a value that its last run read.

/// Runs `body` now, and again whenever something that its last run read has changed.
///
/// ```swift
/// let observer = autorun { print("count:", count.value) }  // prints "count: 0"
/// count.value = 1  // prints "count: 1"
/// observer.cancel()
/// ```
///
/// - Each run determines its dependencies again.
/// - Changes made in one `inTransaction` cause one run. Without a transaction, each write causes a run before the
///   setter returns.
/// - A run that changes what it read runs again until nothing changes. After 100 runs the reaction is suspended until
///   the next change from outside, and an issue names the loop.
/// - The reaction continues until it is cancelled; releasing the result does not stop it. An autorun that is created
///   during a run of another reaction belongs to that reaction.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - isolation: The actor that `body` belongs to; by default the caller's. A write outside that actor runs it there
///     after one hop. Without an actor, it runs on the writing thread.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
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
        options: .ifNeeded(isolation: isolation, schedule: schedule), body: body)
    reaction.start()
    return reaction
}

/// Runs `body` now, and again whenever something that its last run read has changed. Passes the errors of `body` to
/// `onError`.
///
/// The reaction depends on everything that the failed run read before the error, and runs again when that changes.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - onError: Receives the error of a run that threw. Runs where `body` runs, untracked and outside the library's
///     lock; its writes are batched. Whatever it creates belongs to the failed run.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
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
        options: ReactionOptions(isolation: isolation, schedule: schedule, effect: effect)
    ) {
        do { try body() } catch { effect.fail(error) }
    }
    reaction.start()
    return reaction
}

/// An effect that passes the newest error to its handler.
private final class ErrorEffect: ReactionEffect {
    private let handler: (any Error) -> Void
    private var latest: (any Error)?
    private var delivered: (any Error)?

    init(_ handler: @escaping (any Error) -> Void) { self.handler = handler }

    func fail(_ error: any Error) {
        if let replaced = latest { DeferredReleases.add(value: replaced) }
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
        // The handler belongs to the run that failed: whatever it creates ends before the next run.
        Reaction.currentOwner?.owning(.tracked) { handler(error) }
    }
}
