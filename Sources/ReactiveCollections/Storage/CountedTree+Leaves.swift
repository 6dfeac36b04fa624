// Iteration over the leaves in order. In an edited tree they are scattered in memory, so the next ones are prefetched.

import CReactive

extension CountedTree {
    /// The leaves of a range, one after the other.
    @frozen
    @usableFromInline
    struct Leaves {
        /// The number of leaves to prefetch ahead.
        @inlinable static var distance: Int { 2 }

        @usableFromInline let tree: CountedTree
        /// The position of the next element.
        @usableFromInline var position: Int
        @usableFromInline let end: Int
        /// The next leaf below the current inner node, and the end of the leaves there.
        @usableFromInline var entry: UnsafeMutablePointer<TreeEntry>?
        @usableFromInline var lastEntry: UnsafeMutablePointer<TreeEntry>?

        @inlinable
        init(_ tree: CountedTree, in range: Range<Int>) {
            self.tree = tree
            position = range.lowerBound
            end = range.upperBound
            entry = nil
            lastEntry = nil
        }

        /// Returns the elements of the next leaf. They are valid until the tree is changed or released.
        @inlinable
        @inline(never)
        mutating func next() -> UnsafeBufferPointer<Element>? {
            if position >= end { return nil }
            var offset = 0
            // No test sees this always hold: it only saves descents.
            if entry == lastEntry { descend(&offset) }
            var leaf = tree.rootAddress
            if let entry {
                leaf = entry.childAddress
                // No test sees this: prefetching has no result.
                prefetch(entry + Self.distance)
                self.entry = entry + 1
            }
            let count = Swift.min(Int(Leaf.header(at: leaf).pointee.count) - offset, end - position)
            position += count
            return UnsafeBufferPointer(start: Leaf.elements(at: leaf) + offset, count: count)
        }

        /// Prefetches a leaf, if there is one.
        @inlinable
        @inline(__always)
        func prefetch(_ entry: UnsafeMutablePointer<TreeEntry>) {
            // No test sees this: prefetching has no result.
            guard entry < lastEntry.unsafelyUnwrapped else { return }
            // No test sees this: prefetching has no result.
            prefetchMemory(entry.childAddress, Leaf.offset + entry.pointee.count * MemoryLayout<Element>.stride)
        }

        /// Finds the leaf of the position, and the offset in it.
        @inlinable
        @inline(never)
        mutating func descend(_ offset: inout Int) {
            offset = position
            var node = tree.rootAddress
            for _ in 0..<tree.height {
                let first = TreeNode.elements(at: node)
                lastEntry = first + Int(TreeNode.header(at: node).pointee.count)
                entry = first.find(&offset)
                node = entry.unsafelyUnwrapped.childAddress
            }
            // No test sees this never hold: only prefetching is left.
            guard let entry else { return }
            // No test sees this: prefetching has no result.
            for next in 1..<Self.distance { prefetch(entry + next) }
        }
    }
}

/// Prefetches memory. The hardware fetches the rest of a leaf when its first kibibyte is read.
@usableFromInline
// No test sees this: prefetching has no result.
func prefetchMemory(_ address: UnsafeRawPointer, _ size: Int) { reactive_prefetch(address, min(size, 512)) }
