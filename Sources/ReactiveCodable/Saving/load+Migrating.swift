// `load` for documents of older versions.

public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Loads a value from a file that may have been written by an older version of the program.
///
/// ```swift
/// let document = try load(Document.self, from: url, migrating: migrations)
/// let saving = autosave(document, to: url, version: migrations.version)
/// ```
///
/// - The file has the version that `autosave` was given: `{"version": 2, "document": …}`. A file without a version has
///   version 0.
/// - The steps from that version on are applied to the document, one after the other, in memory: the file stays as it is
///   until something is saved.
/// - A journal beside the file is applied first.
/// - An observable property that is missing takes its initial value, as with `load(_:from:decoder:)`. A new property
///   needs no step.
///
/// - Parameters:
///   - type: The type of the value.
///   - url: The file.
///   - migrations: The steps from each version to the next.
///   - decoder: The counterpart of the encoder that saved it.
/// - Returns: The value.
/// - Throws: ``LoadingError``, which says what is wrong with the file, and where in it. A file of a newer version is
///   ``LoadingError/Kind/newer(version:)``; a step that fails is ``LoadingError/Kind/migration(from:)``.
/// - Complexity: O(*n*) for the document and the journal, and the steps.
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

/// The document in its current version.
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
                \(path) could not be loaded: it has version \(found.version), this program knows versions up to \
                \(migrations.version). Use the program that wrote it, or a newer one.
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
