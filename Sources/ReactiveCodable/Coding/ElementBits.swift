// Compares single values by their bits. ElementComparison.swift compares many.
//
// Two values with equal bits are the same while the objects that they refer to are alive. Values with different bits
// may still be equal, such as two strings in different storage. Here they count as different.

/// Whether two values are equal in every bit. If so, they are the same while both are alive.
///
/// Padding is compared too: leaving it out would take longer than what that saves.
func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in Bits.areEqual(a, b, MemoryLayout<Value>.size) }
    }
}

/// Whether two values are equal in every bit with a meaning. If so, they are the same while both are alive.
func haveSameBitsWithoutPadding<Value>(_ a: Value, _ b: Value) -> Bool {
    // Copying plain values copies their padding.
    // No test sees this always hold: it only saves a copy.
    guard !_isPOD(Value.self) else { return haveSameBits(a, b) }
    return withUnsafePointer(to: a) { a in
        withUnsafePointer(to: b) { b in ElementPadding<Value>.areEqualByCopying(a, b, 1) }
    }
}
