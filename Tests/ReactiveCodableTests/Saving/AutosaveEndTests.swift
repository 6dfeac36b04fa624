// What autosaves leave alone: those that are refused, cancelled or released, and those without anything to save.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct AutosaveEndTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        /// A document that counts how often it is encoded.
        private struct Counting: Encodable {
            enum CodingKeys: CodingKey { case title }

            @Observable var title = "draft"
            let encodings = Shared(0)

            func encode(to encoder: any Encoder) throws {
                encodings.withLock { $0 += 1 }
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(title, forKey: .title)
            }
        }

        private static let forms = [SavingForm.document, .journal]

        private func inFolder(_ body: (URL) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("document.json")) }
        }

        @Test func aRefusedAutosaveEncodesNothing() throws {
            try inFolder { url in
                let holder = autosave(Document(), to: url)
                defer { holder.cancel() }
                let document = Counting()
                let refused = autosave(document, to: url, schedule: .immediate) { _ in }
                defer { refused.cancel() }
                let count = document.encodings.value
                document.title = "essay"
                #expect(throws: SavingError.self) { try refused.flush() }
                #expect(document.encodings.value == count)
            }
        }

        @Test func aCancelledAutosaveEncodesNothing() throws {
            try inFolder { url in
                let document = Counting()
                let autosave = autosave(document, to: url, schedule: .immediate) { _ in }
                autosave.cancel()
                let count = document.encodings.value
                document.title = "essay"
                try autosave.flush()
                #expect(document.encodings.value == count)
            }
        }

        @Test(arguments: forms) func aRefusedAutosaveMayBeCancelledAndFlushed(_ form: SavingForm) throws {
            try inFolder { url in
                let holder = autosave(Document(), to: url)
                defer { holder.cancel() }
                let refused = autosave(Document(), to: url, as: form) { _ in }
                refused.cancel()
                try refused.flush()
            }
        }

        @Test(arguments: forms) func cancelReleasesTheErrorHandler(_ form: SavingForm) throws {
            try inFolder { url in
                final class Token {}
                var token: Token? = Token()
                weak var released: Token?
                released = token
                let document = Document()
                let autosave = autosave(document, to: url, as: form, schedule: .custom { _ in }) { [token] _ in
                    withExtendedLifetime(token) {}
                }
                document.title = "essay"
                try autosave.flush()
                token = nil
                #expect(released != nil)
                autosave.cancel()
                #expect(released == nil)
            }
        }

        @Test(arguments: forms) func aReleasedAutosaveKeepsItsFileAndSaves(_ form: SavingForm) throws {
            try inFolder { url in
                let graph = IndependentGraph()
                defer { graph.cancelReactions() }
                let document = graph.run { Document() }
                let isSynced = DispatchSemaphore(value: 0)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .syncFolder { isSynced.signal() }
                    return nil
                }
                graph.run { _ = autosave(document, to: file, as: form) }
                let refused = autosave(Document(), to: url) { _ in }
                defer { refused.cancel() }
                try #require(throws: SavingError.self) { try refused.flush() }
                document.title = "essay"
                isSynced.wait()
                // The journal replaces its file after the document.
                #expect(url.text?.contains("essay") == true)
            }
        }

        @Test func aFlushIsNoSuccessIfItsReactionsEndMeanwhileAndTheFileIsReplaced() throws {
            try inFolder { url in
                let graph = IndependentGraph()
                let document = graph.run { Document() }
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    guard step == .syncFolder else { return nil }
                    try? Data("{}".utf8).write(to: url, options: .atomic)
                    graph.cancelReactions()
                    return nil
                }
                let autosave = graph.run { ReactiveCodable.autosave(document, to: file, schedule: .custom { _ in }) }
                #expect { try autosave.flush() } throws: { "\($0)".contains("its reactions were cancelled") }
                autosave.cancel()
            }
        }

        @Test func aFileThatIsReplacedRepeatedlyIsAnErrorInTheBackgroundToo() async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .syncFolder { try? Data("{}".utf8).write(to: url, options: .atomic) }
                    return nil
                }
                let autosave = autosave(Document(), to: file, schedule: .custom { _ in }) { _ in }
                defer { autosave.cancel() }
                let error = await #expect(throws: SavingError.self) { try await autosave.flushInBackground() }
                #expect(error?.description.contains("keeps replacing or removing it") == true)
            }
        }

        @Test(arguments: forms) func aRemovedFileIsWrittenAgainWithTheNextChange(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                let document = Document()
                let autosave = autosave(document, to: url, as: form, schedule: .immediate)
                defer { autosave.cancel() }
                try autosave.flush()
                try FileManager.default.removeItem(at: url)
                document.title = "essay"
                await eventually { (try? load(Document.self, from: url))?.title == "essay" }
            }
        }

        /// Starts an autosave of a text, which has nothing to save while the text is empty.
        private func start(_ text: Observable<String>, _ url: URL, _ errors: Shared<Int>) -> Autosave {
            Autosave.started(
                to: AtomicFile(path: url.path), writesUnchanged: false, schedule: .immediate, named: nil,
                isolation: nil, fileID: #fileID, line: #line, onError: { _ in errors.withLock { $0 += 1 } },
                judge: nil, loads: { _, _ in true }
            ) {
                if text.value.isEmpty { throw NothingToSave() }
                return Data(text.value.utf8)
            }
        }

        @Test func withoutAnythingToSaveTheFileStaysAsItIs() throws {
            try inFolder { url in
                let (text, errors) = (Observable("essay"), Shared(0))
                let autosave = start(text, url, errors)
                defer { autosave.cancel() }
                text.value = "novel"
                try autosave.flush()
                #expect(url.text == "novel")
                text.value = ""
                try autosave.flush()
                #expect(url.text == "novel")
                // The same for a file that is not there any more.
                try FileManager.default.removeItem(at: url)
                try autosave.flush()
                #expect(url.text == nil && autosave.lastError == nil && errors.value == 0)
            }
        }
    }
}
