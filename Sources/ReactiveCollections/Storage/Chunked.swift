/// An array in chunks, as a value that is cheap to copy and to change after a copy.
///
/// A copy takes O(1). The first write after a copy copies one chunk and the path to it: 64 elements and about 100
/// references at 10⁶ elements. Three levels of references lead to a chunk, each small enough to stay in a cache, so a
/// read at a random index misses the cache once, for its element. A chunk takes about 512 bytes; the only chunk of a
/// short array takes at most twice the size of its elements.
///
/// Terms: a *chunk* holds elements, a *block* chunks, a *page* blocks, the *root* pages.
@frozen
@usableFromInline
struct Chunked<Element> {
    @usableFromInline typealias Chunk = Tail<Element>
    @usableFromInline typealias Block = Tail<Chunk>
    @usableFromInline typealias Page = Tail<Block>
    @usableFromInline typealias Root = Tail<Page>

    /// The root, or nil for an empty array.
    @usableFromInline var root: Root?
    /// The number of elements.
    @usableFromInline var count: Int

    /// Creates an empty array.
    @inlinable
    init() {
        root = nil
        count = 0
    }
}

extension Chunked: @unchecked Sendable where Element: Sendable {}

// MARK: - Layout

extension Chunked {
    /// The binary logarithm of the number of elements of a full chunk.
    @inlinable static var chunkBits: Int {
        switch MemoryLayout<Element>.stride {
        case 1: 9
        case 2: 8
        case 3...4: 7
        case 5...64: 6
        default: 5
        }
    }
    /// The binary logarithm of the number of chunks of a full block.
    @inlinable static var blockBits: Int { 3 }
    /// The binary logarithm of the number of blocks of a full page.
    @inlinable static var pageBits: Int { 5 }

    @inlinable static var chunkSize: Int { 1 << chunkBits }
    @inlinable static var blockShift: Int { chunkBits + blockBits }
    @inlinable static var pageShift: Int { blockShift + pageBits }

    /// Returns the position of the chunk of an element in its block.
    @inlinable
    static func chunkIndex(_ index: Int) -> Int { (index &>> chunkBits) & (1 &<< blockBits &- 1) }

    /// Returns the position of the block of an element in its page.
    @inlinable
    static func blockIndex(_ index: Int) -> Int { (index &>> blockShift) & (1 &<< pageBits &- 1) }

    /// Returns the address of the reference in a buffer of references, without a retain.
    @inlinable
    @inline(__always)
    static func child<Node>(_ index: Int, of address: UnsafeRawPointer, _: Tail<Node>.Type) -> UnsafeRawPointer {
        UnsafeRawPointer(Tail<Node>.elements(at: address) + index).load(as: UnsafeRawPointer.self)
    }
}

// MARK: - Elements

extension Chunked {
    @inlinable var isEmpty: Bool { count == 0 }

    /// The element at an index.
    ///
    /// - Precondition: The index is within bounds. Only debug builds check it.
    @inlinable
    subscript(index: Int) -> Element {
        @inline(__always) get {
            // No test sees this left out: only optimised code would release the nodes earlier.
            defer { _fixLifetime(self) }
            return pointer(to: index).pointee
        }
        @inline(__always) _modify {
            let element = uniquePointer(to: index)
            // No test sees this left out: only optimised code would release the nodes earlier.
            defer { _fixLifetime(self) }
            yield &element.pointee
        }
    }

    /// Returns the address of an element for reading. It is valid until the array is changed or released.
    @inlinable
    @inline(__always)
    func pointer(to index: Int) -> UnsafeMutablePointer<Element> {
        assert(index >= 0 && index < count, "Index out of range")
        let page = Self.child(index &>> Self.pageShift, of: root.unsafelyUnwrapped.address, Root.self)
        let block = Self.child(Self.blockIndex(index), of: page, Page.self)
        let chunk = Self.child(Self.chunkIndex(index), of: block, Block.self)
        return Chunk.elements(at: chunk) + (index & (Self.chunkSize &- 1))
    }

