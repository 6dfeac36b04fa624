// A JSON number: digits, not a machine type.
//
// Integers of 64 bits, signed or unsigned, are stored as such. All other numbers are kept as written, so that `1.10`
// stays `1.10` and 40 digits stay 40 digits. Two numbers are equal if their values are: `1`, `1.0` and `10e-1` are
// equal (RFC 6902, 4.6). To compare them, a literal is converted to a canonical form on demand: an integer if its value
// is one of 64 bits, otherwise its digits without zeros at either end, and a power of ten.

/// A number of a JSON document: exact for 64-bit integers, signed and unsigned, and kept as written otherwise.
///
/// Equality compares the values: `JSONNumber("1.0") == 1`.
public struct JSONNumber: Sendable {
    private enum Storage: Sendable {
        case signed(Int64)
        /// Above `Int64.max`.
        case unsigned(UInt64)
        /// Valid JSON that is not a 64-bit integer without fraction and exponent.
        case literal(String)
    }

    private let storage: Storage

    /// Creates a number from an integer of at most 64 bits.
    public init<Integer: FixedWidthInteger>(_ integer: Integer) {
        if let signed = Int64(exactly: integer) {
            storage = .signed(signed)
        } else if let unsigned = UInt64(exactly: integer) {
            storage = .unsigned(unsigned)
        } else {
            storage = .literal(String(integer))
        }
    }

    /// Creates a number with the shortest digits that convert back to `value`, or returns `nil` if it is not finite.
    public init?<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Value) {
        guard value.isFinite else { return nil }
        let text = value.description
        self.init(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// Creates a number from a text, which is kept as written. Returns `nil` if the text does not match JSON's grammar.
    public init?(_ description: String) {
        guard JSONNumber.isValid(description) else { return nil }
        self.init(valid: description)
    }

    /// Creates a number from a text that is known to match JSON's grammar.
    init(valid text: String) {
        if text == "-0" {
            storage = .literal(text)
        } else if let signed = Int64(text) {
            storage = .signed(signed)
        } else if let unsigned = UInt64(text) {
            storage = .unsigned(unsigned)
        } else {
            storage = .literal(text)
        }
    }

    /// The number of bytes of a number that is stored as text, otherwise 0.
    var literalByteCount: Int {
        guard case .literal(let text) = storage else { return 0 }
        return text.utf8.count
    }

    private static func isValid(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
        func dropDigits() -> Bool {
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            return !digits.isEmpty
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "0") {
            rest.removeFirst()
        } else if !dropDigits() {
            return false
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard dropDigits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard dropDigits() else { return false }
        }
        return rest.isEmpty
    }
}

// MARK: - Values

extension JSONNumber {
    /// Returns the value as an integer of the given type, or `nil` if it is not an integer or does not fit.
    public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch canonical {
        case .integer(let isNegative, let magnitude):
            guard isNegative else { return Integer(exactly: magnitude) }
            guard magnitude <= Int64.min.magnitude else { return nil }
            return Integer(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
        case .decimal:
            return Integer(description)
        }
    }

    /// The nearest `Double`; infinite if the number is too large for one.
    public var double: Double { Double(description) ?? .nan }

    /// The nearest `Float`; infinite if the number is too large for one.
    public var float: Float { Float(description) ?? .nan }
}

extension JSONNumber: LosslessStringConvertible, CustomDebugStringConvertible {
    /// The number as it appears in JSON.
    public var description: String {
        switch storage {
        case .signed(let value): String(value)
        case .unsigned(let value): String(value)
        case .literal(let text): text
        }
    }

    /// The number as it appears in JSON.
    public var debugDescription: String { description }
}

// MARK: - Equality

extension JSONNumber: Hashable {
    private enum Canonical: Hashable {
        case integer(isNegative: Bool, magnitude: UInt64)
        case decimal(isNegative: Bool, digits: String, exponent: Int)
    }

    private var canonical: Canonical {
        switch storage {
        case .signed(let value): .integer(isNegative: value < 0, magnitude: value.magnitude)
        case .unsigned(let value): .integer(isNegative: false, magnitude: value)
        case .literal(let text): JSONNumber.canonical(text)
        }
    }

    private static func canonical(_ text: String) -> Canonical {
        let isNegative = text.hasPrefix("-")
        let unsigned = text.utf8.drop { $0 == UInt8(ascii: "-") }
        let mantissa = unsigned.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let written = String(decoding: unsigned.dropFirst(mantissa.count + 1), as: UTF8.self)
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        let fraction = mantissa.dropFirst(whole.count + 1)
        var digits = Array((Array(whole) + Array(fraction)).drop { $0 == UInt8(ascii: "0") })
        guard !digits.isEmpty else { return .integer(isNegative: false, magnitude: 0) }
        guard var exponent = written.isEmpty ? 0 : Int(written), exponent.magnitude < UInt.max / 4 else {
            // The exponent does not fit an `Int`: such numbers are equal if they are written alike.
            return .decimal(isNegative: isNegative, digits: text, exponent: 0)
        }
        exponent -= fraction.count
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if exponent >= 0, digits.count + exponent <= 20 {
            let integer = digits + Array(repeating: UInt8(ascii: "0"), count: exponent)
            if let magnitude = UInt64(String(decoding: integer, as: UTF8.self)) {
                return .integer(isNegative: isNegative, magnitude: magnitude)
            }
        }
        return .decimal(
            isNegative: isNegative, digits: String(decoding: digits, as: UTF8.self), exponent: exponent)
    }

    /// Whether the values are equal, regardless of how they are written.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.storage, right.storage) {
        case (.signed(let left), .signed(let right)): left == right
        case (.literal(let left), .literal(let right)) where left == right: true
        default: left.canonical == right.canonical
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Creates a number from a floating-point literal: the shortest digits that convert back to its `Double`.
    public init(floatLiteral value: Double) {
        guard let number = JSONNumber(value) else { preconditionFailure("JSON cannot represent the number \(value)") }
        self = number
    }
}
