// Hexadecimal digits in escapes of JSON text and of URIs.

extension UInt32 {
    /// Creates the number of hexadecimal digits, or returns `nil` if another character is among them.
    ///
    /// `UInt32(_:radix:)` would accept a sign.
    init?(hexDigits: some Sequence<UInt8>) {
        self = 0
        for byte in hexDigits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            self = self << 4 | UInt32(digit)
        }
    }
}
