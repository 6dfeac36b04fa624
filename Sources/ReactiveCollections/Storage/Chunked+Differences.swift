// The parts in which two chunked arrays may differ.

extension Chunked {
    /// Calls `body` with the indices of each chunk that is not shared with another array, until it returns `false`.
    /// Copies share all chunks that were not written since.
    ///
    /// - Returns: Whether `body` always returned `true`.
    /// - Complexity: O(number of differing chunks), and one comparison for each page of 32 blocks of 16 chunks.
    @inlinable
    func forEachRange(differingFrom other: Chunked, while body: (Range<Int>) -> Bool) -> Bool {
        defer {
            // No test sees this left out: only optimised code would release the nodes earlier.
            _fixLifetime(self)
            // No test sees this left out: only optimised code would release the nodes earlier.
            _fixLifetime(other)
        }
        var index = 0
        while index < count {
            let length = index < other.count ? sharedLength(at: index, with: other) : 0
            if length > 0 {
                index += length
            } else {
                let end = min(index + Self.chunkSize, count)
                guard body(index..<end) else { return false }
                index = end
            }
        }
        return true
    }

    /// Returns the number of elements from the start of a chunk that are in whole nodes shared with another array.
    @inlinable
    func sharedLength(at index: Int, with other: Chunked) -> Int {
        let (root, otherRoot) = (root.unsafelyUnwrapped.address, other.root.unsafelyUnwrapped.address)
        // The end of a shared node may lie beyond the end of the array.
        // No test sees this never hold: it only saves comparisons of pages.
        if root == otherRoot { return count }
        let page = Self.child(index &>> Self.pageShift, of: root, Root.self)
        let otherPage = Self.child(index &>> Self.pageShift, of: otherRoot, Root.self)
        // No test sees this never hold: it only saves comparisons of blocks.
        if page == otherPage { return (index >> Self.pageShift + 1) << Self.pageShift - index }
        let block = Self.child(Self.blockIndex(index), of: page, Page.self)
        let otherBlock = Self.child(Self.blockIndex(index), of: otherPage, Page.self)
        // No test sees this never hold: it only saves comparisons of chunks.
        if block == otherBlock { return (index >> Self.blockShift + 1) << Self.blockShift - index }
        let chunk = Self.child(Self.chunkIndex(index), of: block, Block.self)
        return chunk == Self.child(Self.chunkIndex(index), of: otherBlock, Block.self) ? Self.chunkSize : 0
    }
}
