// What dictionaries and sets share: the entries, the nodes that observers depend on, and the log for views.
//
// Observers depend on four kinds of nodes, each of which changes only if its own thing does:
//
//     the collection   the values, and everything
//     membership       which keys there are
//     count            how many keys there are
//     a key            whether the collection has it, and its value
//
// The collection is a node itself. The others exist while they have edges; they keep the collection, which finds them
// by unretained references.
//
// A mutation goes through these phases. User code (`hash(into:)`, `==` of keys and values) runs in the first two only.
//
//     hash the key     outside the lock
//     find, compare    under the lock, untracked; `lookups` says so, and a mutation in there stops the program
//     log              the first change in a transaction keeps a copy of the whole table, which is O(1)
//     change           the table, the log of rows, the nodes' epochs
//     leave            reactions run; then old values are released

import Reactive

/// A dictionary or a set. Public for the compiler's sake; not for use.
@_fixed_layout
open class _KeyedSource<Key: Hashable, Value>: _StoredSource {
    @usableFromInline typealias Table = KeyedTable<Key, Value>

    // Unchecked here and below: the lock keeps other threads out, `lookups` and `isModified` stop accesses that overlap
    // on this one.
    @exclusivity(unchecked) @usableFromInline final var table: Table
    @exclusivity(unchecked) @usableFromInline final var keyNodes = KeyNodes<Key>()
    @exclusivity(unchecked) @usableFromInline final var countNode: Unmanaged<AspectNode<Key, Value>>?
    @exclusivity(unchecked) @usableFromInline final var membershipNode: Unmanaged<AspectNode<Key, Value>>?
    /// The number of calls of user code in progress that rely on the table to stay as it is.
    @exclusivity(unchecked) @usableFromInline final var lookups = 0
    /// Whether a value is being mutated in place: its row has no entry meanwhile.
    @exclusivity(unchecked) @usableFromInline final var isModified = false
    /// Which rows views have to look at again.
    @usableFromInline final let stageLog = LogBox()
    /// Whether two values count as the same.
    @usableFromInline final let areEqual: (Value, Value) -> Bool
    // Closures that the initialiser creates where the types are known: overridden methods are not specialised.
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
        // A chain of collections is freed without recursion.
        if FreeingMark.begin(), !(_isPOD(Key.self) && _isPOD(Value.self)) { FreeingMark.postpone(table) }
    }

    // MARK: - The transaction log

    /// What the transaction log keeps of the collection.
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

    /// Keeps the table if a transaction may have to restore it or to compare with it.
    @inlinable @inline(__always)
    final func keepTable() {
        if needsLogEntry() { log(Kept(table: table, log: stageLog.log)) }
    }

    /// Restores the table and the log of rows. What a view has read from it meanwhile is restored as well.
    public final override func exchangeState(withLogged kept: UnsafeMutableRawPointer) {
        let kept = kept.assumingMemoryBound(to: Kept.self)
        swap(&table, &kept.pointee.table)
        swap(&stageLog.log, &kept.pointee.log)
        stageLog.cuts.note(end: stageLog.log.end)
        stageLog.lastRead = min(stageLog.lastRead, stageLog.log.end)
    }

    /// Compares the contents at the end of a transaction. If they are as before, the table of before is restored: it
    /// may have other rows, and views that were not evaluated in between know those.
    public final override func equalsState(logged kept: UnsafeMutableRawPointer) -> Bool {
        let logged = kept.assumingMemoryBound(to: Kept.self).pointee.table
        let wasRead = stageLog.lastRead > kept.assumingMemoryBound(to: Kept.self).pointee.log.end
        let isEqual = lookingUp {
            hasSameContents(table, logged) && table.canHaveOrder(of: logged, wasRead: wasRead)
        }
        if isEqual { exchangeState(withLogged: kept) }
        return isEqual
    }

    /// Releases a table that the log has kept, after the graph is unlocked.
    public final override func discardState(logged kept: UnsafeMutableRawPointer) {
        release(later: kept.assumingMemoryBound(to: Kept.self).move())
    }

    // MARK: - User code

    /// Runs code that calls `hash(into:)` or `==`, during which the collection must not change.
    @inlinable @inline(__always)
    final func lookingUp<Result>(_ body: () throws -> Result) rethrows -> Result {
        lookups += 1
        defer { lookups -= 1 }
        return try body()
    }

    /// Whether keys are compared and hashed without user code that could read observables.
    @inlinable @inline(__always)
    static var hasPlainKeys: Bool { _isPOD(Key.self) || Key.self == String.self }

    /// Returns the hash of a key. Outside the lock.
    @inlinable @inline(__always)
    final func hash(of key: Key) -> Int {
        Self.hasPlainKeys ? Table.hash(of: key) : untracked { Table.hash(of: key) }
    }

    /// Returns the hash of a key that the collection has. Under the lock.
    @inlinable
    final func hash(ofKeyAt row: Row) -> Int { lookingUp { hash(of: table.key(at: row)) } }

    /// Returns the row of a key. Under the lock.
    @inlinable @inline(__always)
    final func find(_ key: Key, _ hash: Int) -> Row? {
        if Self.hasPlainKeys { return table.find(key, hash: hash) }
        return lookingUp { untracked { table.find(key, hash: hash) } }
    }

    /// Whether a row's value and another one count as the same. Under the lock.
    @inlinable @inline(__always)
    final func isUnchanged(_ row: Row, _ newValue: Value) -> Bool {
        if _isPOD(Value.self) { return areEqual(table.value(at: row), newValue) }
        return lookingUp { untracked { areEqual(table.value(at: row), newValue) } }
    }

    /// Refuses a mutation that overlaps another one, or code that relies on the table.
    @inlinable @inline(__always)
    final func checkMutation() {
        if lookups != 0 { stopForMutationInLookup() }
        if isModified { stopForOverlap("written") }
        checkWrite()
    }

    /// Refuses a read that overlaps a mutation in place.
    @inlinable @inline(__always)
    final func checkRead() {
        if isModified { stopForOverlap("read") }
    }
}

extension _KeyedSource: @unchecked Sendable where Key: Sendable, Value: Sendable {
    // The graph's lock guards the table and the nodes; the rest is immutable.
}
