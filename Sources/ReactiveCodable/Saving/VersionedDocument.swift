// Documents with a version: {"version": 2, "document": …}. A document without one has version 0.

import ReactiveJSON

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A document and its version.
struct VersionedDocument {
    /// The version in the file, if it contains one.
    let writtenVersion: Int?
    let document: JSONValue

    /// The version: 0 without one in the file.
    var version: Int { writtenVersion ?? 0 }

    /// The pointer to the document.
    static let pointer = JSONPointer(tokens: ["document"])

    /// Reads a document, with or without a version.
    init(parsing data: Data) throws {
        let json = try JSONValue(parsing: data, limits: .forFiles(data.count))
        if case .object(let object) = json, object.count == 2, case .number(let number)? = object["version"],
            let version = number.exactly(Int.self), version >= 0, let document = object["document"]
        {
            writtenVersion = version
            self.document = document
        } else {
            writtenVersion = nil
            document = json
        }
    }

    /// Returns the text of a document with its version.
    static func text(of document: Data, version: Int?) -> Data {
        guard let version else { return document }
        return Data(#"{"version":\#(version),"document":"#.utf8) + document + Data("}".utf8)
    }
}
