// Determines which elements of an array of any type are unchanged, without knowing the type.
//
// Equal bits mean equal values while both arrays are kept: the objects that elements refer to are then alive, so that
// no address is used twice. The reverse is not true. Different bits may be equal values, like two copies of a long
// string, and padding may have any bits. So the elements are compared
//
//     by their bits                        many at a time; this is enough for most
//     by their bits without the padding    if the first comparison fails (ElementPadding.swift)
//
// The caller examines the elements that are reported as different. A wrong report there only costs time.

import ReactiveJSON

/// An array whose elements can be encoded one by one.
protocol ElementArray: Encodable {
    associatedtype Element: Encodable

    var count: Int { get }
    func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result
}

extension Array: ElementArray where Element: Encodable {
    func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
        try withUnsafeBufferPointer(body)
    }
}

extension ContiguousArray: ElementArray where Element: Encodable {
    func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
        try withUnsafeBufferPointer(body)
    }
}

/// Two arrays of one type, compared by the bits of their elements. Keeps both arrays.
struct ElementComparison<A: ElementArray>: ComparedElements {
    let old: A
    let new: A
    private let bits = BitComparison<A.Element>()

    init(old: A, new: A) {
        self.old = old
        self.new = new
    }

    var oldCount: Int { old.count }
    var newCount: Int { new.count }
    /// Comparing bits is fast, hashing them is not.
    var directDistance: Int { 32 }

    func equalCount(from oldIndex: Int, _ newIndex: Int) -> Int {
        old.withElements { old in
            new.withElements { new in
                bits.equalCount(old[oldIndex...], new[newIndex...])
            }
        }
    }

    func equalCount(before oldIndex: Int, _ newIndex: Int, limit: Int) -> Int {
        old.withElements { old in
            new.withElements { new in
                bits.equalCountAtEnd(old[(oldIndex - limit)..<oldIndex], new[(newIndex - limit)..<newIndex])
            }
        }
    }

    func numbers(old oldIndices: [Int], new newIndices: [Int]) -> (old: [Int], new: [Int]) {
        // No test sees this always hold: it only saves to number elements that have nothing to equal.
        guard !oldIndices.isEmpty, !newIndices.isEmpty else {
            return ([Int](repeating: 0, count: oldIndices.count), [Int](repeating: 0, count: newIndices.count))
        }
        let copies = PaddedCopies<A.Element>(count: oldIndices.count + newIndices.count)
        func append(_ indices: [Int], of elements: UnsafeBufferPointer<A.Element>) {
            guard let start = elements.baseAddress else { return }
            for index in indices { copies.append(start + index) }
        }
        old.withElements { append(oldIndices, of: $0) }
        new.withElements { append(newIndices, of: $0) }
        let numbers = copies.numbers()
        return (Array(numbers[..<oldIndices.count]), Array(numbers[oldIndices.count...]))
    }
}

/// Compares elements of one type by their bits.
final class BitComparison<T> {
    /// The number of elements compared at a time.
    private let chunk = 128
    /// Created when it is first needed.
    private var padding: ElementPadding<T>?

    func equalCount(_ a: Slice<UnsafeBufferPointer<T>>, _ b: Slice<UnsafeBufferPointer<T>>) -> Int {
        let count = min(a.count, b.count)
        guard count > 0, let a = UnsafeBufferPointer(rebasing: a).baseAddress,
            let b = UnsafeBufferPointer(rebasing: b).baseAddress
        else { return 0 }
        // Most comparisons fail at the first element.
        guard areEqual(a, b, 1) else { return 0 }
        var done = 1
        while done < count {
            let length = min(chunk, count - done)
            // No test sees this never hold: the elements are compared one by one then.
            if areEqual(a + done, b + done, length) {
                done += length
            } else {
                for _ in 0..<length {
                    guard areEqual(a + done, b + done, 1) else { return done }
                    done += 1
                }
            }
        }
        return count
    }

    /// Precondition: both have the same number of elements.
    func equalCountAtEnd(_ a: Slice<UnsafeBufferPointer<T>>, _ b: Slice<UnsafeBufferPointer<T>>) -> Int {
        let count = a.count
        guard let a = UnsafeBufferPointer(rebasing: a).baseAddress,
            let b = UnsafeBufferPointer(rebasing: b).baseAddress
        else { return 0 }
        var left = count
        while left > 0 {
            let length = min(chunk, left)
            // No test sees this: the elements are compared one by one then.
            if areEqual(a + (left - length), b + (left - length), length) {
                left -= length
            } else {
                for _ in 0..<length {
                    guard areEqual(a + (left - 1), b + (left - 1), 1) else { return count - left }
                    left -= 1
                }
            }
        }
        return count
    }

