// Checks existing files that an autosave is about to replace and that `load` was not called for.

import ReactiveSaving

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The checks of an existing file before an autosave of an object replaces it.
struct PredecessorChecks<Object: Encodable, Encoder: DataEncoder> {
    let encoder: Encoder
    /// The version of the documents that the autosave writes, if they have one.
    let version: Int?

    /// Whether contents can be decoded as the object, as far as that can be checked; `nil` if the format is unknown. In
    /// the object's isolation.
    func decodes(_ document: Data, _ journal: Data?) -> Bool? {
        guard let decoder = (encoder as? any MirroredEncoder)?.mirror ?? encoder as? any DataDecoder else {
            return isWellFormed(document, journal)
        }
        guard let type = Object.self as? any Decodable.Type else { return isWellFormed(document, journal) }
        guard var document = try? whole(document, journal, decoder) else { return false }
        if let version {
            // The migrations of an older version are not known here.
            guard let json = try? VersionedDocument(parsing: document), json.version == version else {
                return isWellFormed(document, nil)
            }
            document = json.document.data
        }
        return decodes(document, as: type, decoder)
    }

    private func decodes<Value: Decodable>(
        _ document: Data, as type: Value.Type, _ decoder: some DataDecoder
    ) -> Bool { (try? decodeDocument(type, from: document, with: decoder)) != nil }

    private func isWellFormed(_ document: Data, _ journal: Data?) -> Bool? {
        DocumentFormat(of: Encoder.self).isWellFormed(document, journal, upTo: version)
    }
}

/// The format of an encoder's output, as far as it is known.
enum DocumentFormat: Sendable {
    case json
    case propertyList
    case unknown

    init<Encoder: DataEncoder>(of type: Encoder.Type) {
        self =
            switch type {
            case is JSONEncoder.Type: .json
            case is PropertyListEncoder.Type: .propertyList
            default: .unknown
            }
    }

    /// Returns the check of files that appear while an autosave is running, on any thread.
    ///
    /// - Parameter version: The version of the documents that the autosave writes, if they have one.
    func check(upTo version: Int?) -> ContentsCheck {
        { isWellFormed($0, $1, upTo: version) ?? false }
    }

    /// Whether contents have this format, and no newer version; `nil` if the format is unknown.
    fileprivate func isWellFormed(_ document: Data, _ journal: Data?, upTo version: Int?) -> Bool? {
        let decoder: any DataDecoder
        switch self {
        case .json: decoder = JSONDecoder()
        case .propertyList: decoder = PropertyListDecoder()
        case .unknown: return nil
        }
        guard let document = try? whole(document, journal, decoder) else { return false }
        guard (try? decoder.decode(Anything.self, from: document)) != nil else { return false }
        // No test sees this always hold: a property list is no JSON.
        guard self == .json, let found = try? VersionedDocument(parsing: document) else { return true }
        return found.version <= version ?? 0
    }
}

/// Returns a document with the changes of its journal.
private func whole(
    _ document: Data, _ journal: Data?, _ decoder: some DataDecoder
) throws(JournalError) -> Data {
    guard let journal else { return document }
    return try decoder.document(document, withChangesIn: journal)
}

/// Decodes anything that is well-formed.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
}

// MARK: - Counterparts of encoders

/// An encoder with a known counterpart.
private protocol MirroredEncoder {
    /// The decoder of the encoder's output; `nil` if a strategy has no counterpart.
    var mirror: (any DataDecoder)? { get }
}

extension PropertyListEncoder: MirroredEncoder {
    fileprivate var mirror: (any DataDecoder)? {
        let decoder = PropertyListDecoder()
        decoder.userInfo = userInfo
        return decoder
    }
}

extension JSONEncoder: MirroredEncoder {
    fileprivate var mirror: (any DataDecoder)? {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        switch dateEncodingStrategy {
        // No test sees this: it is the default.
        case .deferredToDate: decoder.dateDecodingStrategy = .deferredToDate
        // No test sees this: a number is a date in this form and in the default one.
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        // No test sees this: as above.
        case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .iso8601: decoder.dateDecodingStrategy = .iso8601
        default: return nil
        }
        switch dataEncodingStrategy {
        case .deferredToData: decoder.dataDecodingStrategy = .deferredToData
        // No test sees this: it is the default.
        case .base64: decoder.dataDecodingStrategy = .base64
        default: return nil
        }
        switch keyEncodingStrategy {
        // No test sees this: it is the default.
        case .useDefaultKeys: decoder.keyDecodingStrategy = .useDefaultKeys
        case .convertToSnakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
        default: return nil
        }
        switch nonConformingFloatEncodingStrategy {
        // No test sees this: it is the default.
        case .throw: decoder.nonConformingFloatDecodingStrategy = .throw
        case .convertToString(let infinity, let negative, let nan):
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: infinity, negativeInfinity: negative, nan: nan)
        @unknown default: return nil
        }
        return decoder
    }
}
