// The strategies of a `JSONEncoder` and a `JSONDecoder`, so that our coders agree with these.
//
// Simple strategies are implemented here. Everything that involves a formatter, a calendar or a naming rule is
// delegated to the coders themselves, one leaf at a time; keys are converted once.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

final class CodingStrategies {
    let encoder: JSONEncoder
    let decoder: JSONDecoder
    /// Whether members have the names of their keys.
    let keepsEncodedKeys: Bool
    /// Whether keys have the names of their members.
    let keepsDecodedKeys: Bool
    private let types = TypeTable<TypeInfo>()
    private var encodedKeys: [String: String] = [:]
    private var decodedKeys: [String: String] = [:]

    init(encoder: JSONEncoder, decoder: JSONDecoder) {
        self.encoder = encoder
        self.decoder = decoder
        keepsEncodedKeys = if case .useDefaultKeys = encoder.keyEncodingStrategy { true } else { false }
        // No test sees this never hold: whole dictionaries are decoded then, which only takes longer.
        if case .useDefaultKeys = decoder.keyDecodingStrategy {
            // No test sees this: as above.
            keepsDecodedKeys = true
        } else {
            keepsDecodedKeys = false
        }
    }

    /// Whether the names of members may depend on their paths.
    var keysDependOnPath: Bool { if case .custom = encoder.keyEncodingStrategy { true } else { false } }

    /// Returns the encoded form of values of a type.
    func kind(of type: any Any.Type) -> TypeInfo.Kind { types.info(of: type).kind }

    /// Whether values of a type can neither contain observables nor read any when they are encoded.
    func isPlain(_ type: any Any.Type) -> Bool { types.info(of: type).isPlain }

    var encoderInfo: [CodingUserInfoKey: Any] { encoder.userInfo }
    var decoderInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    // MARK: - Leaves

    /// Texts for numbers that JSON cannot represent.
    typealias NonConformingFloats = (infinity: String, negativeInfinity: String, nan: String)

    /// The encoder's texts for such numbers; `nil` if it throws for them.
    var encodedNonConformingFloats: NonConformingFloats? {
        guard case .convertToString(let infinity, let negative, let nan) = encoder.nonConformingFloatEncodingStrategy
        else { return nil }
        return (infinity, negative, nan)
    }

    /// The decoder's texts for such numbers; `nil` if it throws for them.
    var decodedNonConformingFloats: NonConformingFloats? {
        guard case .convertFromString(let infinity, let negative, let nan) = decoder.nonConformingFloatDecodingStrategy
        else { return nil }
        return (infinity, negative, nan)
    }

    /// Returns a leaf as encoded by the encoder.
    func encodedLeaf(_ leaf: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: encoder.encode([leaf]), limits: .unlimited)[0] ?? .null
    }

    /// Returns a leaf as decoded by the decoder.
    func decodedLeaf<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
        let array: JSONValue = [json]
        return try decoder.decode(Leaf<T>.self, from: array.data).value
    }

    /// An array with one element.
    private struct Leaf<T: Decodable>: Decodable {
        let value: T
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            value = try container.decode(T.self)
        }
    }

    // MARK: - Keys

    /// Returns the name of a key's member.
    func encodedKey(_ key: any CodingKey, at path: () -> [any CodingKey]) throws -> String {
        switch encoder.keyEncodingStrategy {
        case .useDefaultKeys: return key.stringValue
        case .custom(let convert): return convert(path() + [key]).stringValue
        default:
            // No test sees this never hold: it only saves a conversion.
            if let known = encodedKeys[key.stringValue] { return known }
            let probe = try JSONValue(parsing: encoder.encode(KeyProbe(keys: [.name(key.stringValue)])))
            guard case .object(let object) = probe, let name = object.members.first?.key else { return key.stringValue }
            // No test sees this: it only saves a conversion.
            encodedKeys[key.stringValue] = name
            return name
        }
    }

    /// Returns the name of a member's key.
    func decodedKey(_ name: String, at path: () -> [any CodingKey]) throws -> String {
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: return name
        case .custom(let convert): return convert(path() + [AnyKey.name(name)]).stringValue
        default:
            // No test sees this never hold: it only saves a conversion.
            if let known = decodedKeys[name] { return known }
            let probe: JSONValue = .object(JSONObject([name: 0]))
            let key = try decoder.decode(KeyProbe.self, from: probe.data).keys.first?.stringValue ?? name
            // No test sees this: it only saves a conversion.
            decodedKeys[name] = key
            return key
        }
    }

    /// An object whose keys are converted by the strategies.
    private struct KeyProbe: Codable {
        let keys: [AnyKey]

        init(keys: [AnyKey]) { self.keys = keys }

        init(from decoder: any Decoder) throws { keys = try decoder.container(keyedBy: AnyKey.self).allKeys }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            for key in keys { try container.encode(0, forKey: key) }
        }
    }
}
