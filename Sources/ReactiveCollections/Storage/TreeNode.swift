/// A child of an inner node, and the number of elements below it.
@frozen
@usableFromInline
struct TreeEntry {
    @usableFromInline var count: Int
    /// A leaf or an inner node, depending on the height in the tree.
    @usableFromInline var child: AnyObject

    @inlinable
    init(count: Int, child: AnyObject) {
        self.count = count
        self.child = child
    }
}

/// An inner node of a ``CountedTree``. It is not generic in the elements, so its code is compiled once.
///
/// 16 entries: a scan of the counts takes a few nanoseconds, and the first write after a copy retains few siblings of
/// the nodes on its path.
@usableFromInline typealias TreeNode = Tail<TreeEntry>

extension TreeNode {
    /// The maximum number of entries.
    @inlinable static var limit: Int { 16 }

    /// Returns the last entry of the node at an address.
    @inlinable
    @inline(__always)
    static func lastEntry(at address: UnsafeRawPointer) -> UnsafeMutablePointer<TreeEntry> {
        elements(at: address) + (Int(header(at: address).pointee.count) &- 1)
    }

    /// The number of elements below the node.
    @usableFromInline var weight: Int {
        var sum = 0
        for index in 0..<count { sum += elements[index].count }
        return sum
    }
}

extension UnsafeMutablePointer<TreeEntry> {
    /// The address of the entry's child.
    @inlinable var childAddress: UnsafeRawPointer {
        @inline(__always) get { UnsafeRawPointer(childStorage).load(as: UnsafeRawPointer.self) }
    }

    @inlinable var childStorage: UnsafeMutableRawPointer {
        @inline(__always) get { UnsafeMutableRawPointer(self) + MemoryLayout<TreeEntry>.offset(of: \.child)! }
    }

    /// The storage of the child as a reference to a buffer of elements of one type.
    @inlinable
    @inline(__always)
    func child<Element>(as: Tail<Element>.Type) -> UnsafeMutablePointer<Tail<Element>> {
        childStorage.assumingMemoryBound(to: Tail<Element>.self)
    }

    /// Returns the entry that contains `offset`, and changes the offset to one within that entry. With `orAtEnd`, an
    /// offset at the end of an entry belongs to that entry and not to the next.
    @inlinable
    @inline(__always)
    func find(_ offset: inout Int, orAtEnd: Bool = false) -> UnsafeMutablePointer<TreeEntry> {
        var entry = self
        let bias = orAtEnd ? 1 : 0
        while offset >= entry.pointee.count + bias {
            offset -= entry.pointee.count
            entry += 1
        }
        return entry
    }
}

extension Tail {
    /// Inserts an element into a buffer that has room and no other owner.
    @inlinable
    @inline(__always)
    func insert(_ element: consuming Element, at offset: Int) {
        let count = count
        let position = elements + offset
        (position + 1).moveInitialize(from: position, count: count - offset)
        position.initialize(to: element)
        self.count = count + 1
    }

    /// Removes and returns an element of a buffer that has no other owner.
    @inlinable
    @inline(__always)
    func remove(at offset: Int) -> Element {
        let count = count - 1
        let position = elements + offset
        let element = position.move()
        position.moveInitialize(from: position + 1, count: count - offset)
        self.count = count
        return element
    }

    /// Moves the elements from an offset on into a new buffer. The caller is the only owner of this one.
    @inlinable
    func split(at offset: Int, room: Int) -> Tail {
        let buffer = Self.create(room: room)
        let moved = count - offset
        buffer.elements.moveInitialize(from: elements + offset, count: moved)
        buffer.count = moved
        count = offset
        return buffer
    }

    /// Moves elements between two neighbours until the left one has `leftCount`. Both have room and no other owner.
    @inlinable
    static func even(_ left: Tail, _ right: Tail, leftCount: Int) {
        let (l, r) = (left.count, right.count)
        let moved = leftCount - l
        // No test sees this boundary: balancing always moves elements.
        if moved > 0 {
            (left.elements + l).moveInitialize(from: right.elements, count: moved)
            right.elements.moveInitialize(from: right.elements + moved, count: r - moved)
        } else {
            (right.elements - moved).moveInitialize(from: right.elements, count: r)
            right.elements.moveInitialize(from: left.elements + leftCount, count: -moved)
        }
        left.count = leftCount
        right.count = r - moved
    }
}
