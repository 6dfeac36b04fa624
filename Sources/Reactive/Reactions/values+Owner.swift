// The `of:` forms of `values`: sequences that end with their owner.
//
// For an object, and for an actor; see Owner.swift. An actor's form is the object's form, isolated to the actor.

/// The values of an expression over time, for as long as its owner lives: the current one first, then one after each
/// change.
///
/// As ``values(named:isolation:fileID:line:of:)``. When the owner is gone, the sequence ends, at the latest with the
/// next change.
///
/// - Parameters:
///   - owner: What `expression` gets. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The file that created it.
///   - line: The line that created it.
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

/// The values of an expression of an actor over time, for as long as the actor lives: the current one first, then one
/// after each change.
///
/// As `values` for an object; the closure may use the actor as its own methods do.
///
/// - Parameters:
///   - owner: The actor that `expression` gets and belongs to. Held weakly.
///   - name: What diagnostics call it. Without one: the file and line that created it.
///   - fileID: The file that created it.
///   - line: The line that created it.
///   - expression: Tracked; runs on the actor, immediately and after changes, with the graph locked.
/// - Returns: A sequence that never fails, and ends with the owner.
public func values<Owner: Actor, V>(
    of owner: isolated Owner, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ expression: @escaping (isolated Owner) -> V
) -> ObservedValues<V> {
    values(
        of: owner, named: name, isolation: owner, fileID: fileID, line: line, Isolation.plain(expression))
}
