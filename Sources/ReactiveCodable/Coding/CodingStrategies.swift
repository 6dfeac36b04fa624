// How a `JSONEncoder` and a `JSONDecoder` treat what they have strategies for, so that our coders agree with them.
//
// Simple strategies are followed here. Whatever involves a formatter, a calendar or a rule for names is asked of the
// coders themselves, one leaf at a time; keys are asked once.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

final class CodingStrategies {
    let encoder: JSONEncoder
    let decoder: JSONDecoder
    /// Whether members are called as their keys are.
    let keepsEncodedKeys: Bool
    /// Whether keys are called as the members are.
    let keepsDecodedKeys: Bool
    private let types = TypeTable<TypeInfo>()
    private var encodedKeys: [String: String] = [:]
    private var decodedKeys: [String: String] = [:]

    init(encoder: JSONEncoder, decoder: JSONDecoder) {
        self.encoder = encoder
        self.decoder = decoder
        keepsEncodedKeys = if case .useDefaultKeys = encoder.keyEncodingStrategy { true } else { false }
        keepsDecodedKeys = if case .useDefaultKeys = decoder.keyDecodingStrategy { true } else { false }
    }

    /// Whether what members are called may depend on where they are.
    var keysDependOnPath: Bool { if case .custom = encoder.keyEncodingStrategy { true } else { false } }

    /// How values of a type are encoded.
    func kind(of type: any Any.Type) -> TypeInfo.Kind { types.info(of: type).kind }

    /// Whether values of a type can neither contain observables nor read any when they are encoded.
    func isPlain(_ type: any Any.Type) -> Bool { types.info(of: type).isPlain }

    var encoderInfo: [CodingUserInfoKey: Any] { encoder.userInfo }
    var decoderInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    // MARK: - Leaves

    /// Texts for the numbers that JSON has none for.
    typealias NonConformingFloats = (infinity: String, negativeInfinity: String, nan: String)

    /// What the encoder writes for such numbers, if it does not refuse them.
    var encodedNonConformingFloats: NonConformingFloats? {
        guard case .convertToString(let infinity, let negative, let nan) = encoder.nonConformingFloatEncodingStrategy
        else { return nil }
        return (infinity, negative, nan)
    }

    /// What the decoder reads such numbers from, if it does.
    var decodedNonConformingFloats: NonConformingFloats? {
        guard case .convertFromString(let infinity, let negative, let nan) = decoder.nonConformingFloatDecodingStrategy
        else { return nil }
        return (infinity, negative, nan)
    }

    /// What the encoder makes of a leaf.
    func encodedLeaf(_ leaf: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: encoder.encode([leaf]), limits: .unlimited)[0] ?? .null
    }

    /// What the decoder makes of a leaf.
    func decodedLeaf<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
        let array: JSONValue = [json]
        return try decoder.decode(Leaf<T>.self, from: array.data).value
    }

    /// An array of one.
    private struct Leaf<T: Decodable>: Decodable {
        let value: T
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            value = try container.decode(T.self)
        }
    }

    // MARK: - Keys

    /// What the member of a key is called.
    func encodedKey(_ key: any CodingKey, at path: () -> [any CodingKey]) throws -> String {
        switch encoder.keyEncodingStrategy {
        case .useDefaultKeys: return key.stringValue
        case .custom(let convert): return convert(path() + [key]).stringValue
        default:
            if let known = encodedKeys[key.stringValue] { return known }
            let probe = try JSONValue(parsing: encoder.encode(KeyProbe(keys: [.name(key.stringValue)])))
            guard case .object(let object) = probe, let name = object.members.first?.key else { return key.stringValue }
            encodedKeys[key.stringValue] = name
            return name
        }
    }

    /// What the key of a member is called.
    func decodedKey(_ name: String, at path: () -> [any CodingKey]) throws -> String {
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: return name
        case .custom(let convert): return convert(path() + [AnyKey.name(name)]).stringValue
        default:
            if let known = decodedKeys[name] { return known }
            let probe: JSONValue = .object(JSONObject([name: 0]))
            let key = try decoder.decode(KeyProbe.self, from: probe.data).keys.first?.stringValue ?? name
            decodedKeys[name] = key
            return key
        }
    }

    /// An object whose keys go through the strategies.
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
