// Reading without subscribing.

import CReactive

/// Runs `body` without subscribing anybody to what it reads.
///
/// ```swift
/// autorun { print(state.name, untracked { state.visits }) }   // runs again when the name changes, not for visits
/// ```
///
/// - Parameter body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@inlinable
public func untracked<R>(_ body: () throws -> R) rethrows -> R {
    let thread = reactive_current()
    let expected = thread.pointee.expected
    let evaluation = thread.pointee.evaluation
    let active = thread.pointee.active
    thread.pointee.expected = nil
    thread.pointee.evaluation = .max
    thread.pointee.active = nil
    defer {
        thread.pointee.expected = expected
        thread.pointee.evaluation = evaluation
        thread.pointee.active = active
    }
    return try body()
}
