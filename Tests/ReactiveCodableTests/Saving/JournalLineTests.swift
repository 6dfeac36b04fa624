// The lines of a journal: those with a valid checksum, but with a wrong content, number or order.

import Foundation
import Reactive
import ReactiveCodable
#if DEBUG
@testable import ReactiveSaving
#endif
import Testing

extension ReactiveCodableTests {
    @Suite struct JournalLineTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        // Computed, because the leak check does not find data in globals.
        private static var document: Data { Data(#"{"title":"draft"}"#.utf8) }
        private static let checksum = "\(Checksum(of: document))"
        private static let base = "0 journal 1 document \(checksum)"

        /// Returns a line with its checksum.
        private static func line(_ body: String) -> String { "\(Checksum(of: Data(body.utf8))) \(body)\n" }

        /// Loads a document with a journal of lines, given without their checksums.
        private func load(_ lines: [String]) throws -> Document {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Self.document.write(to: url)
                try Data(lines.map(Self.line).joined().utf8).write(to: url.appendingPathExtension("journal"))
                return try ReactiveCodable.load(from: url)
            }
        }

        @Test func changesOfTheDocumentsThatTheJournalNamesAreApplied() throws {
            let change = #"1 [{"op":"replace","path":"/title","value":"essay"}]"#
            #expect(try load([Self.base]).title == "draft")
            #expect(try load([Self.base, change]).title == "essay")
            #expect(try load([Self.base, change, "1 through 1 document \(Self.checksum)"]).title == "draft")
        }

        // A small file that needs much memory: each copy doubles the document.
        @Test func aChangeThatMultipliesTheDocumentIsAnError() throws {
            let title = String(repeating: "a", count: 1 << 20)
            let copies = (0..<9).map { #",{"op":"copy","from":"","path":"/\#($0)"}"# }.joined()
            let change = #"1 [{"op":"replace","path":"/title","value":"\#(title)"}\#(copies)]"#
            let error = try #require(throws: LoadingError.self) { try load([Self.base, change]) }
            #expect(error.kind == .journal(line: 2), "\(error)")
        }

        @Test(arguments: [
            ([base, base], "it starts a second journal"),
            ([base, "1 through 0 document \(checksum)"], "its number 1 follows number 0"),
            ([base, ""], "it has no number"),
            ([base, "1"], "it has no number"),
            ([base, "0 journal 2 document \(checksum)"], "does not support its format 2"),
            ([base, "0 journal 1 document \(checksum) more"], "does not support its kind"),
            ([base, "0 journal 1 paper \(checksum)"], "does not support its kind"),
            ([base, "0 through 0 document \(checksum) more"], "does not support its kind"),
            ([base, "0 through 0 paper \(checksum)"], "does not support its kind"),
            ([base, "0 before 0 document \(checksum)"], "does not support its kind"),
            ([base, "0 journal"], "does not support its kind"),
            ([base, "0 through"], "does not support its kind"),
        ])
        func aLineThatDoesNotFitIsAnErrorWithItsReason(_ bodies: [String], _ reason: String) throws {
            let error = try #require(throws: LoadingError.self) { try load(bodies) }
            #expect(error.kind == .journal(line: 2) && error.description.contains(reason), "\(error)")
        }

        @Test(arguments: 0...18) func aLineThatIsTooShortIsAnError(_ count: Int) throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Self.document.write(to: url)
                let lines = Self.line(Self.base) + Self.line("1").prefix(count) + "\n"
                try Data(lines.utf8).write(to: url.appendingPathExtension("journal"))
                let error = try #require(throws: LoadingError.self) {
                    try ReactiveCodable.load(Document.self, from: url)
                }
                #expect(error.kind == .journal(line: 2))
            }
        }

        #if DEBUG
        @Test func aPartOfDataIsReadLikeAWhole() throws {
            let text = Data(Self.line(Self.base).utf8)
            let part = (Data("before".utf8) + text + Data("aft".utf8)).dropFirst(6)
            #expect(try Journal(parsing: part).wholeCount == text.count)
        }
        #endif
    }
}
