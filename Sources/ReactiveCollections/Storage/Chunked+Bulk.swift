// Bulk operations.

extension Chunked {
    /// Appends a full chunk after full ones.
    @inlinable
    mutating func append(full chunk: Chunk) {
        append(chunk)
        count += Self.chunkSize
    }

    /// Appends a full block after full ones.
    @inlinable
    mutating func append(full block: Block) {
        append(block)
        count += 1 << Self.blockShift
    }

    /// Appends copies of contiguous elements, a chunk at a time.
    @inlinable
    mutating func append(copying elements: UnsafeBufferPointer<Element>) {
        var rest = elements[...]
        while count & (Self.chunkSize - 1) != 0, let first = rest.popFirst() { append(first) }
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(Self.chunkSize))
            // The only chunk of a short array has just the capacity that its elements need.
            let chunk = Chunk.create(room: count == 0 ? part.count : Self.chunkSize)
            _ = UnsafeMutableBufferPointer(start: chunk.elements, count: part.count).initialize(fromContentsOf: part)
            chunk.count = part.count
            append(chunk)
            count += part.count
            rest = rest.dropFirst(part.count)
        }
    }
}

/// Fills a chunked array with an element for each row, in the order in which the rows come.
///
/// Usually each row is higher than the previous one. Then its element is written directly to the current chunk, without
/// following the references to it.
@frozen
@usableFromInline
struct RowFiller<Element> {
    /// The chunks that are full.
    @usableFromInline var array = Chunked<Element>()
    /// The current chunk after these, and the number of its elements; the chunk's own count is set when it is full.
    @usableFromInline var chunk: Chunked<Element>.Chunk
    @usableFromInline var size = 0
    /// The element for rows that are skipped.
    @usableFromInline let vacant: Element

    /// Creates an empty array to fill.
    ///
    /// - Parameter vacant: The element for rows that are skipped.
    @inlinable
    init(vacant: Element) {
        self.vacant = vacant
        chunk = .create(room: Chunked<Element>.chunkSize)
    }

    /// Sets the element of a row that has none yet.
    ///
    /// - Complexity: O(1), plus the time to fill the skipped rows before it.
    @inlinable @inline(__always)
    mutating func set(_ element: consuming Element, at row: UInt32) {
        let next = array.count &+ size
        // No test sees this always hold: it only saves a call.
        if Int(row) != next || size == Chunked<Element>.chunkSize { makeRoom(for: Int(row)) }
        if Int(row) >= next {
            (chunk.elements + size).initialize(to: element)
            size &+= 1
        } else {
            replace(element, at: Int(row))
        }
    }

    /// Begins a chunk if the current one is full, and fills the skipped rows before a row.
    @inlinable @inline(never)
    mutating func makeRoom(for row: Int) {
        repeat {
            if size == Chunked<Element>.chunkSize {
                chunk.count = size
                array.append(full: chunk)
                chunk = .create(room: Chunked<Element>.chunkSize)
                size = 0
            }
            // No test sees this boundary: the element that the row gets too early is replaced immediately.
            guard array.count + size < row else { return }
            (chunk.elements + size).initialize(to: vacant)
            size += 1
        } while true
    }

    @inlinable @inline(never)
    mutating func replace(_ element: consuming Element, at row: Int) {
        if row < array.count { array[row] = element } else { chunk.elements[row - array.count] = element }
    }

    /// Returns the address of the element of a row that has been filled.
    @inlinable @inline(__always)
    func pointer(to row: UInt32) -> UnsafeMutablePointer<Element> {
        // The chunks are not shared.
        Int(row) < array.count ? array.pointer(to: Int(row)) : chunk.elements + (Int(row) &- array.count)
    }

    /// Returns the array. The filler must not be used any more.
    @inlinable
    mutating func finish() -> Chunked<Element> {
        chunk.count = size
        if array.count == 0, size <= Chunked<Element>.chunkSize / 2 { chunk = chunk.moved(room: size) }
        if size > 0 {
            array.append(chunk)
            array.count += size
        }
        return array
    }
}
