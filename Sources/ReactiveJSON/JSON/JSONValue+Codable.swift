// `Codable` for JSON values, through any coder.

extension JSONValue: Codable {
    /// Creates the value of a decoder. Numbers are as exact as the decoder provides them: 64-bit integers, otherwise
    /// decimals.
    ///
    /// Foundation's decoders compare keys as Swift strings. If members have keys that differ only in their Unicode
    /// normal form, these decoders return one of them. ``init(parsing:limits:)-(String,_)`` keeps all.
    ///
    /// `JSONDecoder` reads at most ``maximumCodableDepth`` levels. ``init(parsing:limits:)-(String,_)`` has the limit
    /// that you choose, and keeps every digit.
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

    /// Returns the elements if the decoder contains an array. Throws any error of an element.
    private static func elements(in decoder: any Decoder) throws -> [JSONValue]? {
        guard var container = try? decoder.unkeyedContainer() else { return nil }
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    /// Returns the object of a decoder. A dictionary returns the keys unchanged, where a keyed container would apply a
    /// key strategy. But it merges keys that are equal as Swift strings.
    private static func object(_ members: [String: JSONValue], in decoder: any Decoder) throws -> JSONObject {
        let isPlain = members.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        guard !isPlain, let container = try? decoder.container(keyedBy: MemberKey.self),
            container.allKeys.count > members.count
        else { return JSONObject(members) }
        return JSONObject(
            try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
    }

    /// An unchanged key.
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the value. A number with more than 64 bits or with a fraction is encoded as `Decimal` if that is exact,
    /// otherwise as `Double`.
    ///
    /// Objects are encoded as dictionaries, whose keys are not changed by key strategies. An object with keys that
    /// differ only in their Unicode normal form is encoded with a keyed container. Foundation's encoders keep one of
    /// such members; ``data`` contains all.
    ///
    /// - Throws: `EncodingError` if there are more than ``maximumCodableDepth`` levels; ``data`` has no limit.
    public func encode(to encoder: any Encoder) throws {
        guard depth <= JSONValue.maximumCodableDepth else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: """
                        The JSON value has \(depth) levels; coders support \(JSONValue.maximumCodableDepth). \
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
