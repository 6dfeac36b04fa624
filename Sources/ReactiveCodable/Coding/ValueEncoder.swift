// The common part of the encoders of one value: scalars, as in `JSONEncoder`.
//
//     TreeEncoder     a node of a tree, which knows the observables and the values that it was encoded from
//     PlainEncoder    plain JSON: several times as fast
//
// The special treatment of types of Foundation is in FoundationTypes.swift.

import Reactive

/// An encoder of one value.
protocol ValueEncoder: EncoderOfObservables {
    var strategies: CodingStrategies { get }

    /// Sets the encoded value.
    func set(_ json: JSONValue)
}

extension ValueEncoder {
    var userInfo: [CodingUserInfoKey: Any] { strategies.encoderInfo }

    /// Returns the JSON of a value that is a scalar in Swift and in JSON; `nil` for others.
    func scalar<T: Encodable>(of value: T, _ kind: TypeInfo.Kind) throws -> JSONValue? {
        func cast<S>(_ type: S.Type) -> S { value as! S }
        switch kind {
        case .string: return .string(cast(String.self))
        case .bool: return .bool(cast(Bool.self))
        case .int: return .number(JSONNumber(cast(Int.self)))
        case .double: return try floatingPoint(cast(Double.self))
        case .float: return try floatingPoint(cast(Float.self))
        case .integer: return (value as? any FixedWidthInteger).map { .number(JSONNumber($0)) }
        default: return nil
        }
    }

    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(_ value: F) throws -> JSONValue {
        if let number = JSONNumber(value) { return .number(number) }
        guard let texts = strategies.encodedNonConformingFloats else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription: """
                        JSON cannot represent the number \(value). Set nonConformingFloatEncodingStrategy.
                        """))
        }
        // No test sees this boundary: zero is a number that JSON can represent.
        return .string(value.isNaN ? texts.nan : value > 0 ? texts.infinity : texts.negativeInfinity)
    }

    /// Returns the name of a key's member.
    func name(of key: any CodingKey) throws -> String {
        // No test sees this never hold: it only saves time, since the default strategy keeps each name.
        strategies.keepsEncodedKeys ? key.stringValue : try strategies.encodedKey(key) { codingPath }
    }
}
