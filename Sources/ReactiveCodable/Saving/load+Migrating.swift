// `load` for documents of older versions.

public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Loads a value from a file that an older version of the program may have written.
///
/// ```swift
/// let document = try load(Document.self, from: url, migrating: migrations)
/// let saving = autosave(document, to: url, version: migrations.version)
/// ```
///
/// - The file contains the version that was passed to `autosave`: `{"version": 2, "document": …}`. A file without a
///   version has version 0.
/// - The migrations from that version on are applied to the document, one after the other, in memory. The file stays
///   unchanged until something is saved.
/// - A journal beside the file is applied first.
/// - A missing observable property gets its initial value, as with `load(_:from:decoder:)`. A new property needs no
///   migration.
///
/// - Parameters:
///   - type: The type of the value.
///   - url: The URL of the file.
///   - migrations: The migrations from each version to the next.
///   - decoder: The counterpart of the encoder that saved it.
/// - Returns: The value.
/// - Throws: ``LoadingError``, which describes the problem and its location in the file. A file of a newer version
///   throws ``LoadingError/Kind/newer(version:)``, a failed migration ``LoadingError/Kind/migration(from:)``.
/// - Complexity: O(*n*) for the document and the journal, and the time of the migrations.
public func load<Value: Decodable>(
    _ type: Value.Type = Value.self, from url: URL, migrating migrations: Migrations,
    decoder: JSONDecoder = JSONDecoder()
) throws(LoadingError) -> Value {
    try loading(from: url, with: decoder) { (data) throws(LoadingError) in
        let text = try migrated(data, migrations, decoder, url.path).data
        do {
            return try decodeDocument(type, from: text, with: decoder)
        } catch {
            throw loadingError(error, text, url.path, checker: nil)
        }
    }
}

/// Returns the document in its current version.
private func migrated(
    _ data: Data, _ migrations: Migrations, _ decoder: JSONDecoder, _ path: String
) throws(LoadingError) -> JSONValue {
    let found: VersionedDocument
    do {
        found = try VersionedDocument(parsing: data)
    } catch {
        let context = DecodingError.Context(codingPath: [], debugDescription: "\(error)")
        throw loadingError(DecodingError.dataCorrupted(context), data, path, checker: decoder)
    }
    guard found.version <= migrations.version else {
        throw LoadingError(
            kind: .newer(version: found.version), path: path,
            description: """
                \(path) could not be loaded: it has version \(found.version), and this program supports versions up \
                to \(migrations.version). Use the program that wrote it, or a newer one.
                """, underlying: nil)
    }
    var document = found.document
    for version in found.version..<migrations.version {
        do {
            document = try migrations.steps[version](document)
        } catch {
            throw LoadingError(
                kind: .migration(from: version), path: path,
                description: """
                    \(path) could not be loaded: the migration from version \(version) to \(version + 1) failed: \
                    \(error).
                    """, underlying: error)
        }
    }
    return document
}
