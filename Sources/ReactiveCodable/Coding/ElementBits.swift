// Compares elements by their bits.
//
// Two elements with equal bits have the same value while the objects that they refer to are alive. So code that
// compares keeps an array of both. Values with different bits may still be equal, such as two strings in different
// storage. Here they count as different.
//
// The bytes between properties have no meaning and are not copied with the properties. So if bits differ, one value is
// copied onto the bits of the other one. Bits that still differ then are in properties.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#endif

/// Compares values by their bits.
enum ElementBits<Element> {
    private static var chunk: Int { 128 }

    /// Whether two runs of elements are equal.
    static func areSame(_ a: UnsafePointer<Element>, _ b: UnsafePointer<Element>, count: Int) -> Bool {
        guard count > 0 else { return true }
        // The bytes behind the last element are not compared.
        let size = (count - 1) * MemoryLayout<Element>.stride + MemoryLayout<Element>.size
        if memcmp(a, b, size) == 0 { return true }
        guard !_isPOD(Element.self) else { return false }
        if count > 1 { return (0..<count).allSatisfy { areSame(a + $0, b + $0, count: 1) } }
        return withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { copy in
            guard let copy = copy.baseAddress else { return false }
            memcpy(copy, b, size)
            copy.initialize(from: a, count: 1)
            defer { copy.deinitialize(count: 1) }
            return memcmp(copy, b, size) == 0
        }
    }

    /// Returns the number of equal elements at the beginning.
    static func commonPrefix(_ a: UnsafePointer<Element>, _ b: UnsafePointer<Element>, count: Int) -> Int {
        var same = 0
        while count - same >= chunk, areSame(a + same, b + same, count: chunk) { same += chunk }
        while same < count, areSame(a + same, b + same, count: 1) { same += 1 }
        return same
    }

    /// Returns the number of equal elements at the end.
    static func commonSuffix(_ aEnd: UnsafePointer<Element>, _ bEnd: UnsafePointer<Element>, count: Int) -> Int {
        var same = 0
        func areSame(_ next: Int) -> Bool {
            ElementBits.areSame(aEnd - (same + next), bEnd - (same + next), count: next)
        }
        while count - same >= chunk, areSame(chunk) { same += chunk }
        while same < count, areSame(1) { same += 1 }
        return same
    }
}

/// Whether two values are equal in every bit. If so, they are the same while both are alive.
///
/// Padding is compared too: leaving it out would take longer than what that saves.
func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in Bits.areEqual(a, b, MemoryLayout<Value>.size) }
    }
}
