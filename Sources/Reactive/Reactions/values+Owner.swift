// The `of:` forms of `values`: sequences that end with their owner.
//
// There is one for objects and one for actors; see Owner.swift. The form for actors calls the form for objects,
// isolated to the actor.

/// Returns the values of an expression over time, for as long as its owner lives: the current value first, then one
/// value after each change.
///
/// Like ``values(named:isolation:fileID:line:of:)``. Once the owner is gone, the sequence ends, at the latest with the
/// next change.
///
/// - Parameters:
///   - owner: The object that `expression` receives. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - expression: Tracked; runs immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails, and ends with the owner.
@inlinable
public func values<Owner: AnyObject, V>(
    of owner: Owner, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ expression: @escaping (Owner) -> V
) -> ObservedValues<V> {
    makeValues { end in
        reaction(
            of: owner, named: name, fireImmediately: true, isolation: isolation, fileID: fileID, line: line, expression
        ) { _, value in end.channel.send(value) }
    }
}

/// Returns the values of an expression of an actor over time, for as long as the actor lives: the current value first,
/// then one value after each change.
///
/// Like `values` for an object; the closure may use the actor like its own methods.
///
/// - Parameters:
///   - owner: The actor that `expression` receives and belongs to. Held weakly.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - expression: Tracked; runs on the actor, immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails, and ends with the owner.
public func values<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ expression: @escaping (isolated Owner) -> V
) -> ObservedValues<V> {
    values(
        of: owner, named: name, isolation: owner, fileID: fileID, line: line, Isolation.plain(expression))
}
