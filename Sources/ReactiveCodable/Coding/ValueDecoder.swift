// The common part of the decoders of one JSON value: scalars and errors, as in `JSONDecoder`.
//
//     TreeDecoder     a node of a tree: unchanged values are not decoded
//     PlainDecoder    plain JSON, in which there is nothing to look up: several times as fast
//
// The special treatment of types of Foundation is in FoundationTypes.swift.

import Reactive

/// A decoder of one JSON value.
protocol ValueDecoder: StateNamingDecoder {
    var strategies: CodingStrategies { get }
    var path: CoderPath { get }
    /// The scalar; `nil` for a container.
    var scalar: JSONValue? { get }
    /// The kind of the value, as named in error messages.
    var found: String { get }

    /// Returns the value as a whole.
    func whole() throws -> JSONValue
}

extension ValueDecoder {
    var userInfo: [CodingUserInfoKey: Any] { strategies.decoderInfo }

    package var stateName: StateName { path.stateName }

    var isNil: Bool { scalar == .null }

    /// Decodes a type that coders treat specially. Returns `nil` for other types.
    func decodeScalar<T: Decodable>(_ type: T.Type, _ kind: TypeInfo.Kind) throws -> T? {
        func cast<S>(_ value: S) -> T { value as! T }
        switch kind {
        case .string: return cast(try string())
        case .bool: return cast(try bool())
        case .int: return cast(try integer(Int.self))
        case .double: return cast(try floatingPoint(Double.self) { $0.double })
        case .float: return cast(try floatingPoint(Float.self) { $0.float })
        case .integer:
            guard let integer = type as? any FixedWidthInteger.Type else { return nil }
            return cast(try self.integer(integer) as Any)
        case .date: return cast(try date())
        case .data: return cast(try data())
        case .url: return cast(try url())
        case .decimal: return cast(try decimal())
        case .json: return cast(try whole())
        case .observable, .optionalProperty, .stringDictionary, .otherDictionary, .array, .orderedValue, .keyedValue,
            .unordered, .other:
            return nil
        }
    }

    func bool() throws -> Bool {
        guard case .bool(let value)? = scalar else { throw mismatch(Bool.self) }
        return value
    }

    func string() throws -> String {
        guard case .string(let value)? = scalar else { throw mismatch(String.self) }
        return value
    }

    func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard case .number(let number)? = scalar else { throw mismatch(type) }
        guard let value = number.exactly(type) else { throw corrupted("\(number) does not fit in \(type)") }
        return value
    }

    func floatingPoint<F: BinaryFloatingPoint>(_ type: F.Type, _ value: (JSONNumber) -> F) throws -> F {
        if case .number(let number)? = scalar {
            guard value(number).isFinite else { throw corrupted("\(number) does not fit in \(type)") }
            return value(number)
        }
        if case .string(let text)? = scalar, let texts = strategies.decodedNonConformingFloats {
            switch text {
            case texts.infinity: return .infinity
            case texts.negativeInfinity: return -.infinity
            case texts.nan: return .nan
            default: break
            }
        }
        throw mismatch(type)
    }

    // MARK: - Errors

    /// Throws if the stack is nearly exhausted.
    func requireStack() throws {
        guard _ReactionPart.stackIsLow else { return }
        throw corrupted("the values are nested so deeply that decoding them would overflow the stack")
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = context("expected \(type), found \(found)")
        return isNil ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ text: String) -> DecodingError { .dataCorrupted(context(text)) }

    func keyNotFound(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(key, context("the member \"\(key.stringValue)\" is missing"))
    }

    func ended(_ type: Any.Type) -> DecodingError {
        .valueNotFound(type, context("expected \(type), found the end of the array"))
    }

    private func context(_ text: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: text)
    }
}
