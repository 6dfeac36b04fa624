// The storage of markup as bytes, and a writer for it.
//
// A piece of HTML is a part of a block. A tree that is rendered once creates thousands of small pieces and joins them.
// There the pieces are stored one after the other in blocks of 1 KiB, so that a piece needs no memory of its own:
//
//     block   <li>item 1: 0</li> <li>item 2: 0</li> <li>item 3                free
//             └──── piece ─────┘ └──── piece ─────┘ └── being written
//
// A writer uses its block exclusively: it takes the spare block of the tree, and returns it when the piece is complete.
// It writes after the bytes of complete pieces, which never change. A piece that does not fit moves to a block of its
// own. So a piece that a program keeps also keeps up to 1 KiB of other pieces.

import Reactive

/// Bytes of markup.
final class MarkupBlock: ManagedBuffer<MarkupBlock.Header, UInt8> {
    struct Header {
        let capacity: Int
        /// The number of bytes that have been written.
        var used: Int
    }

    /// The capacity of the blocks that pieces share.
    static let sharedCapacity = 1024

    static func make(capacity: Int) -> MarkupBlock {
        let block = create(minimumCapacity: capacity) { _ in Header(capacity: capacity, used: 0) }
        return unsafeDowncast(block, to: MarkupBlock.self)
    }
}

/// Writes one piece of markup.
@usableFromInline
struct MarkupWriter {
    private var block: MarkupBlock
    /// The bounds of the piece in the block.
    private var start: Int
    private var end: Int

    /// Begins a piece whose expected size is `capacity` bytes.
    init(capacity: Int) {
        var capacity = capacity
        if let tree = TreeState.renderedOnce {
            if let spare = tree._withUnsafeGuaranteedRef({ $0.spareBlock.take() }) {
                let header = spare.withUnsafeMutablePointerToHeader { $0.pointee }
                if header.capacity - header.used >= capacity {
                    block = spare
                    (start, end) = (header.used, header.used)
                    return
                }
            }
            capacity = max(capacity, MarkupBlock.sharedCapacity)
        }
        block = .make(capacity: capacity)
        (start, end) = (0, 0)
    }

    /// Returns the piece. The block is returned to the tree, if that has no other spare block.
    func finish() -> HTML {
        if let tree = TreeState.renderedOnce {
            tree._withUnsafeGuaranteedRef { tree in
                let capacity = block.withUnsafeMutablePointerToHeader { $0.pointee.capacity }
                if capacity == MarkupBlock.sharedCapacity, tree.spareBlock == nil { tree.spareBlock = block }
            }
        }
        return HTML(block: block, start: start, count: end - start)
    }

    // MARK: - Writing

    /// Appends a piece of a literal.
    @usableFromInline
    mutating func append(literal bytes: UnsafeBufferPointer<UInt8>) { append(bytes) }

    /// Appends bytes.
    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        makeRoom(for: bytes.count).update(from: source, count: bytes.count)
    }

    /// Appends text as it is.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a number.
    mutating func append(_ number: Int) {
        if UInt(bitPattern: number) < 10 {
            makeRoom(for: 1).pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var begin = digits.count
            var rest = number.magnitude
            repeat {
                begin -= 1
                digits[begin] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                begin -= 1
                digits[begin] = UInt8(ascii: "-")
            }
            append(UnsafeBufferPointer(rebasing: digits[begin...]))
        }
    }

    /// Appends markup that shows `text`.
    mutating func append(escaping text: String) {
        var text = text
        text.withUTF8 { text in
            // Compares bytes: the escaped characters are ASCII, and a combining mark after a `<` must not hide it.
            for index in 0..<text.count where MarkupWriter.isSpecial(text[index]) {
                return append(escaping: text, from: index)
            }
            append(text)
        }
    }

    /// Appends markup that shows `text`. The byte at `first` is the first one to be escaped.
    @inline(never)
    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>, from first: Int) {
        var begin = 0
        for index in first..<text.count where MarkupWriter.isSpecial(text[index]) {
            append(UnsafeBufferPointer(rebasing: text[begin..<index]))
            append(MarkupWriter.entity(of: text[index]))
            begin = index + 1
        }
        append(UnsafeBufferPointer(rebasing: text[begin...]))
    }

    /// Whether a byte is one of `"`, `&`, `'`, `<` and `>`, which are bits of the number.
    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool { byte < 64 && 0x5000_00C4_0000_0000 >> UInt64(byte) & 1 != 0 }

    private static func entity(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        default: "&#39;"
        }
    }

    /// Extends the piece by `count` bytes, and returns their address.
    @inline(__always)
    private mutating func makeRoom(for count: Int) -> UnsafeMutablePointer<UInt8> {
        let free = block.withUnsafeMutablePointerToHeader { header in
            // A copy of this writer may have written after the piece.
            header.pointee.used == end ? header.pointee.capacity - end : -1
        }
        if free < count { move(besides: count) }
        return block.withUnsafeMutablePointers { header, bytes in
            let room = bytes + end
            end += count
            header.pointee.used = end
            return room
        }
    }

    /// Moves the piece to a block with room for it and for `count` more bytes.
    @inline(never)
    private mutating func move(besides count: Int) {
        let written = end - start
        let larger = MarkupBlock.make(capacity: max(2 * (written + count), 64))
        block.withUnsafeMutablePointerToElements { bytes in
            larger.withUnsafeMutablePointers { header, copy in
                copy.update(from: bytes + start, count: written)
                header.pointee.used = written
            }
        }
        block = larger
        (start, end) = (0, written)
    }
}

extension TreeState {
    /// The tree that is rendered once and whose body runs on this thread. Unretained: the caller of the body keeps it.
    fileprivate static var renderedOnce: Unmanaged<TreeState>? {
        @inline(__always) get {
            guard let scope = Hosting.rendering else { return nil }
            return Unmanaged<HookInstance>.fromOpaque(scope)._withUnsafeGuaranteedRef {
                $0.isRenderedOnce ? Unmanaged.passUnretained($0.state) : nil
            }
        }
    }
}
