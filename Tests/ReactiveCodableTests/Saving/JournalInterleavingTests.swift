// What changes while a journal or its document is being written.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct JournalInterleavingTests {
        private final class Document: Codable, @unchecked Sendable {
            // Sendable because the observables are, and one thread at a time uses the rest.
            @Observable var title = "draft"
            @Observable var ratio = 0.5
            @Observable var items: [Int] = []
            /// Makes the next encoding fail.
            var isBroken = false

            enum CodingKeys: CodingKey { case title, ratio, items }

            init() {}

            func encode(to encoder: any Encoder) throws {
                if isBroken { throw CancellationError() }
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(_title, forKey: .title)
                try container.encode(_ratio, forKey: .ratio)
                try container.encode(_items, forKey: .items)
            }

            /// Makes the next save write a whole document: no line can contain this value.
            func needWholeDocument() {
                ratio = .infinity
                ratio = 1
            }
        }

        /// A document with its file, and code that runs before a step of writing it.
        private final class Saving: @unchecked Sendable {
            // Sendable because the locks guard all state.
            let url: URL
            let document: Document
            private(set) var autosave: Autosave!
            private let runs = Shared<[@Sendable () -> Void]>([])
            private let steps = Shared<[String]>([])
            private let hook = Shared<(name: String, body: () -> Void)?>(nil)

            init(in folder: URL, of document: Document = Document(), minimum: Int = 1 << 16) {
                self.document = document
                url = folder.appendingPathComponent("document.json")
                var file = AtomicFile(path: url.path)
                file.failure = { [steps, hook] step in
                    let name = String("\(step)".prefix { $0 != "(" })
                    steps.withLock { $0.append(name) }
                    let body = hook.withLock { hook -> (() -> Void)? in
                        guard hook?.name == name else { return nil }
                        return hook.take()?.body
                    }
                    body?()
                    return nil
                }
                autosave = ReactiveCodable.autosave(
                    document, to: file, as: .journal, minimumJournalSize: minimum,
                    schedule: .custom { [runs] run in runs.withLock { $0.append(run) } }, isolation: nil,
                    onError: { _ in })
            }

            /// Runs code once, before the next step of that name.
            func before(_ name: String, _ body: @escaping () -> Void) { hook.withLock { $0 = (name, body) } }

            /// Runs what waits for its schedule.
            func runDue() {
                let due = runs.value
                runs.value = []
                for run in due { run() }
            }

            func takeSteps() -> [String] {
                let taken = steps.value
                steps.value = []
                return taken
            }

            /// Saves, and checks that the files contain the present state.
            func expectSaved(sourceLocation: SourceLocation = #_sourceLocation) throws {
                try autosave.flush()
                let loaded = try load(Document.self, from: url)
                #expect(loaded.title == document.title, sourceLocation: sourceLocation)
                #expect(loaded.ratio == document.ratio, sourceLocation: sourceLocation)
                #expect(loaded.items == document.items, sourceLocation: sourceLocation)
            }
        }

        private func inFolder(_ body: (Saving) throws -> Void) throws {
            try withFolder { folder in
                let saving = Saving(in: folder)
                try saving.autosave.flush()
                try body(saving)
                saving.autosave.cancel()
            }
        }

        @Test func aDocumentThatIsTakenWhileTheLastOneIsWrittenIsSavedToo() throws {
            try inFolder { saving in
                saving.document.needWholeDocument()
                saving.before("replace") {
                    saving.document.needWholeDocument()
                    saving.document.title = "meanwhile"
                    saving.runDue()
                }
                try saving.autosave.flush()
                try saving.expectSaved()
            }
        }

        @Test func aDocumentThatIsTakenWhileLinesAreWrittenReplacesThem() throws {
            try inFolder { saving in
                saving.document.title = "a"
                saving.before("append") {
                    saving.document.needWholeDocument()
                    saving.runDue()
                    saving.document.title = "meanwhile"
                }
                try saving.autosave.flush()
                try saving.expectSaved()
                saving.document.title = "later"
                try saving.expectSaved()
            }
        }

        @Test func aChangeInsideATransactionThatIsSavedThereIsSavedOnce() throws {
            try inFolder { saving in
                saving.document.needWholeDocument()
                inTransaction {
                    saving.document.items.append(1)
                    saving.runDue()
                }
                try saving.expectSaved()
            }
        }

        //  an effect that runs before the autosave has noted the change, and makes it encode the whole document
        @Test func aChangeThatIsSavedInAnEffectIsSavedOnce() throws {
            try withFolder { folder in
                let document = Document()
                var flush: (() throws -> Void)?
                let effect = {
                    do { try flush?() } catch { Issue.record(error) }
                }
                let early = reaction({ document.items.count }, onChange: { _ in effect() })
                let saving = Saving(in: folder, of: document)
                let late = reaction({ document.items.count }, onChange: { _ in effect() })
                defer {
                    early.cancel()
                    late.cancel()
                }
                try saving.autosave.flush()
                for number in 1...2 {
                    try FileManager.default.removeItem(at: saving.url)
                    flush = saving.autosave.flush
                    document.items.append(number)
                    flush = nil
                    try saving.expectSaved()
                }
                saving.autosave.cancel()
            }
        }

        @Test func whatIsEncodedAgainAfterAnErrorIsSaved() throws {
            try inFolder { saving in
                try FileManager.default.removeItem(at: saving.url)
                saving.document.isBroken = true
                #expect(throws: CancellationError.self) { try saving.autosave.flush() }
                saving.document.isBroken = false
                try saving.expectSaved()
            }
        }

        @Test func aChangeThatIsDueIsWrittenAsALine() async throws {
            try await withFolder { folder async throws in
                let saving = Saving(in: folder)
                try saving.autosave.flush()
                _ = saving.takeSteps()
                saving.document.title = "a"
                saving.runDue()
                await eventually { (try? load(Document.self, from: saving.url).title) == "a" }
                saving.autosave.cancel()
                #expect(saving.takeSteps() == ["append", "syncJournal"])
            }
        }

        // MARK: - Compacting

        /// Lets the journal grow until it is compacted, and runs `meanwhile` while the new file is complete and has not
        /// replaced the document.
        private func compact(_ saving: Saving, _ meanwhile: () throws -> Void) async throws {
            let hasBegun = Shared(false)
            let mayContinue = DispatchSemaphore(value: 0)
            saving.before("sync") {
                hasBegun.value = true
                mayContinue.wait()
            }
            while !hasBegun.value {
                saving.document.title += "."
                try saving.autosave.flush()
            }
            try meanwhile()
            mayContinue.signal()
            // The new file has replaced the document, or is gone.
            await eventually {
                (try? saving.url.deletingLastPathComponent().namesWithoutLocks.count) == 2
            }
        }

        @Test func aDocumentThatIsWrittenDuringACompactionStays() async throws {
            try await withFolder { folder async throws in
                let saving = Saving(in: folder, minimum: 100)
                try saving.autosave.flush()
                try await compact(saving) {
                    saving.document.needWholeDocument()
                    try saving.autosave.flush()
                    // The new journal is as long as the one before.
                    for _ in 0..<40 {
                        saving.document.title += "."
                        try saving.autosave.flush()
                    }
                }
                try saving.expectSaved()
                saving.document.title = "later"
                try saving.expectSaved()
                saving.autosave.cancel()
            }
        }

        @Test func aFileThatSomethingElseWritesDuringACompactionIsNotReplacedByIt() async throws {
            try await withFolder { folder async throws in
                let saving = Saving(in: folder, minimum: 100)
                try saving.autosave.flush()
                try await compact(saving) { try Data("other".utf8).write(to: saving.url) }
                #expect(saving.url.text == "other")
                saving.autosave.cancel()
            }
        }
    }
}
