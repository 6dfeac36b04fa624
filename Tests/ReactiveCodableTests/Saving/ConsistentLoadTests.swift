// A load reads the document and its journal as they were at one moment, even if a saver replaces them meanwhile.

#if os(Linux)
import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct ConsistentLoadTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        private static let old = #"{"title": "old"}"#

        /// A journal without changes.
        private static var journal: String {
            let line = "0 journal 1 document \(Checksum(of: Data(old.utf8)))"
            return "\(Checksum(of: Data(line.utf8))) \(line)\n"
        }

        private func write(_ text: String, to url: URL) { try? Data(text.utf8).write(to: url, options: .atomic) }

        /// Runs `body` with a document and its journal in a new folder.
        private func withFiles(_ body: (_ url: URL, _ journal: URL) throws -> Void) throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let journal = url.appendingPathExtension("journal")
                write(Self.old, to: url)
                write(Self.journal, to: journal)
                try body(url, journal)
            }
        }

        @Test func filesThatAreReplacedBeforeTheJournalIsReadAreReadAgain() throws {
            try withFiles { url, journal throws in
                // The journal belongs to the document that has been read already.
                let title = try observingOpens { path in
                    if path == journal.path { write(#"{"title": "new"}"#, to: url) }
                    if path == journal.path { try? FileManager.default.removeItem(at: journal) }
                } _: {
                    try load(Document.self, from: url).title
                }
                #expect(title == "new")
            }
        }

        @Test func aDocumentThatIsReplacedWhileItsJournalIsReadIsReadAgain() throws {
            try withFiles { url, journal throws in
                let count = Shared(0)
                let isOld = try observingOpens { path in
                    if path == journal.path { count.withLock { $0 += 1 } }
                    // The same contents in a different file.
                    if path == journal.path, count.value == 1 { write(Self.old, to: url) }
                } _: {
                    try load(Document.self, from: url).title == "old"
                }
                #expect(isOld && count.value == 2)
            }
        }

        @Test(arguments: [true, false]) func aLoadEndsAlthoughTheFilesAreAlwaysReplaced(_ isReadable: Bool) throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let journal = url.appendingPathExtension("journal")
                write(Self.old, to: url)
                if isReadable {
                    write(Self.journal, to: journal)
                } else {
                    try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
                }
                let count = Shared(0)
                let title = try observingOpens { path in
                    // More often than a load tries it.
                    guard path == journal.path, count.value < 150 else { return }
                    count.withLock { $0 += 1 }
                    write(Self.old, to: url)
                } _: {
                    try? load(Document.self, from: url).title
                }
                #expect(title == (isReadable ? "old" : nil))
                #expect(count.value == 100)
            }
        }

        @Test func aFolderWithAJournalIsNotCalledMissing() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                try Data("a journal".utf8).write(to: url.appendingPathExtension("journal"))
                let error = #expect(throws: LoadingError.self) { try load(Document.self, from: url) }
                #expect(error?.kind == .unreadable)
            }
        }
    }
}
#endif
