// `load`: reads the files that `autosave` writes.
//
// A decoder describes in its own words why it cannot read contents. A decoder that conforms to `SyntaxChecker` adds the
// line and the column, or that the document has a version. ReactiveCodable has a parser for JSON and conforms
// `JSONDecoder` to it, so that programs with this module alone do not contain the parser.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Loads a value from a file.
///
/// ```swift
/// let document = try load(Document.self, from: url)
/// ```
///
/// - A journal beside the file (see `autosave(_:to:as:)` of ReactiveCodable) is part of it: its changes are applied. A
///   last line that a crash has cut off is dropped. Any other damage is an error.
/// - With `JSONDecoder`, in a program that links ReactiveCodable, an observable property that the file lacks gets its
///   initial value.
/// - An autosave never overwrites a file that this function could not load.
///
/// - Parameters:
///   - type: The type of the value.
///   - url: The URL of the file.
///   - decoder: The counterpart of the encoder that saved it.
/// - Returns: The value.
/// - Throws: ``LoadingError``, which describes the problem and its location in the file.
/// - Complexity: O(*n*) for the document and the journal.
public func load<Value: Decodable, Decoder: DataDecoder>(
    _ type: Value.Type = Value.self, from url: URL, decoder: Decoder = JSONDecoder()
) throws(LoadingError) -> Value {
    try loading(from: url, with: decoder) { (data) throws(LoadingError) in
        do {
            return try decodeDocument(type, from: data, with: decoder)
        } catch {
            throw loadingError(error, data, url.path, checker: decoder as? any SyntaxChecker)
        }
    }
}

/// Decodes a document. Properties that it lacks get their initial values, if the decoder supports that.
package func decodeDocument<Value: Decodable>(
    _ type: Value.Type, from data: Data, with decoder: some DataDecoder
) throws -> Value {
    do {
        return try decoder.decode(type, from: data)
    } catch DecodingError.keyNotFound(let key, let context) {
        if let decoder = decoder as? any InitialValueDecoder,
            let value = try decoder.decodeWithInitialValues(type, from: data)
        {
            return value
        }
        throw DecodingError.keyNotFound(key, context)
    }
}

/// Reads a file and the journal beside it, and loads them with `body`. Records the outcome in `KnownFiles`.
package func loading<Value>(
    from url: URL, with decoder: some DataDecoder, _ body: (Data) throws(LoadingError) -> Value
) throws(LoadingError) -> Value {
    let files = try LoadedFiles(at: url)
    do throws(LoadingError) {
        let value = try body(try files.document(with: decoder))
        KnownFiles.note(files.state, at: url.path, .loaded)
        return value
    } catch {
        KnownFiles.note(files.state, at: url.path, .failed)
        throw error
    }
}

/// A document and the journal beside it, read in a consistent state.
private struct LoadedFiles {
    let path: String
    /// The state of the files when they were read.
    let state: KnownFiles.State
    let document: Data
    let journal: Data?

    init(at url: URL) throws(LoadingError) {
        path = url.path
        let journalPath = AtomicFile.journalPath(of: path)
        var attempt = 0
        while true {
            attempt += 1
            let before = KnownFiles.State(at: url.path)
            do throws(LoadingError) {
                let document = try contents(of: url)
                let journal = before.journal == nil ? nil : try contents(of: URL(fileURLWithPath: journalPath))
                // A saver may have replaced one of the files meanwhile.
                // No test sees this never hold: the hundredth attempt then reads the same files.
                if before.isSameFiles(as: KnownFiles.State(at: url.path)) || attempt == 100 {
                    (state, self.document, self.journal) = (before, document, journal)
                    return
                }
            } catch {
                // No test sees this never hold: as above.
                if before.isSameFiles(as: KnownFiles.State(at: url.path)) || attempt == 100 {
                    KnownFiles.note(before, at: url.path, .failed)
                    if error.kind == .noFile, before.journal != nil { throw .journal(path, nil, Self.missing) }
                    throw error
                }
            }
        }
    }

    private static let missing = "the document does not exist. Restore the document, or remove the journal"

    /// Returns the document with the changes of the journal.
    func document(with decoder: some DataDecoder) throws(LoadingError) -> Data {
        guard let journal else { return document }
        do {
            return try decoder.document(document, withChangesIn: journal)
        } catch {
            throw .journal(path, error.line, error.reason)
        }
    }
}

extension DataDecoder {
    /// Returns a document with the changes of its journal.
    package func document(_ document: Data, withChangesIn data: Data) throws(JournalError) -> Data {
        let journal: Journal
        do {
            journal = try Journal(parsing: data)
        } catch {
            throw JournalError(line: error.line, reason: error.reason)
        }
        guard let changes = journal.changes(since: document) else {
            throw JournalError(
                line: nil,
                reason: """
                    it belongs to a different document. Something else has replaced the document. Restore the \
                    document, or remove the journal
                    """)
        }
        guard !changes.isEmpty else { return document }
        guard let reader = self as? any JournalReader else {
            throw JournalError(
                line: nil,
                reason: """
                    \(Self.self) cannot read journals. Use JSONDecoder, in a program that links ReactiveCodable
                    """)
        }
        return try reader.document(document, applying: changes)
    }
}