    /// Whether elements are equal one by one.
    ///
    /// Precondition: there is at least one.
    func areEqual(_ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ count: Int) -> Bool {
        let size = (count - 1) * MemoryLayout<T>.stride + MemoryLayout<T>.size
        if Bits.areEqual(a, b, size) { return true }
        // Copying such values copies their padding.
        // No test sees this always hold: it only saves a comparison of copies.
        guard !_isPOD(T.self) else { return false }
        let padding = self.padding ?? ElementPadding(of: a)
        // No test sees this: it only saves to compute the mask again.
        self.padding = padding
        return padding.areEqualWithout(a, b, count)
    }
}

/// Bytes in memory.
enum Bits {
    static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ size: Int) -> Bool {
        var offset = 0
        // No test sees this never hold: the rest is compared in smaller parts.
        // No test sees this boundary: as above.
        while offset + 32 <= size {
            var difference = word(a, offset) ^ word(b, offset)
            difference |= word(a, offset + 8) ^ word(b, offset + 8)
            difference |= word(a, offset + 16) ^ word(b, offset + 16)
            difference |= word(a, offset + 24) ^ word(b, offset + 24)
            guard difference == 0 else { return false }
            offset += 32
        }
        // No test sees this never hold: the rest is compared in smaller parts.
        // No test sees this boundary: as above.
        while offset + 8 <= size {
            guard word(a, offset) == word(b, offset) else { return false }
            offset += 8
        }
        while offset < size {
            guard byte(a, offset) == byte(b, offset) else { return false }
            offset += 1
        }
        return true
    }

    /// Whether bytes are equal where the mask has ones. No byte behind the mask is read.
    static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, where mask: UnsafeRawBufferPointer) -> Bool {
        // No test sees this: types that are not copied bit by bit have bits.
        guard let start = mask.baseAddress else { return true }
        var offset = 0
        // No test sees this never hold: the rest is compared byte by byte.
        // No test sees this boundary: as above.
        while offset + 8 <= mask.count {
            guard (word(a, offset) ^ word(b, offset)) & word(start, offset) == 0 else { return false }
            offset += 8
        }
        return (offset..<mask.count).allSatisfy { offset in
            (byte(a, offset) ^ byte(b, offset)) & mask[offset] == 0
        }
    }

    @inline(__always)
    private static func byte(_ address: UnsafeRawPointer, _ offset: Int) -> UInt8 {
        address.load(fromByteOffset: offset, as: UInt8.self)
    }

    @inline(__always)
    static func word(_ address: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        address.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

/// Returns a number for each element. Elements with equal bits have equal numbers.
///
/// - Complexity: O(*n*) on average.
func numbersOfBits<Element>(of elements: [Element]) -> [Int] {
    elements.withUnsafeBufferPointer { elements in
        guard let start = elements.baseAddress else { return [] }
        let copies = PaddedCopies<Element>(count: elements.count)
        for index in elements.indices { copies.append(start + index) }
        return copies.numbers()
    }
}

/// Copies of elements whose padding is zero, to be hashed.
private final class PaddedCopies<Element> {
    private let start: UnsafeMutablePointer<Element>
    private let capacity: Int
    private var count = 0

    init(count: Int) {
        capacity = count
        start = .allocate(capacity: count)
        UnsafeMutableRawPointer(start).initializeMemory(
            as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }

    deinit {
        start.deinitialize(count: count)
        // No test sees this: only that the memory is used again.
        start.deallocate()
    }

    /// Adds a copy. Precondition: there is capacity for it.
    ///
    /// The source must be the array itself: a temporary value would be moved, with whatever padding it has.
    func append(_ element: UnsafePointer<Element>) {
        (start + count).initialize(from: element, count: 1)
        count += 1
    }

    /// Returns a number for each copy. Copies with equal bits have equal numbers.
    func numbers() -> [Int] {
        var numbers: [Key: Int] = [:]
        return (0..<count).map { index in
            let key = Key(address: UnsafeRawPointer(start + index), size: MemoryLayout<Element>.size)
            if let number = numbers[key] { return number }
            numbers[key] = numbers.count
            return numbers.count - 1
        }
    }

    /// The bits of a copy. Lives as long as the copies.
    private struct Key: Hashable {
        let address: UnsafeRawPointer
        let size: Int

        static func == (a: Key, b: Key) -> Bool { Bits.areEqual(a.address, b.address, a.size) }

        func hash(into hasher: inout Hasher) {
            // No test sees this: copies are compared, too; it only saves comparisons.
            hasher.combine(bytes: UnsafeRawBufferPointer(start: address, count: size))
        }
    }
}
