// Data and decimals: all that this module uses of Foundation.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// MARK: - Data

extension JSONValue {
    /// Creates the value of a JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - limits: The limits for the document.
    /// - Throws: ``JSONParseError``, with the line and column of the problem or of an exceeded limit.
    public init(parsing data: Data, limits: JSONLimits = .default) throws {
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw JSONParseError(reason: "the text is not UTF-8", line: 1, column: 1)
        }
        try self.init(parsing: text, limits: limits)
    }

    /// The JSON text in UTF-8.
    public var data: Data { Data(utf8) }
}

extension JSONPatch {
    /// Creates a patch from JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - limits: The limits for the size of the text and the depth of each value in it.
    /// - Throws: ``JSONParseError`` or ``JSONPatchError``.
    public init(parsing data: Data, limits: JSONLimits = .default) throws {
        try self.init(json: JSONValue(parsing: data, limits: limits.ofPatch))
    }
}

// MARK: - Decimals

extension JSONNumber {
    /// Creates a number from the digits of a decimal, or returns `nil` if it is not a number.
    public init?(_ decimal: Decimal) {
        guard !decimal.isNaN else { return nil }
        self.init(decimal.description)
    }

    /// The value as a `Decimal`, or `nil` if its exponent is too large. Digits after the 38th are lost.
    public var decimal: Decimal? {
        guard let decimal = Decimal(string: description), !decimal.isNaN else { return nil }
        return decimal
    }

    /// Creates a number from the decimal of a decoder, or returns `nil` if it has none.
    init?(decimalIn container: some SingleValueDecodingContainer) {
        guard let decimal = try? container.decode(Decimal.self) else { return nil }
        self.init(decimal)
    }

    /// Encodes the number as a decimal, or returns `false` if that would not be exact.
    func encodeAsDecimal(to container: inout some SingleValueEncodingContainer) throws -> Bool {
        guard let decimal, JSONNumber(decimal) == self else { return false }
        try container.encode(decimal)
        return true
    }
}
