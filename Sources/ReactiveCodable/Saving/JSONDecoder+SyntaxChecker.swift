// Where a text that `load` cannot read stops being JSON.

@_exported import ReactiveSaving

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONDecoder: SyntaxChecker {
    /// Returns where a text stops being JSON, or `nil` if it is JSON.
    package func syntaxError(in data: Data) -> SyntaxError? {
        do {
            _ = try JSONValue(parsing: data)
            return nil
        } catch {
            return (error as? JSONParseError).map {
                SyntaxError(line: $0.line, column: $0.column, description: $0.description)
            }
        }
    }
}
