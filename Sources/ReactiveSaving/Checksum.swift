// The checksum of journals and of the documents that they belong to: CRC-64 with the polynomial of ECMA-182.
//
// It detects damage, not fraud. It detects every single burst of up to 64 bits.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A 64-bit checksum.
package struct Checksum: Hashable, Sendable, CustomStringConvertible {
    private let value: UInt64

    private static let table: [UInt64] = (0..<256).map { byte in
        (0..<8).reduce(UInt64(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xC96C_5795_D787_0F42 }
    }

    /// Creates the checksum of bytes.
    ///
    /// - Complexity: O(*n*).
    package init(of data: Data) {
        let value = data.withUnsafeBytes { bytes in
            Self.table.withUnsafeBufferPointer { table in
                var value = UInt64.max
                for byte in bytes { value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
                return value
            }
        }
        self.value = ~value
    }

    /// Creates the checksum from its text, or returns `nil` if the text is not a checksum.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let value = UInt64(text, radix: 16)
        else { return nil }
        self.value = value
    }

    /// Sixteen lower-case hexadecimal digits.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
