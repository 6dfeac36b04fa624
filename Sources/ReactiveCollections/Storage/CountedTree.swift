/// A sequence with access by position. It is a value that is cheap to copy, and cheap to change after a copy.
///
/// Reading, inserting and removing at a position takes O(log N); a copy takes O(1), and the first write after it copies
/// one leaf and the path to it.
///
/// The elements are in leaves. Inner nodes have the number of elements below each child. An edit descends once: on its
/// path it splits full nodes, and joins nodes that are only a quarter full with a neighbour. So nothing has to be done
/// on the way up. Leaves grow in steps, so that a leaf that was split takes little more memory than its elements.
@frozen
@usableFromInline
struct CountedTree<Element> {
    @usableFromInline typealias Leaf = Tail<Element>

    /// A leaf if `height` is 0, otherwise a ``TreeNode``; nil for an empty tree.
    @usableFromInline var root: AnyObject?
    /// The number of elements.
    @usableFromInline var count: Int
    /// The number of inner nodes on the path to a leaf.
    @usableFromInline var height: Int

    /// Creates an empty tree.
    @inlinable
    init() {
        root = nil
        count = 0
        height = 0
    }
}

extension CountedTree: @unchecked Sendable where Element: Sendable {}

extension CountedTree {
    /// The maximum number of elements in a leaf.
    @inlinable static var limit: Int {
        switch MemoryLayout<Element>.stride {
        case ...16: 128
        case ...64: 64
        default: 32
        }
    }

    /// The element at a position.
    ///
    /// - Precondition: The position is within bounds. Only debug builds check it.
    @inlinable
    subscript(position: Int) -> Element {
        @inline(__always) get {
            // No test sees this left out: only optimised code would release the nodes earlier.
            defer { _fixLifetime(self) }
            return pointer(to: position).pointee
        }
        @inline(__always) _modify {
            let element = uniquePointer(to: position)
            // No test sees this left out: only optimised code would release the nodes earlier.
            defer { _fixLifetime(self) }
            yield &element.pointee
        }
    }

    /// Exchanges two elements.
    @inlinable
    mutating func swapAt(_ i: Int, _ j: Int) {
        // No test sees this never hold: it only saves two descents.
        if i == j { return }
        let first = uniquePointer(to: i)
        // From here on the path to the first element is unique, so none of its nodes are replaced.
        let second = uniquePointer(to: j)
        swap(&first.pointee, &second.pointee)
        // No test sees this left out: only optimised code would release the nodes earlier.
        _fixLifetime(self)
    }

    /// Returns the address of an element for reading. It is valid until the tree is changed or released.
    @inlinable
    @inline(__always)
    func pointer(to position: Int) -> UnsafeMutablePointer<Element> {
        var offset = position
        return Leaf.elements(at: leaf(&offset)) + offset
    }

    /// Returns the address of the leaf that has a position. Changes the position to the offset in that leaf.
    @inlinable
    @inline(__always)
    func leaf(_ offset: inout Int) -> UnsafeRawPointer {
        assert(offset >= 0 && offset < count, "Index out of range")
        var node = rootAddress
        var level = height
        while level > 0 {
            node = TreeNode.elements(at: node).find(&offset).childAddress
            level &-= 1
        }
        return node
    }

    @inlinable var rootAddress: UnsafeRawPointer {
        @inline(__always) get { UnsafeRawPointer(Unmanaged.passUnretained(root.unsafelyUnwrapped).toOpaque()) }
    }

    /// Returns the address of an element for writing: copies the shared nodes on the path to it.
    @inlinable
    mutating func uniquePointer(to position: Int) -> UnsafeMutablePointer<Element> {
        assert(position >= 0 && position < count, "Index out of range")
        var offset = position
        makeRootUnique()
        var level = height
        if level == 0 { return Leaf.elements(at: rootAddress) + offset }
        var entries = TreeNode.elements(at: rootAddress)
        while true {
            let entry = entries.find(&offset)
            level &-= 1
            if level == 0 { return Leaf.unique(&entry.child(as: Leaf.self).pointee) + offset }
            entries = TreeNode.unique(&entry.child(as: TreeNode.self).pointee)
        }
    }

    /// Copies the root if it is shared.
    @inlinable
    mutating func makeRootUnique() {
        if isKnownUniquelyReferenced(&root) { return }
        guard let shared = root else { return }
        if height == 0 {
            let leaf = unsafeDowncast(shared, to: Leaf.self)
            root = leaf.copy(room: leaf.room)
        } else {
            root = unsafeDowncast(shared, to: TreeNode.self).copy(room: TreeNode.limit)
        }
    }

    /// Whether another tree is a copy that has not been changed since, in O(1).
    @inlinable
    func isIdentical(to other: CountedTree) -> Bool { root === other.root }
}
