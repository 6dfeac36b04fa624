// Reads without subscribing.

import CReactive

/// Runs `body`; its reads subscribe no observer.
///
/// ```swift
/// let observer = autorun { print(name.value, untracked { visits.value }) }  // prints "Ann 1"
/// visits.value = 2
/// name.value = "Bob"  // prints "Bob 2"
/// ```
///
/// - Parameter body: Runs immediately.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
@inlinable
public func untracked<R>(_ body: () throws -> R) rethrows -> R {
    let thread = reactive_current()
    let tracking = thread.pointee.tracking
    thread.pointee.tracking = reactive_untracked()
    defer { thread.pointee.tracking = tracking }
    return try body()
}
