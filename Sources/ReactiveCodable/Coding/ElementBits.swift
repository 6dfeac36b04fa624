// Whether elements are the same by what they are: their bits.
//
// Two elements of equal bits are the same value as long as what they refer to is alive, so whoever compares keeps an
// array of both. Values of different bits may be equal nevertheless, such as two strings in two places; here they count
// as different.
//
// The bytes between properties mean nothing, and are not copied with the properties. So where bits differ, one value is
// copied on top of the bits of the other one: what still differs then lies in properties.

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

    /// Whether two runs of elements are the same.
    static func areSame(_ a: UnsafePointer<Element>, _ b: UnsafePointer<Element>, count: Int) -> Bool {
        guard count > 0 else { return true }
        // What lies behind the last element is not compared.
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

    /// How many elements are the same, beginning with the first ones.
    static func commonPrefix(_ a: UnsafePointer<Element>, _ b: UnsafePointer<Element>, count: Int) -> Int {
        var same = 0
        while count - same >= chunk, areSame(a + same, b + same, count: chunk) { same += chunk }
        while same < count, areSame(a + same, b + same, count: 1) { same += 1 }
        return same
    }

    /// How many elements are the same, going back from the ends.
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

/// Whether two values are the same in every bit. If so, they are the same as long as both are alive.
///
/// Padding is compared too: to leave it out would take longer than what that saves.
func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in Bits.areEqual(a, b, MemoryLayout<Value>.size) }
    }
}
