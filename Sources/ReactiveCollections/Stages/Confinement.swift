// Closures of operators that belong to an actor. If one is called elsewhere, the program stops with a message.

import Reactive

/// Returns a closure that calls `body` and stops the program outside its actor; returns `body` if there is no actor.
@inlinable @inline(__always)
func confined<Input, Result>(
    _ body: @escaping (Input) -> Result, to isolation: (any Actor)?
) -> (Input) -> Result {
    if let isolation { return checking(body, on: isolation) }
    return body
}

@usableFromInline @inline(never)
func checking<Input, Result>(_ body: @escaping (Input) -> Result, on actor: any Actor) -> (Input) -> Result {
    let check = EvaluationCheck(actor)
    return {
        check.run()
        return body($0)
    }
}

/// The check that a closure runs on its actor. It runs once for each evaluation that calls the closure.
private final class EvaluationCheck {
    private let isolation: ClosureIsolation
    /// The last evaluation that was checked.
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) private final var checked = UInt64.max

    init(_ actor: any Actor) { isolation = ClosureIsolation(actor) }

    func run() { isolation.checkEvaluation(since: &checked) }
}

/// Does what `confined(_:to:)` does, for closures with two parameters.
@inlinable @inline(__always)
func confined<First, Second, Result>(
    _ body: @escaping (First, Second) -> Result, to isolation: (any Actor)?
) -> (First, Second) -> Result {
    guard let isolation else { return body }
    let checked = checking({ (pair: (First, Second)) in body(pair.0, pair.1) }, on: isolation)
    return { checked(($0, $1)) }
}

/// Does what `confined(_:to:)` does, for closures without parameters.
@inlinable @inline(__always)
func confined<Result>(_ body: @escaping () -> Result, to isolation: (any Actor)?) -> () -> Result {
    guard let isolation else { return body }
    let checked = checking({ (_: Void) in body() }, on: isolation)
    return { checked(()) }
}

/// Returns a closure that stops the program outside an actor; `nil` if there is no actor.
@usableFromInline
func isolationCheck(_ actor: (any Actor)?) -> (() -> Void)? {
    guard let actor else { return nil }
    let isolation = ClosureIsolation(actor)
    return { isolation.checkEvaluation() }
}
