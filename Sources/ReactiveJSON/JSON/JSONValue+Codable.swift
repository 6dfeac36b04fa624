// `Codable` for JSON values, through any coder.

extension JSONValue: Codable {
    /// Creates the value that a decoder holds. Numbers are as exact as the decoder gives them: 64-bit integers, else
    /// decimals.
    ///
    /// Foundation's decoders compare keys as Swift compares strings: of members whose keys differ in their Unicode normal
    /// form only, they give one. ``init(parsing:limits:)-(String,_)`` keeps all.
    ///
    /// `JSONDecoder` reads at most ``maximumCodableDepth`` levels; ``init(parsing:limits:)-(String,_)`` has the limit that you choose,
    /// and keeps every digit.
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
            self = .object(try JSONValue.object(container.decode([String: JSONValue].self), in: decoder))
        }
    }

    /// The elements, if the decoder holds an array. What goes wrong in an element is thrown.
    private static func elements(in decoder: any Decoder) throws -> [JSONValue]? {
        guard var container = try? decoder.unkeyedContainer() else { return nil }
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    /// The object that a decoder holds. A dictionary gives the keys as they are, where a keyed container would apply a
    /// strategy for keys; but it merges keys that Swift's strings hold for equal.
    private static func object(_ members: [String: JSONValue], in decoder: any Decoder) throws -> JSONObject {
        let isPlain = members.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        guard !isPlain, let container = try? decoder.container(keyedBy: MemberKey.self),
            container.allKeys.count > members.count
        else { return JSONObject(members) }
        return JSONObject(
            try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
    }

    /// A key as it is.
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the value. Numbers of more than 64 bits or with a fraction go as `Decimal` if that is exact, else as
    /// `Double`.
    ///
    /// Objects go as dictionaries, whose keys strategies leave as they are; objects with keys that differ in their Unicode
    /// normal form only go through a keyed container. Foundation's encoders keep one of such members; ``data`` has all.
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
        if case .object(let object) = self {
            try JSONValue.encode(object, to: encoder)
        } else {
            var container = encoder.singleValueContainer()
            try encodeNonObject(to: &container)
        }
    }

    private func encodeNonObject(to container: inout some SingleValueEncodingContainer) throws {
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let number): try JSONValue.encode(number, to: &container)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array.elements)
        case .object: break
        }
    }

    private static func encode(_ object: JSONObject, to encoder: any Encoder) throws {
        let members = object.members
        guard members.count < object.count else {
            var container = encoder.singleValueContainer()
            return try container.encode(members)
        }
        var container = encoder.container(keyedBy: MemberKey.self)
        for (key, value) in object { try container.encode(value, forKey: MemberKey(stringValue: key)) }
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
