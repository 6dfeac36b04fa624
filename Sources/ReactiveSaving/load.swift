// `load`: what `autosave` has saved.
//
// A decoder describes in its own words what is wrong with contents that it cannot read. A decoder that conforms to
// `SyntaxChecker` adds the line and the column. ReactiveCodable has a parser for JSON and makes `JSONDecoder` conform, so
// that programs with this module alone do not carry the parser.

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
/// - Parameters:
///   - type: The type of the value.
///   - url: The file.
///   - decoder: The counterpart of the encoder that saved it.
/// - Returns: The value.
/// - Throws: ``LoadingError``, which says what is wrong with the file, and where in it.
public func load<Value: Decodable, Decoder: DataDecoder>(
    _ type: Value.Type = Value.self, from url: URL, decoder: Decoder = JSONDecoder()
) throws(LoadingError) -> Value {
    let data = try contents(of: url)
    do {
        return try decoder.decode(type, from: data)
    } catch {
        throw loadingError(error, data, url.path, checker: decoder as? any SyntaxChecker)
    }
}

/// Finds the place where contents stop being what a decoder reads at all.
package protocol SyntaxChecker {
    /// Returns where the contents are malformed, and how; `nil` if they are well-formed.
    func syntaxError(in data: Data) -> SyntaxError?
}

/// A place in contents that are malformed.
package struct SyntaxError {
    /// The line, from 1.
    let line: Int
    /// The column in bytes, from 1.
    let column: Int
    /// The place and the reason.
    let description: String

    /// Creates a description of a place.
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

/// What the system says about an error of Foundation.
private func reason(for error: any Error) -> String {
    let cause = (error as? CocoaError)?.underlying ?? error
    return (cause as? POSIXError).map { SavingError.text(of: $0.code.rawValue) } ?? "\(cause)"
}

/// Finds out what is wrong with contents that could not be decoded.
private func loadingError(
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
    // A type's own `init(from:)` may throw the same error, of contents that are well-formed.
    let place = checker?.syntaxError(in: data)
    if context.codingPath.isEmpty, case DecodingError.dataCorrupted = error, checker == nil || place != nil {
        if let place {
            return LoadingError(
                kind: .malformed(line: place.line, column: place.column), path: path,
                description: "\(path) could not be loaded: \(place.description).", underlying: error)
        }
        return LoadingError(
            kind: .malformed(line: nil, column: nil), path: path,
            description: "\(path) could not be loaded: \(reason)", underlying: error)
    }
    let pointer = pointer(along: context.codingPath)
    return LoadingError(
        kind: .mismatched(pointer: pointer), path: path,
        description: "\(path) could not be loaded: at \(pointer.isEmpty ? "the top" : pointer): \(reason)",
        underlying: error)
}

/// The JSON Pointer (RFC 6901) of what a coding path leads to.
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
