/// The counts in front of the elements of a ``Tail``.
@frozen
@usableFromInline
struct TailHeader {
    /// The number of initialised elements.
    @usableFromInline var count: Int32
    /// The number of elements that the buffer has memory for.
    @usableFromInline var capacity: Int32

    @inlinable
    init(count: Int, capacity: Int) {
        self.count = Int32(truncatingIfNeeded: count)
        self.capacity = Int32(truncatingIfNeeded: capacity)
    }
}

/// A buffer of elements in one object: the node of all chunked values and trees.
///
/// A value owns its buffers by reference counts. It writes to a buffer only after it has checked that no other value
/// shares it. Readers reach the elements by address, without a retain and without a load of the header: the elements
/// begin at a constant offset from the object.
@usableFromInline
@_fixed_layout
final class Tail<Element>: ManagedBuffer<TailHeader, Element> {
    @inlinable
    deinit {
        _ = withUnsafeMutablePointers { header, elements in
            elements.deinitialize(count: Int(header.pointee.count))
        }
    }
}

extension Tail {
    /// The distance of the first element from the object's address.
    @inlinable static var offset: Int {
        let header = 2 * MemoryLayout<Int>.size + MemoryLayout<TailHeader>.size
        let mask = MemoryLayout<Element>.alignment - 1
        return (header + mask) & ~mask
    }

    /// Returns the elements of the buffer at an address.
    @inlinable
    @inline(__always)
    static func elements(at address: UnsafeRawPointer) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer(mutating: address + offset).assumingMemoryBound(to: Element.self)
    }

    /// The buffer's address. It is valid as long as the buffer is retained.
    @inlinable var address: UnsafeRawPointer {
        @inline(__always) get { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// The first element. It is valid as long as the buffer is retained.
    @inlinable var elements: UnsafeMutablePointer<Element> {
        @inline(__always) get { Self.elements(at: address) }
    }

    /// Returns the counts of the buffer at an address. Unlike `header`, this does no check of exclusive access.
    @inlinable
    @inline(__always)
    static func header(at address: UnsafeRawPointer) -> UnsafeMutablePointer<TailHeader> {
        let header = UnsafeMutableRawPointer(mutating: address + 2 * MemoryLayout<Int>.size)
        return header.assumingMemoryBound(to: TailHeader.self)
    }

    /// The number of elements.
    @inlinable var count: Int {
        @inline(__always) get { Int(Self.header(at: address).pointee.count) }
        @inline(__always) set { Self.header(at: address).pointee.count = Int32(truncatingIfNeeded: newValue) }
    }

    /// The number of elements that the buffer has memory for.
    @inlinable var room: Int {
        @inline(__always) get { Int(Self.header(at: address).pointee.capacity) }
    }

    /// Creates an empty buffer.
    @inlinable
    static func create(room: Int) -> Tail {
        let buffer = Tail.create(minimumCapacity: room) { _ in TailHeader(count: 0, capacity: room) }
        return unsafeDowncast(buffer, to: Tail.self)
    }

    /// Creates a buffer of one element.
    @inlinable
    static func create(_ element: consuming Element, room: Int) -> Tail {
        let buffer = create(room: room)
        buffer.elements.initialize(to: element)
        buffer.count = 1
        return buffer
    }

    /// Creates a full buffer of copies of an element.
    @inlinable
    static func create(repeating element: Element, count: Int) -> Tail {
        let buffer = create(room: count)
        buffer.elements.initialize(repeating: element, count: count)
        buffer.count = count
        return buffer
    }

    /// Returns a buffer with copies of the elements.
    @inlinable
    func copy(room: Int) -> Tail {
        let buffer = Self.create(room: room)
        let count = count
        buffer.elements.initialize(from: elements, count: count)
        buffer.count = count
        return buffer
    }

    /// Returns a buffer with the elements and leaves this one empty.
    ///
    /// - Precondition: The caller is the only owner.
    @inlinable
    func moved(room: Int) -> Tail {
        let buffer = Self.create(room: room)
        let count = count
        buffer.elements.moveInitialize(from: elements, count: count)
        buffer.count = count
        self.count = 0
        return buffer
    }

    /// Replaces a shared buffer by a copy, so that it may be written to, and returns its elements.
    @inlinable
    @inline(__always)
    static func unique(_ buffer: inout Tail) -> UnsafeMutablePointer<Element> {
        if !isKnownUniquelyReferenced(&buffer) { replaceByCopy(&buffer) }
        return buffer.elements
    }

    @inlinable
    @inline(never)
    static func replaceByCopy(_ buffer: inout Tail) {
        buffer = buffer.copy(room: buffer.room)
    }

    /// Appends an element to a buffer, which grows up to `limit`.
    @inlinable
    @inline(__always)
    static func append(_ element: consuming Element, to buffer: inout Tail, limit: Int) {
        let isUnique = isKnownUniquelyReferenced(&buffer)
        let count = buffer.count
        if !isUnique || count == buffer.room { grow(&buffer, isUnique: isUnique, limit: limit) }
        (buffer.elements + count).initialize(to: element)
        buffer.count = count + 1
    }

    @inlinable
    @inline(never)
    static func grow(_ buffer: inout Tail, isUnique: Bool, limit: Int) {
        let room = buffer.count == buffer.room ? min(limit, 2 * buffer.room) : buffer.room
        // No test sees this never hold: moving only saves copies of the elements.
        buffer = isUnique ? buffer.moved(room: room) : buffer.copy(room: room)
    }

    /// Removes and returns the last element of a buffer, which must not be empty.
    @inlinable
    static func removeLast(from buffer: inout Tail) -> Element {
        let elements = unique(&buffer)
        let count = buffer.count - 1
        buffer.count = count
        return (elements + count).move()
    }
}
