// Creating reactions that nobody owns.

import CReactive

/// Runs `body` so that the reactions made in it belong to nobody: they go on until they are cancelled themselves.
///
/// - Parameter body: Runs at once; its reads are tracked as they would be without `detached`. An `onCleanup` in it has no owner.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func detached<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let thread = reactive_current()
    let owner = thread.pointee.owner
    thread.pointee.owner = nil
    defer { thread.pointee.owner = owner }
    return try body()
}
