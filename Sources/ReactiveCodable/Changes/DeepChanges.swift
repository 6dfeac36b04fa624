// What a deep observation reports: a collection of changes, each with its path and its encoded old and new value.

import Reactive

/// What one transaction changed below the root of a `deepObserve`.
///
/// A collection of ``Change``s: one for each observable that changed and each path that leads to it now, in the order
/// of the writes. Observables that left are not in it, nor those that came: they belong to the change of what contained
/// them, or contains them.
///
/// To each observable at most 64 paths are looked for, or as many as `deepObserve` was asked for; ``omittedPathCount``
/// counts the rest.
///
/// Nothing is computed until you ask for it. Changes may be kept: they continue to show what was then. Keeping them
/// keeps all later changes in memory as well, so keep what you encoded instead if it is to be for long.
///
/// Changes may be read and released on any thread. Reading them locks the graph of the root, wherever that is done, and
/// must not be done inside a transaction of a different graph: encoding values throws there. State that is not
/// observable must be readable on that thread: a plain stored property of a class is encoded as it is then.
public struct DeepChanges: RandomAccessCollection, @unchecked Sendable {
    // Sendable because all that the record refers to is read with the graph of the root locked.
    let record: ChangeRecord

    init(_ record: ChangeRecord) { self.record = record }

    /// The position of the first change.
    public var startIndex: Int { 0 }

    /// The position behind the last change.
    public var endIndex: Int { record.resolve().count }

    /// The change at a position.
    public subscript(position: Int) -> Change {
        let (entry, path) = record.resolve()[position]
        return Change(record, record.entries[entry], path.keys)
    }

    /// The number of paths that lead to the changes besides those in this collection. At most 64 of them are counted.
    ///
    /// - Complexity: bounded, whatever the graph is like.
    public var omittedPathCount: Int { record.countOmittedPaths() }

    /// The whole root as it was before. Encodes like the root itself.
    public var before: Snapshot { Snapshot(record, isBefore: true, .region(record.root)) }

    /// The whole root as it was after. Encodes like the root itself.
    public var after: Snapshot { Snapshot(record, isBefore: false, .region(record.root)) }
}

/// One observable that changed, and one path to it.
///
/// Its old value is what it was when the transaction began: with all that lay in it, as that was then. It may be read
/// where its ``DeepChanges`` may.
public struct Change: @unchecked Sendable {
    // Sendable for the reason of `DeepChanges`; the keys are those that encoding the root created.
    private let record: ChangeRecord
    private let entry: ChangeRecord.Entry

    /// The keys that lead to the observable from the root. An element's key has the index as its `intValue` and its
    /// name.
    public let path: [any CodingKey]

    init(_ record: ChangeRecord, _ entry: ChangeRecord.Entry, _ path: [any CodingKey]) {
        self.record = record
        self.entry = entry
        self.path = path
    }

    /// The path as a JSON Pointer (RFC 6901): `/todos/0/title`.
    public var pointer: String { JSONPointer(codingPath: path).description }

    /// What it was before.
    public var oldValue: Snapshot { Snapshot(record, isBefore: true, .saved(entry.old)) }

    /// What it was after.
    public var newValue: Snapshot { Snapshot(record, isBefore: false, .region(entry.cell)) }
}

extension Change: CustomStringConvertible {
    /// The path.
    public var description: String { pointer.isEmpty ? "the root" : pointer }
}
