// `flush` returns only when the file exists with this content.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct FlushTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        private static let forms = [SavingForm.document, .journal]

        private func inFolder(_ body: (URL) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("document.json")) }
        }

        private func start(_ document: Document, _ url: URL, _ form: SavingForm) -> Autosave {
            autosave(document, to: url, as: form, schedule: .custom { _ in }, onError: { _ in })
        }

        @Test(arguments: forms) func aFileThatWasRemovedIsWrittenAgain(_ form: SavingForm) throws {
            try inFolder { url in
                let document = Document()
                let autosave = start(document, url, form)
                defer { autosave.cancel() }
                document.title = "essay"
                try autosave.flush()
                try FileManager.default.removeItem(at: url)
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "essay")
                // Also together with a change.
                try FileManager.default.removeItem(at: url)
                document.title = "novel"
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "novel")
            }
        }

        /// A journal belongs to the document as it was written, so only a file without one can be edited.
        @Test func aFileThatWasEditedIsLoadedWhileItsAutosaveRuns() throws {
            try inFolder { url in
                let document = Document()
                let autosave = start(document, url, .document)
                defer { autosave.cancel() }
                document.title = "essay"
                try autosave.flush()
                try Data(#"{"title": "edited"}"#.utf8).write(to: url)
                let edited: Document = try load(from: url)
                inTransaction { document.title = edited.title }
                #expect(document.title == "edited")
                // The autosave goes on with the loaded values.
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "edited")
                document.title = "novel"
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "novel")
            }
        }

        @Test(arguments: forms) func aFileThatAnotherProgramReplacedOrChangedIsWrittenAgain(_ form: SavingForm) throws {
            try inFolder { url in
                let document = Document()
                let autosave = start(document, url, form)
                defer { autosave.cancel() }
                document.title = "essay"
                for options in [Data.WritingOptions.atomic, []] {
                    try autosave.flush()
                    try Data(#"{"title":"another's"}"#.utf8).write(to: url, options: options)
                    try autosave.flush()
                    #expect(try load(Document.self, from: url).title == "essay")
                }
            }
        }

        @Test func aJournalThatIsGoneOrCutOffIsReplaced() throws {
            try inFolder { url in
                let journal = url.appendingPathExtension("journal")
                let document = Document()
                let autosave = start(document, url, .journal)
                defer { autosave.cancel() }
                for harm in 0..<3 {
                    document.title = "before \(harm)"
                    try autosave.flush()
                    document.title = "after \(harm)"
                    try autosave.flush()
                    #expect(try load(Document.self, from: url).title == "after \(harm)")
                    switch harm {
                    case 0: try FileManager.default.removeItem(at: journal)
                    case 1: try Data(contentsOf: journal).dropLast(3).write(to: journal)
                    default: try Data(contentsOf: journal).write(to: journal, options: .atomic)
                    }
                    try autosave.flush()
                    #expect(try load(Document.self, from: url).title == "after \(harm)")
                }
            }
        }

        @Test(arguments: forms) func aFlushBeforeAnyChangeWritesAMissingFile(_ form: SavingForm) throws {
            try inFolder { url in
                let document = Document()
                let autosave = start(document, url, form)
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "draft")
                autosave.cancel()
                document.title = "essay"
                let second = start(document, url, form)
                defer { second.cancel() }
                try second.flush()
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        @Test func aFlushWithoutAChangeLeavesAFileWithTheSameContents() throws {
            try inFolder { url in
                let syncs = Shared(0)
                var count = 0
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .sync { syncs.withLock { $0 += 1 } }
                    return nil
                }
                let document = Document()
                for _ in 0..<2 {
                    let autosave = autosave(document, to: file, schedule: .custom { _ in })
                    for _ in 0..<3 { try autosave.flush() }
                    autosave.cancel()
                    count += 1
                    #expect(syncs.value == 1, "start \(count)")
                }
            }
        }

        /// The contents of the other program need not have reached the disk.
        @Test func aFileThatAnotherProgramReplacedByTheSameContentsIsWrittenAgain() throws {
            try inFolder { url throws in
                let syncs = Shared(0)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .sync { syncs.withLock { $0 += 1 } }
                    return nil
                }
                let autosave = autosave(Document(), to: file, schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                try Data(contentsOf: url).write(to: url, options: .atomic)
                try autosave.flush()
                #expect(syncs.value == 2)
            }
        }

        @Test func aFileThatAnotherProgramReplacesWhileItsJournalIsRemovedIsWrittenAgain() throws {
            try inFolder { url throws in
                let document = Document()
                let old = start(document, url, .journal)
                try old.flush()
                old.cancel()
                let syncs = Shared(0)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .syncFolder { syncs.withLock { $0 += 1 } }
                    // Replaced once, after the document.
                    if step == .syncFolder, syncs.value == 2 {
                        try? Data(#"{"title":"another's"}"#.utf8).write(to: url, options: .atomic)
                    }
                    return nil
                }
                document.title = "essay"
                let autosave = autosave(document, to: file, schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        /// Counts its calls.
        private struct CountingEncoder: DataEncoder {
            let count: Shared<Int>

            func encode<T: Encodable>(_ value: T) throws -> Data {
                count.withLock { $0 += 1 }
                return try JSONEncoder().encode(value)
            }
        }

        @Test func aFlushEncodesAChangeOnce() throws {
            try inFolder { url throws in
                let document = Document()
                let count = Shared(0)
                let autosave = autosave(
                    document, to: url, encoder: CountingEncoder(count: count), schedule: .custom { _ in },
                    onError: { _ in })
                defer { autosave.cancel() }
                count.value = 0
                document.title = "essay"
                try autosave.flush()
                #expect(count.value == 1)
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        @Test func aRemovedFileIsWrittenAgainInTheBackgroundToo() async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                let document = Document()
                let autosave = start(document, url, .document)
                defer { autosave.cancel() }
                try await autosave.flushInBackground()
                try FileManager.default.removeItem(at: url)
                try await autosave.flushInBackground()
                #expect(try load(Document.self, from: url).title == "draft")
            }
        }

        @Test func aFileThatIsReplacedRepeatedlyIsAnError() throws {
            try inFolder { url in
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    // After the new file has got its name.
                    if step == .syncFolder { try? Data("{}".utf8).write(to: url, options: .atomic) }
                    return nil
                }
                let autosave = autosave(Document(), to: file, schedule: .custom { _ in })
                defer { autosave.cancel() }
                #expect { try autosave.flush() } throws: { "\($0)".contains("keeps replacing or removing it") }
            }
        }
    }
}
