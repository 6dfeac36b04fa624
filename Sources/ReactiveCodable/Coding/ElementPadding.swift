// Compares the bits of values without their padding.
//
// Copying a value writes the bytes with a meaning and leaves the others unchanged. So if one value is copied onto the
// bits of another, the result differs from these bits only where the values differ. That holds for all types; but
// copying retains the objects that the value refers to.
//
// If all values have padding at the same bytes, a mask is enough. The mask is computed from one value: padding bytes
// are those in which a copy onto zeros and a copy onto ones differ. Reflection decides whether other values have the
// same padding. They do if the value consists only of objects and of types of the standard library that are known to
// use all of their bytes, and if these together are as large as the written bytes. An enum or an existential may use
// other bytes in other values; an existential is larger than what reflection shows in it.

/// Compares values of a type without their padding.
struct ElementPadding<T> {
    /// A byte for each byte of a value, with ones for the bytes with a meaning; `nil` if the padding is not the same in
    /// all values.
    private let mask: [UInt8]?

    /// Computes the mask from one value.
    init(of value: UnsafePointer<T>) {
        let written = ElementPadding.writtenBytes(value)
        // No test sees this: a wrong count means no mask, and copies are compared, which takes longer.
        mask = fullSize(of: value.pointee) == written.filter { $0 != 0 }.count ? written : nil
    }

    /// Whether values are equal one by one.
    func areEqualWithout(_ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ count: Int) -> Bool {
        // No test sees this never hold: copies are compared then, which takes longer.
        guard let mask else { return ElementPadding.areEqualByCopying(a, b, count) }
        return mask.withUnsafeBytes { mask in
            // No test sees this: if different elements are compared, all are compared one by one then.
            (0..<count).allSatisfy { Bits.areEqual(a + $0, b + $0, where: mask) }
        }
    }

    /// Whether values are equal one by one, if nothing is known about the padding.
    static func areEqualByCopying(_ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ count: Int) -> Bool {
        // No test sees this: the bytes behind the values would be compared with themselves.
        let last = count - 1
        let size = last * MemoryLayout<T>.stride + MemoryLayout<T>.size
        return withUnsafeTemporaryAllocation(of: T.self, capacity: count) { copy in
            // No test sees this: there is at least one value.
            guard let start = copy.baseAddress else { return false }
            UnsafeMutableRawPointer(start).copyMemory(from: b, byteCount: size)
            start.initialize(from: a, count: count)
            defer { start.deinitialize(count: count) }
            return Bits.areEqual(start, b, size)
        }
    }

    /// Returns a byte of ones for each byte that copying the value writes, and zero for the others.
    private static func writtenBytes(_ value: UnsafePointer<T>) -> [UInt8] {
        func copy(onTopOf byte: UInt8) -> [UInt8] {
            withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { copy in
                // No test sees this never hold: without a mask, copies are compared, which takes longer.
                guard let start = copy.baseAddress else { return [] }
                let size = MemoryLayout<T>.size
                UnsafeMutableRawPointer(start).initializeMemory(as: UInt8.self, repeating: byte, count: size)
                start.initialize(from: value, count: 1)
                defer { start.deinitialize(count: 1) }
                return Array(UnsafeRawBufferPointer(start: start, count: size))
            }
        }
        // No test sees this: padding is less than half of a value. So a wrong result means no mask, which takes longer.
        return zip(copy(onTopOf: 0), copy(onTopOf: 0xFF)).map { $0 == $1 ? 0xFF : 0 }
    }
}

/// Returns the number of bytes that a value uses, if it is a struct in which all parts use all of their bytes.
private func fullSize(of value: Any) -> Int? {
    // No test sees this never hold: without a mask, copies are compared, which takes longer.
    // No test sees this always hold: a copied value of which so few bytes are written has no others.
    if type(of: value) is AnyObject.Type { return MemoryLayout<UnsafeRawPointer>.size }
    // No test sees this never hold: as above.
    if let size = fullSizes[ObjectIdentifier(type(of: value))] { return size }
    // No test sees this never hold: as above.
    guard !(value is any CustomReflectable) else { return nil }
    let mirror = Mirror(reflecting: value)
    // No test sees this never hold: as above.
    // No test sees this always hold: a copy of an enum has more bytes than the payload, or the same in all cases.
    guard mirror.displayStyle == .struct else { return nil }
    var sum = 0
    for child in mirror.children {
        // No test sees this never hold: as above.
        guard let size = fullSize(of: child.value) else { return nil }
        // No test sees this: as above.
        sum += size
    }
    return sum
}

/// The sizes of types that use all of their bytes in all values.
private let fullSizes: [ObjectIdentifier: Int] = {
    func size<T>(_ type: T.Type) -> (ObjectIdentifier, Int) { (ObjectIdentifier(type), MemoryLayout<T>.size) }
    let sizes = [
        size(Bool.self), size(Double.self), size(Float.self), size(String.self), size(Int.self), size(Int8.self),
        size(Int16.self), size(Int32.self), size(Int64.self), size(UInt.self), size(UInt8.self), size(UInt16.self),
        size(UInt32.self), size(UInt64.self), size(Int?.self), size(Double?.self), size(Bool?.self),
    ]
    return Dictionary(uniqueKeysWithValues: sizes)
}()
