// The groups and their elements: the state of `grouped` and `indexed`, a value.
//
//     groups   by number of the group: its key, the number of its elements, and the first in a list of them
//     links    by row of the element: its group, and its neighbours in the list
//
// The lists are unordered. Groups whose elements are read in order have an order of their own; see GroupStage.swift.

import Reactive

/// The links of elements in lists. The type is not generic, so its code is compiled once.
@frozen @usableFromInline
struct GroupLinks {
    @frozen @usableFromInline
    struct Link: BitwiseCopyable {
        /// The number of the group, plus one; 0 for a row that is in none.
        @usableFromInline var group: UInt32 = 0
        /// The next and the previous row in the list, plus one; 0 at the ends.
        @usableFromInline var next: UInt32 = 0
        @usableFromInline var previous: UInt32 = 0

        @inlinable
        init(group: UInt32 = 0, next: UInt32 = 0) {
            self.group = group
            self.next = next
        }
    }

    /// The links by row of the element.
    @usableFromInline var links = Chunked<Link>()
    /// The number of an element in its group, by row of the element, for groups that have numbers.
    @usableFromInline var groupRows = Chunked<UInt32>()

    @inlinable
    init() {}

    /// The group of a row, if it is in one.
    @inlinable @inline(__always)
    func group(of row: Row) -> Row? {
        guard Int(row) < links.count else { return nil }
        let group = links[Int(row)].group
        return group == 0 ? nil : group &- 1
    }

    /// Inserts a row at the start of a list. Returns the new head.
    @inlinable @inline(__always)
    mutating func insert(_ row: Row, group: Row, before head: UInt32) -> UInt32 {
        while links.count <= Int(row) { links.append(Link()) }
        links[Int(row)] = Link(group: group &+ 1, next: head)
        if head != 0 { links[Int(head &- 1)].previous = row &+ 1 }
        return row &+ 1
    }

    /// Removes a row from its list. Returns the new head.
    @inlinable @inline(__always)
    mutating func remove(_ row: Row, head: UInt32) -> UInt32 {
        let link = links[Int(row)]
        links[Int(row)] = Link()
        if link.next != 0 { links[Int(link.next &- 1)].previous = link.previous }
        if link.previous == 0 { return link.next }
        links[Int(link.previous &- 1)].next = link.next
        return head
    }

    /// The number of a row in its group.
    @inlinable @inline(__always)
    subscript(groupRowOf row: Row) -> UInt32 {
        get { groupRows[Int(row)] }
        set {
            while groupRows.count <= Int(row) { groupRows.append(0) }
            groupRows[Int(row)] = newValue
        }
    }

    /// Calls `body` with the rows of a list.
    @inlinable
    func forEach(from head: UInt32, _ body: (Row) -> Void) {
        var next = head
        while next != 0 {
            body(next &- 1)
            next = links[Int(next &- 1)].next
        }
    }
}

/// A group.
@frozen @usableFromInline
struct GroupRecord<Key: Hashable> {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int
    /// The number of elements, at least 1.
    @usableFromInline var count: UInt32 = 0
    /// The first row in the list, plus one.
    @usableFromInline var head: UInt32 = 0
    /// The row of the first element in order, plus one; 0 if it must be found again. Only `indexed` uses it.
    @usableFromInline var leader: UInt32 = 0
    /// The previous leader while the leader must be found again; 0 if that element has changed.
    @usableFromInline var formerLeader: UInt32 = 0

    @inlinable
    init(key: Key, hash: Int) {
        self.key = key
        self.hash = hash
    }
}

/// The groups of elements by key.
@frozen @usableFromInline
struct GroupedState<Key: Hashable> {
    @usableFromInline var links = GroupLinks()
    @usableFromInline var groups = Chunked<GroupRecord<Key>?>()
    @usableFromInline var index = RowIndex()
    @usableFromInline var numbers = RowNumbers()

    @inlinable
    init() {}

    /// The number of groups.
    @inlinable @inline(__always)
    var count: Int { index.count }

    /// Whether there is a group with a number.
    @inlinable @inline(__always)
    func contains(_ group: Row) -> Bool { Int(group) < groups.count && groups[Int(group)] != nil }

    /// The group with a number. Precondition: it exists.
    @inlinable
    subscript(group: Row) -> GroupRecord<Key> {
        @inline(__always) get { groups[Int(group)].unsafelyUnwrapped }
        @inline(__always) _modify { yield &groups[Int(group)]! }
    }

    /// Whether a group has a key. Calls `==` of the keys.
    @inlinable @inline(__always)
    func has(_ group: Row, _ key: Key) -> Bool {
        // No test sees this left out: only optimised code would release the nodes earlier.
        defer { _fixLifetime(self) }
        return groups.pointer(to: Int(group)).pointee.unsafelyUnwrapped.key == key
    }

    /// Returns the group of a key.
    @inlinable @inline(__always)
    func find(_ key: Key, _ hash: Int) -> Row? {
        ViewKeys<Key>.comparing { index.find(hash: hash) { has($0, key) } }
    }

    /// Inserts a row into the group of a key. Returns the group. If its count is 1, the group is new.
    @inlinable @inline(__always)
    mutating func insert(_ row: Row, key: Key, _ hash: Int) -> Row {
        let group = find(key, hash) ?? insertGroup(key, hash)
        self[group].head = links.insert(row, group: group, before: self[group].head)
        self[group].count &+= 1
        return group
    }

    /// Inserts a row like `insert(_:key:_:)` while the state is built, when the links are not in it yet.
    @inlinable @inline(__always)
    mutating func insert(
        _ row: Row, key: Key, _ hash: Int, in links: inout RowFiller<GroupLinks.Link>
    ) -> Row {
        let group = find(key, hash) ?? insertGroup(key, hash)
        let record = groups.uniquePointer(to: Int(group))
        let head = record.pointee.unsafelyUnwrapped.head
        record.pointee!.head = row &+ 1
        record.pointee!.count &+= 1
        links.set(GroupLinks.Link(group: group &+ 1, next: head), at: row)
        if head != 0 { links.pointer(to: head &- 1).pointee.previous = row &+ 1 }
        return group
    }

    @inlinable
    mutating func insertGroup(_ key: Key, _ hash: Int) -> Row {
        let group = numbers.take()
        if Int(group) == groups.count { groups.append(nil) }
        groups[Int(group)] = GroupRecord(key: key, hash: hash)
        index.insert(hash: hash, row: group)
        return group
    }

    /// Removes a row from its group, which may be empty afterwards.
    @inlinable @inline(__always)
    mutating func remove(_ row: Row, from group: Row) {
        self[group].head = links.remove(row, head: self[group].head)
        self[group].count &-= 1
    }

    /// Removes a group that has become empty, and returns it.
    @inlinable
    mutating func removeGroup(_ group: Row) -> GroupRecord<Key> {
        let record = self[group]
        groups[Int(group)] = nil
        index.remove(hash: record.hash, row: group)
        numbers.release(group)
        if index.isEmpty { groups = Chunked() }
        return record
    }

    /// Calls `body` with the groups in order of their numbers, until it returns `false`.
    ///
    /// - Complexity: O(N), where N is the highest number of groups since the view last had none.
    @inlinable
    func forEach(while body: (Row, GroupRecord<Key>) -> Bool) {
        for group in 0..<groups.count {
            if let record = groups[group], !body(Row(group), record) { return }
        }
    }
}
