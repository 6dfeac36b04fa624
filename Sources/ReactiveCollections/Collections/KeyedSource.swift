// The base of dictionaries and sets: the entries, the nodes that observers depend on, and the log for views.
//
// Observers depend on four kinds of nodes. Each changes only if its own subject does:
//
//     the collection   the whole contents
//     membership       the set of keys
//     count            the number of keys
//     a key            whether the collection contains the key, and its value
//
// The collection itself is a node. The others exist while they have edges. They keep the collection alive, and the
// collection refers to them without retaining them.
//
// A mutation has these phases. User code (`hash(into:)`, `==` of keys and values) runs only in the first two.
//
//     hash the key     outside the lock
//     find, compare    under the lock, untracked; counted by `lookups`, so that a mutation meanwhile stops the program
//     log              the first change in a transaction keeps a copy of the whole table, in O(1)
//     change           the table, the log of rows, the nodes' epochs
//     leave            reactions run; then old values are released

import Reactive

/// The base class of dictionaries and sets. Public only for the compiler.
@_fixed_layout
open class _KeyedSource<Key: Hashable, Value>: _StoredSource {
    @usableFromInline typealias Table = KeyedTable<Key, Value>

    // Unchecked here and below: the lock excludes other threads, and `lookups` and `isModified` detect overlapping
    // accesses on this thread.
    @exclusivity(unchecked) @usableFromInline final var table: Table
    @exclusivity(unchecked) @usableFromInline final var keyNodes = KeyNodes<Key>()
    @exclusivity(unchecked) @usableFromInline final var countNode: Unmanaged<AspectNode<Key, Value>>?
    @exclusivity(unchecked) @usableFromInline final var membershipNode: Unmanaged<AspectNode<Key, Value>>?
    /// The number of calls of user code in progress during which the table must not change.
    @exclusivity(unchecked) @usableFromInline final var lookups = 0
    /// Whether a value is being mutated in place. Meanwhile, its row has no entry.
    @exclusivity(unchecked) @usableFromInline final var isModified = false
    /// The rows that views must check again.
    @usableFromInline final let stageLog = LogBox()
    /// Whether two values count as equal.
    @usableFromInline final let areEqual: (Value, Value) -> Bool
    // Closures, created where the types are known: overridden methods would stay unspecialised.
    /// Whether two tables have the same keys and values.
    @usableFromInline final let hasSameContents: (Table, Table) -> Bool
    /// Whether two tables have the same keys.
    @usableFromInline final let hasSameKeys: (Table, Table) -> Bool
    @usableFromInline final let freeing = FreeingMark()

    @inlinable
    init(
        table: consuming KeyedTable<Key, Value>, areEqual: @escaping (Value, Value) -> Bool, named name: String?,
        fileID: StaticString, line: UInt
    ) {
        self.table = table
        self.areEqual = areEqual
        hasSameContents = { $0.isEqual(to: $1, by: areEqual) }
        hasSameKeys = { $0.isEqual(to: $1) { _, _ in true } }
        super.init(named: name, fileID: fileID, line: line)
    }

    @inlinable
    deinit {
        // A chain of collections must be freed without recursion.
        // No test sees this always hold: a table of plain bits is part of no chain.
        if FreeingMark.begin(), !(_isPOD(Key.self) && _isPOD(Value.self)) { FreeingMark.postpone(table) }
    }

    #if DEBUG
    public final override func brokenInvariants() -> [String] { brokenInvariantsOfContents() }
    #endif

    // MARK: - The transaction log

    /// The state that the transaction log keeps.
    @frozen @usableFromInline
    struct Kept {
        @usableFromInline var table: Table
        /// The log of rows.
        @usableFromInline var log: RowLog

        @inlinable
        init(table: Table, log: RowLog) {
            self.table = table
            self.log = log
        }
    }

    /// Keeps the table, if a transaction may have to restore it or compare with it.
    @inlinable @inline(__always)
    final func keepTable() {
        if needsLogEntry() { log(Kept(table: table, log: stageLog.log)) }
    }

    /// Restores the table and the log of rows. A roll-back also restores the cursors of the views that have read the
    /// log meanwhile.
    public final override func exchangeState(withLogged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self)
        swap(&table, &kept.pointee.table)
        swap(&stageLog.log, &kept.pointee.log)
        stageLog.cuts.note(end: stageLog.log.end)
        stageLog.lastRead = min(stageLog.lastRead, stageLog.log.end)
    }

    /// Compares the contents at the end of a transaction. If they are the same as before, restores the previous table:
    /// its rows may differ, and views that were not evaluated in between have those rows.
    public final override func equalsState(logged kept: UnsafeMutableRawPointer) -> Bool {
        let logged = kept.assumingMemoryBound(to: Kept.self).pointee.table
        let wasRead = stageLog.lastRead > kept.assumingMemoryBound(to: Kept.self).pointee.log.end
        let isEqual = lookingUp {
            hasSameContents(table, logged) && table.canHaveOrder(of: logged, wasRead: wasRead)
        }
        if isEqual { exchangeState(withLogged: kept) }
        return isEqual
    }

    /// Releases a table that the log has kept, after the graph has been unlocked.
    public final override func discardState(logged kept: UnsafeMutableRawPointer) {
        release(later: kept.assumingMemoryBound(to: Kept.self).move())
    }

    // MARK: - User code

    /// Runs code that calls `hash(into:)` or `==`. Meanwhile, the collection must not change.
    @inlinable @inline(__always)
    final func lookingUp<Result>(_ body: () throws -> Result) rethrows -> Result {
        lookups += 1
        defer { lookups -= 1 }
        return try body()
    }

    /// Whether comparing and hashing keys runs no user code that could read observables.
    @inlinable @inline(__always)
    // No test sees this never hold: it only saves copies and calls.
    static var hasPlainKeys: Bool { _isPOD(Key.self) || Key.self == String.self }

    /// Returns the hash of a key. Called outside the lock.
    @inlinable @inline(__always)
    final func hash(of key: Key) -> Int {
        // No test sees this never hold: it only saves a call.
        Self.hasPlainKeys ? Table.hash(of: key) : untracked { Table.hash(of: key) }
    }

    /// Returns the hash of the key of a row. Called under the lock.
    @inlinable
    final func hash(ofKeyAt row: Row) -> Int { lookingUp { hash(of: table.key(at: row)) } }

    /// Returns the row of a key. Called under the lock.
    @inlinable @inline(__always)
    final func find(_ key: Key, _ hash: Int) -> Row? {
        // No test sees this never hold: it only saves calls.
        if Self.hasPlainKeys { return table.find(key, hash: hash) }
        return lookingUp { untracked { table.find(key, hash: hash) } }
    }

    /// Whether a row's value equals a new one. Called under the lock.
    @inlinable @inline(__always)
    final func isUnchanged(_ row: Row, _ newValue: Value) -> Bool {
        lookingUp { untracked { areEqual(table.value(at: row), newValue) } }
    }

    /// Stops the program if a mutation overlaps a different one, or user code that relies on the table.
    @inlinable @inline(__always)
    final func checkMutation() {
        if lookups != 0 { stopForMutationInLookup() }
        checkWrite()
    }

    /// Stops the program if a read overlaps a mutation in place.
    @inlinable @inline(__always)
    final func checkRead() {
        if isModified { stopForRead() }
    }
}

extension _KeyedSource: @unchecked Sendable where Key: Sendable, Value: Sendable {
    // The graph's lock guards the table and the nodes; the rest is immutable.
}