/// The error of a journal, with its line.
package struct JournalError: Error {
    /// The number of the line, from 1, if a single line is wrong.
    let line: Int?
    let reason: String

    /// Creates an error.
    package init(line: Int?, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// A decoder that applies the changes of a journal.
package protocol JournalReader {
    /// Returns the document after the changes.
    func document(_ document: Data, applying changes: ArraySlice<Journal.Change>) throws(JournalError) -> Data
}

/// A decoder that can decode documents that lack properties.
package protocol InitialValueDecoder {
    /// Decodes a value. Missing observables get the initial values of their properties. Returns `nil` if that is not
    /// possible now.
    func decodeWithInitialValues<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value?
}

/// A decoder that finds the location of a syntax error, and the version of a document.
package protocol SyntaxChecker {
    /// Returns the location and reason of a syntax error, or `nil` if the contents are well-formed.
    func syntaxError(in data: Data) -> SyntaxError?

    /// Returns the version of a document, or `nil` if the contents are not a document with a version.
    func version(in data: Data) -> Int?
}

/// The location of a syntax error.
package struct SyntaxError {
    /// The line, from 1.
    let line: Int
    /// The column in bytes, from 1.
    let column: Int
    /// The location and the reason.
    let description: String

    /// Creates a syntax error.
    package init(line: Int, column: Int, description: String) {
        self.line = line
        self.column = column
        self.description = description
    }
}

private func contents(of url: URL) throws(LoadingError) -> Data {
    do {
        return try Data(contentsOf: url)
    } catch {
        if (error as? CocoaError)?.code == .fileReadNoSuchFile {
            throw LoadingError(
                kind: .noFile, path: url.path, description: "\(url.path) could not be loaded: there is no such file.",
                underlying: error)
        }
        let reason = AtomicFile.isFolder(url.path) ? "it is a folder" : reason(for: error)
        throw LoadingError(
            kind: .unreadable, path: url.path, description: "\(url.path) could not be read: \(reason).",
            underlying: error)
    }
}

/// Returns the system's message for an error of Foundation.
private func reason(for error: any Error) -> String {
    let cause = (error as? CocoaError)?.underlying ?? error
    return (cause as? POSIXError).map { SavingError.text(of: $0.code.rawValue) } ?? "\(cause)"
}

/// Returns the error for contents that could not be decoded.
package func loadingError(
    _ error: any Error, _ data: Data, _ path: String, checker: (any SyntaxChecker)?
) -> LoadingError {
    if data.isEmpty {
        return LoadingError(
            kind: .malformed(line: nil, column: nil), path: path,
            description: "\(path) could not be loaded: the file is empty.", underlying: error)
    }
    guard let (context, reason) = details(of: error) else {
        return LoadingError(
            kind: .mismatched(pointer: ""), path: path, description: "\(path) could not be loaded: \(error).",
            underlying: error)
    }
    // A type's own `init(from:)` may throw the same error for contents that are well-formed.
    let syntaxError = checker?.syntaxError(in: data)
    if context.codingPath.isEmpty, case DecodingError.dataCorrupted = error, checker == nil || syntaxError != nil {
        if let syntaxError {
            return LoadingError(
                kind: .malformed(line: syntaxError.line, column: syntaxError.column), path: path,
                description: "\(path) could not be loaded: \(syntaxError.description).", underlying: error)
        }
        return LoadingError(
            kind: .malformed(line: nil, column: nil), path: path,
            description: "\(path) could not be loaded: \(reason)", underlying: error)
    }
    let pointer = pointer(along: context.codingPath)
    let problem = "at \(pointer.isEmpty ? "the root" : pointer): \(reason)"
    // A type that has the two members of a document with a version itself fails below the root.
    if pointer.isEmpty, let version = checker?.version(in: data) {
        return LoadingError(
            kind: .mismatched(pointer: pointer), path: path,
            description: """
                \(path) could not be loaded: it has version \(version), and migrating: is missing. Pass the migrations \
                to load. As a document without a version, \(problem)
                """, underlying: error)
    }
    return LoadingError(
        kind: .mismatched(pointer: pointer), path: path, description: "\(path) could not be loaded: \(problem)",
        underlying: error)
}

/// Returns the JSON Pointer (RFC 6901) of a coding path.
private func pointer(along path: [any CodingKey]) -> String {
    path.map { key in
        if let index = key.intValue, key.stringValue == "Index \(index)" { return "/\(index)" }
        return key.stringValue.reduce(into: "/") { token, character in
            switch character {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.append(character)
            }
        }
    }.joined()
}

private func details(of error: any Error) -> (context: DecodingError.Context, reason: String)? {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
        (context, "the member \"\(key.stringValue)\" is missing.")
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        (context, context.debugDescription)
    default: nil
    }
}
