// Reactions without an owner.

import CReactive

/// Runs `body` so that the reactions created in it have no owner: they continue until they are cancelled explicitly.
///
/// - Parameter body: Runs immediately; its reads are tracked as usual. An `onCleanup` in it has no owner.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
public func detached<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let thread = reactive_current()
    let owner = thread.pointee.owner
    thread.pointee.owner = nil
    defer { thread.pointee.owner = owner }
    return try body()
}