    /// Returns the address of an element for writing: copies the shared nodes on the path to it.
    @inlinable
    @inline(__always)
    mutating func uniquePointer(to index: Int) -> UnsafeMutablePointer<Element> {
        assert(index >= 0 && index < count, "Index out of range")
        return Chunk.unique(&uniqueChunk(of: index).pointee) + (index & (Self.chunkSize &- 1))
    }

    /// Returns the address of the reference to a chunk, in a block that no other value has.
    @inlinable
    @inline(__always)
    mutating func uniqueChunk(of index: Int) -> UnsafeMutablePointer<Chunk> {
        Block.unique(&uniqueBlock(of: index).pointee) + Self.chunkIndex(index)
    }

    /// Returns the address of the reference to a block, in a page that no other value has.
    @inlinable
    @inline(__always)
    mutating func uniqueBlock(of index: Int) -> UnsafeMutablePointer<Block> {
        Page.unique(&uniquePage(of: index).pointee) + Self.blockIndex(index)
    }

    /// Returns the address of the reference to a page, in a root that no other value has.
    @inlinable
    @inline(__always)
    mutating func uniquePage(of index: Int) -> UnsafeMutablePointer<Page> {
        Root.unique(&root!) + index &>> Self.pageShift
    }

    /// Calls a closure with each element, in order.
    @inlinable
    func forEach(_ body: (Element) throws -> Void) rethrows {
        try withContiguousChunks { chunk in
            for element in chunk { try body(element) }
        }
    }

    /// Calls a closure with the elements of each chunk, in order.
    @inlinable
    func withContiguousChunks(_ body: (UnsafeBufferPointer<Element>) throws -> Void) rethrows {
        // No test sees this left out: only optimised code would release the nodes earlier.
        defer { _fixLifetime(self) }
        var index = 0
        while index < count {
            let length = min(Self.chunkSize, count - index)
            try body(UnsafeBufferPointer(start: pointer(to: index), count: length))
            index += length
        }
    }
}

// MARK: - The end

