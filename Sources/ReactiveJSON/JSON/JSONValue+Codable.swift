// `Codable` for JSON values, through any coder.

extension JSONValue: Codable {
    /// Creates the value that a decoder holds. Numbers are as exact as the decoder gives them: 64-bit integers, else
    /// decimals.
    ///
    /// `JSONDecoder` reads at most ``maximumCodableDepth`` levels; ``init(parsing:)-(String)`` has no limit and keeps
    /// every digit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let number = JSONNumber(decimalIn: container) {
            self = .number(number)
        } else if let number = (try? container.decode(Double.self)).flatMap(JSONNumber.init) {
            self = .number(number)
        } else if let elements = try JSONValue.elements(in: decoder) {
            self = .array(JSONArray(elements))
        } else {
            self = .object(JSONObject(try container.decode([String: JSONValue].self)))
        }
    }

    /// The elements, if the decoder holds an array. What goes wrong in an element is thrown.
    private static func elements(in decoder: any Decoder) throws -> [JSONValue]? {
        guard var container = try? decoder.unkeyedContainer() else { return nil }
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    /// Encodes the value. Numbers of more than 64 bits or with a fraction go as `Decimal` if that is exact, else as
    /// `Double`.
    ///
    /// - Throws: `EncodingError` if there are more than ``maximumCodableDepth`` levels; ``data`` has no limit.
    public func encode(to encoder: any Encoder) throws {
        guard depth <= JSONValue.maximumCodableDepth else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: """
                        The JSON value has \(depth) levels; coders take \(JSONValue.maximumCodableDepth). \
                        Use its `data` instead.
                        """))
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let number): try JSONValue.encode(number, to: &container)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array.elements)
        case .object(let object): try container.encode(object.members)
        }
    }

    private static func encode(_ number: JSONNumber, to container: inout some SingleValueEncodingContainer) throws {
        if let value = number.exactly(Int64.self) {
            try container.encode(value)
        } else if let value = number.exactly(UInt64.self) {
            try container.encode(value)
        } else if try !number.encodeAsDecimal(to: &container) {
            try container.encode(number.double)
        }
    }
}
