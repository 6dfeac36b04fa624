// The types of Foundation that its coders treat specially, and others that are plain.
//
// Values that involve a formatter or a calendar are delegated to the coders themselves, one leaf at a time.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension TypeInfo.Kind {
    /// Creates the kind of a type of Foundation that the coders treat specially, or returns `nil` for other types.
    init?(foundationType type: any Any.Type) {
        switch type {
        case is Date.Type: self = .date
        case is Data.Type: self = .data
        case is URL.Type: self = .url
        case is Decimal.Type: self = .decimal
        default: return nil
        }
    }
}

/// The types of Foundation whose values cannot contain observables.
let plainFoundationTypes: [any Any.Type] =
    [
        Date.self, Data.self, URL.self, UUID.self, Decimal.self, DateComponents.self, DateInterval.self,
        URLComponents.self, TimeZone.self, Locale.self, Calendar.self, IndexPath.self,
    ] + plainTypesBeyondEssentials

#if canImport(FoundationEssentials)
/// The types beyond FoundationEssentials are not imported here. Walks enter their values.
private let plainTypesBeyondEssentials: [any Any.Type] = []
#else
private let plainTypesBeyondEssentials: [any Any.Type] = [
    CharacterSet.self, IndexSet.self, PersonNameComponents.self,
]
#endif

// MARK: - Encoding

extension ValueEncoder {
    /// Encodes a value of a type that the coders treat specially.
    func encodeFoundationType(_ value: some Encodable) throws {
        switch value {
        case let date as Date: try encode(date)
        case let data as Data: try encode(data)
        case let url as URL: set(.string(url.absoluteString))
        case let decimal as Decimal:
            set(try JSONNumber(decimal).map(JSONValue.number) ?? strategies.encodedLeaf(decimal))
        // No test sees this: the caller has found that it is one of these types.
        default: try value.encode(to: self)
        }
    }

    private func encode(_ date: Date) throws {
        switch strategies.encoder.dateEncodingStrategy {
        case .deferredToDate: try date.encode(to: self)
        case .secondsSince1970: set(try floatingPoint(date.timeIntervalSince1970))
        case .millisecondsSince1970: set(try floatingPoint(date.timeIntervalSince1970 * 1000))
        case .custom(let encode): try encode(date, self)
        default: set(try strategies.encodedLeaf(date))
        }
    }

    private func encode(_ data: Data) throws {
        switch strategies.encoder.dataEncodingStrategy {
        case .base64: set(.string(data.base64EncodedString()))
        case .custom(let encode): try encode(data, self)
        default: try data.encode(to: self)
        }
    }
}

// MARK: - Decoding

extension ValueDecoder {
    func date() throws -> Date {
        switch strategies.decoder.dateDecodingStrategy {
        case .deferredToDate: try Date(from: self)
        case .secondsSince1970: Date(timeIntervalSince1970: try floatingPoint(Double.self) { $0.double })
        case .millisecondsSince1970: Date(timeIntervalSince1970: try floatingPoint(Double.self) { $0.double } / 1000)
        case .custom(let decode): try decode(self)
        default: try strategies.decodedLeaf(Date.self, from: whole())
        }
    }

    func data() throws -> Data {
        switch strategies.decoder.dataDecodingStrategy {
        case .base64:
            guard let data = Data(base64Encoded: try string()) else { throw corrupted("the string is not Base64") }
            return data
        case .custom(let decode): return try decode(self)
        default: return try Data(from: self)
        }
    }

    func url() throws -> URL {
        guard let url = URL(string: try string()) else { throw corrupted("the string is not a URL") }
        return url
    }

    func decimal() throws -> Decimal {
        guard case .number(let number)? = scalar else { throw mismatch(Decimal.self) }
        guard let decimal = number.decimal else { throw corrupted("\(number) does not fit in a Decimal") }
        return decimal
    }
}