extension Chunked {
    /// Appends an element, in amortised O(1).
    @inlinable
    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count & (Self.chunkSize - 1) != 0 {
            Chunk.append(element, to: &uniqueChunk(of: count).pointee, limit: Self.chunkSize)
        } else {
            append(Chunk.create(element, room: count == 0 ? 1 : Self.chunkSize))
        }
        count += 1
    }

    /// Appends a chunk after full ones. The caller updates the count.
    @inlinable
    @inline(never)
    mutating func append(_ chunk: Chunk) {
        if count & (1 << Self.blockShift - 1) != 0 {
            Block.append(chunk, to: &uniqueBlock(of: count).pointee, limit: 1 << Self.blockBits)
        } else {
            append(Block.create(chunk, room: count == 0 ? 1 : 1 << Self.blockBits))
        }
    }

    /// Appends a block after full ones. The caller updates the count.
    @inlinable
    mutating func append(_ block: Block) {
        if count & (1 << Self.pageShift - 1) != 0 {
            Page.append(block, to: &uniquePage(of: count).pointee, limit: 1 << Self.pageBits)
        } else {
            append(Page.create(block, room: count == 0 ? 1 : 1 << Self.pageBits))
        }
    }

    /// Appends a page after full ones. The caller updates the count.
    @inlinable
    mutating func append(_ page: Page) {
        if root == nil { root = Root.create(page, room: 1) } else { Root.append(page, to: &root!, limit: .max) }
    }

    /// Removes and returns the last element, in O(1).
    ///
    /// - Precondition: The array is not empty.
    @inlinable
    mutating func removeLast() -> Element {
        precondition(count > 0, "Cannot remove the last element of an empty array")
        let last = count - 1
        if last == 0 {
            let element = self[0]
            self = Chunked()
            return element
        }
        let element = Chunk.removeLast(from: &uniqueChunk(of: last).pointee)
        if last & (Self.chunkSize - 1) == 0 { removeLastChunk(at: last) }
        count = last
        return element
    }

    /// Removes the last chunk, which has become empty, and its block and page if these become empty.
    @inlinable
    @inline(never)
    mutating func removeLastChunk(at index: Int) {
        if index & (1 << Self.pageShift - 1) == 0 {
            _ = Root.removeLast(from: &root!)
        } else if index & (1 << Self.blockShift - 1) == 0 {
            _ = Page.removeLast(from: &uniquePage(of: index).pointee)
        } else {
            _ = Block.removeLast(from: &uniqueBlock(of: index).pointee)
        }
    }

    /// Creates an array of equal elements. See ``append(repeating:count:)``.
    @inlinable
    init(repeating element: Element, count: Int) {
        self.init()
        append(repeating: element, count: count)
    }

    /// Creates an array of the elements of a sequence, in O(1) each.
    @inlinable
    init(_ elements: some Sequence<Element>) {
        self.init()
        append(contentsOf: elements)
    }

    /// Appends the elements of a sequence, in O(1) each.
    @inlinable
    mutating func append(contentsOf elements: some Sequence<Element>) {
        var iterator = elements.makeIterator()
        while count & (Self.chunkSize - 1) != 0 {
            guard let element = iterator.next() else { return }
            append(element)
        }
        while let element = iterator.next() {
            let chunk = Chunk.create(element, room: Self.chunkSize)
            let start = chunk.elements
            var size = 1
            while size < Self.chunkSize, let element = iterator.next() {
                (start + size).initialize(to: element)
                size += 1
                chunk.count = size
            }
            append(count == 0 && size <= Self.chunkSize / 2 ? chunk.moved(room: size) : chunk)
            count += size
        }
    }

    /// Appends copies of an element.
    ///
    /// All full chunks are one shared object, and so are all full blocks and pages. A write copies only the nodes on
    /// its path. So a long array with few writes takes little memory.
    @inlinable
    mutating func append(repeating element: Element, count added: Int) {
        var rest = added
        while rest > 0, count & (Self.chunkSize - 1) != 0 {
            append(element)
            rest -= 1
        }
        // No test sees this always hold: it only saves the creation of a chunk.
        // No test sees this boundary: a single chunk takes the same memory either way.
        if rest >= Self.chunkSize { appendChunks(repeating: element, count: &rest) }
        while rest > 0 {
            append(element)
            rest -= 1
        }
    }

    /// Appends copies of an element after full chunks, as long as they fill chunks.
    ///
    /// - Parameter rest: The number of copies to append; then the number of those that are left.
    @inlinable
    mutating func appendChunks(repeating element: Element, count rest: inout Int) {
        let chunk = Chunk.create(repeating: element, count: Self.chunkSize)
        // No test sees this boundary: the last chunk is appended below.
        while count & (1 << Self.blockShift - 1) != 0, rest >= Self.chunkSize {
            append(full: chunk)
            rest -= Self.chunkSize
        }
        // No test sees this always hold: it only saves the creation of a block.
        // No test sees this boundary: a single block takes the same memory either way.
        if rest >= 1 << Self.blockShift {
            let block = Block.create(repeating: chunk, count: 1 << Self.blockBits)
            // No test sees this boundary: the last block is appended below.
            while count & (1 << Self.pageShift - 1) != 0, rest >= 1 << Self.blockShift {
                append(full: block)
                rest -= 1 << Self.blockShift
            }
            // No test sees this always hold: it only saves the creation of a page.
            // No test sees this boundary: a single page takes the same memory either way.
            if rest >= 1 << Self.pageShift {
                let page = Page.create(repeating: block, count: 1 << Self.pageBits)
                while rest >= 1 << Self.pageShift {
                    append(page)
                    count += 1 << Self.pageShift
                    rest -= 1 << Self.pageShift
                }
            }
            while rest >= 1 << Self.blockShift {
                append(full: block)
                rest -= 1 << Self.blockShift
            }
        }
        while rest >= Self.chunkSize {
            append(full: chunk)
            rest -= Self.chunkSize
        }
    }
}
