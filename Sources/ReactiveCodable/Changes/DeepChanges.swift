// The changes that a deep observation reports: a collection of changes with paths, and encodable old and new values.

import Reactive

/// The changes of one transaction below the root of a `deepObserve`.
///
/// A collection with one ``Change`` for each path to each changed observable, in the order of the writes. The paths are
/// those after the transaction. Observables that left or entered the graph are not included: they belong to the change
/// of the observable that contained or contains them.
///
/// There are at most 64 paths to each observable, or as many as the `pathLimit` of `deepObserve`; ``omittedPathCount``
/// counts the others.
///
/// Nothing is computed until you ask for it. You can keep changes: they continue to show the values of their
/// transaction. But retained changes also keep all later changes in memory. To keep them for a long time, encode them
/// and keep the result.
///
/// You can read and release changes on any thread. Reading them locks the graph of the root. Do not read them inside a
/// transaction of a different graph: encoding values throws there. State that is not observable must be readable on
/// that thread: a plain stored property of a class is encoded with its present value.
public struct DeepChanges: RandomAccessCollection, @unchecked Sendable {
    // Sendable because everything that the record refers to is read with the graph of the root locked.
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

    /// The number of paths to the changes beyond those in this collection. At most 64 of them are counted.
    ///
    /// - Complexity: Bounded, whatever the graph.
    public var omittedPathCount: Int { record.countOmittedPaths() }

    /// The whole root before the transaction. Encodes like the root itself.
    public var before: Snapshot { Snapshot(record, isBefore: true, .region(record.root)) }

    /// The whole root after the transaction. Encodes like the root itself.
    public var after: Snapshot { Snapshot(record, isBefore: false, .region(record.root)) }
}

/// One observable that changed, and one path to it.
///
/// Its old value is the one at the beginning of the transaction, with everything inside it as it was then. You can read
/// a change on the same threads as its ``DeepChanges``.
public struct Change: @unchecked Sendable {
    // Sendable for the reason given at `DeepChanges`; the keys are those that encoding the root created.
    private let record: ChangeRecord
    private let entry: ChangeRecord.Entry

    /// The keys from the root to the observable. The key of an element has its index as `intValue` and as name.
    public let path: [any CodingKey]

    init(_ record: ChangeRecord, _ entry: ChangeRecord.Entry, _ path: [any CodingKey]) {
        self.record = record
        self.entry = entry
        self.path = path
    }

    /// The path as a JSON Pointer (RFC 6901): `/todos/0/title`.
    public var pointer: String { JSONPointer(codingPath: path).description }

    /// The value before the transaction.
    public var oldValue: Snapshot { Snapshot(record, isBefore: true, .saved(entry.old)) }

    /// The value after the transaction.
    public var newValue: Snapshot { Snapshot(record, isBefore: false, .region(entry.cell)) }
}

extension Change: CustomStringConvertible {
    /// The path, or "the root".
    public var description: String { pointer.isEmpty ? "the root" : pointer }
}
