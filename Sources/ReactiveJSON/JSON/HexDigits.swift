// Hexadecimal digits, as escapes of JSON text and of addresses have them.

extension UInt32 {
    /// Creates the number that hexadecimal digits stand for, or returns `nil` if there is anything else among them.
    ///
    /// `UInt32(_:radix:)` would take a sign.
    init?(hexDigits: some Sequence<UInt8>) {
        self = 0
        for byte in hexDigits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            self = self << 4 | UInt32(digit)
        }
    }
}
