// When an autosave saves, how it handles errors, and the promises of flush.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct AutosaveTests {
        private struct Document: Codable {
            @Observable var title = "draft"
            @Observable var number = 1.0
        }

        /// Lets a test make steps of saving fail, and counts the saves.
        private final class Disk: @unchecked Sendable {
            // Sendable because the state is touched under the lock only.
            private let lock = NSLock()
            private var errorNumber: Int32?
            private var count = 0
            private let attempted = DispatchSemaphore(value: 0)

            var saves: Int { lock.withLock { count } }

            func fail(with number: Int32?) { lock.withLock { errorNumber = number } }

            /// Waits until a save has ended.
            func waitForAttempt() { attempted.wait() }

            func file(_ url: URL) -> AtomicFile {
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    self.lock.withLock {
                        if step == .syncFolder { self.count += 1 }
                        if step == .syncFolder || (step == .sync && self.errorNumber != nil) { self.attempted.signal() }
                        return step == .sync ? self.errorNumber : nil
                    }
                }
                return file
            }
        }

        private func inFolder(_ body: (URL, Disk) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("document.json"), Disk()) }
        }

        @Test func nothingIsSavedBeforeTheFirstChange() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let autosave = autosave(document, to: disk.file(url))
                defer { autosave.cancel() }
                #expect(!FileManager.default.fileExists(atPath: url.path))
                document.title = "essay"
                disk.waitForAttempt()
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        @Test func aNewFileMayBePrivate() throws {
            try inFolder { url, _ throws in
                for isDebounced in [true, false] {
                    let document = Document()
                    let autosave =
                        isDebounced
                        ? autosave(document, to: url, newFileAccess: .ownerOnly)
                        : autosave(document, to: url, newFileAccess: .ownerOnly, schedule: .immediate)
                    defer { autosave.cancel() }
                    document.title = "essay"
                    try autosave.flush()
                    #expect(url.permissions == 0o600)
                    try FileManager.default.removeItem(at: url)
                }
            }
        }

        @Test func flushSavesScheduledChanges() throws {
            try inFolder { url, disk throws in
                let document = Document()
                var run: (() -> Void)?
                let autosave = autosave(document, to: disk.file(url), schedule: .custom { run = $0 })
                defer { autosave.cancel() }
                for number in 0..<10 { document.number = Double(number) }
                #expect(disk.saves == 0)
                try autosave.flush()
                #expect(try load(Document.self, from: url).number == 9)
                try autosave.flush()
                #expect(disk.saves == 1)
                // The run that was still due finds no change; the next one does.
                run?()
                document.title = "essay"
                run?()
                try autosave.flush()
                #expect(disk.saves == 2)
            }
        }

        @Test func anAutosaveThatDebouncesForNoTimeSavesImmediately() async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                let document = Document()
                let autosave = autosave(document, to: url, debounce: .zero, clock: ManualClock())
                document.title = "a"
                await eventually { FileManager.default.fileExists(atPath: url.path) }
                autosave.cancel()
                #expect(try load(Document.self, from: url).title == "a")
            }
        }

        @Test func aDebouncedAutosaveWaitsForAPause() async throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: url) }
            let clock = ManualClock()
            let document = Document()
            let autosave = autosave(document, to: url, debounce: .seconds(1), clock: clock)
            defer { autosave.cancel() }
            document.title = "a"
            document.title = "b"
            #expect(!FileManager.default.fileExists(atPath: url.path))
            clock.advance(by: .seconds(1))
            await eventually { FileManager.default.fileExists(atPath: url.path) }
            #expect(try load(Document.self, from: url).title == "b")
        }

        @Test(arguments: [SavingForm.document, .journal])
        func anAutosaveSavesWhileChangesNeverPause(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document")
                let clock = ManualClock()
                let document = Document()
                let autosave = autosave(document, to: url, as: form, debounce: .seconds(1), clock: clock)
                defer { autosave.cancel() }
                for half in 0..<40 {
                    document.number = Double(half)
                    await letOthersRun()
                    #expect(!FileManager.default.fileExists(atPath: url.path))
                    clock.advance(by: .milliseconds(500))
                }
                await eventually { FileManager.default.fileExists(atPath: url.path) }
                #expect(try load(Document.self, from: url).number == 39)
            }
        }

        @Test func changesThatCouldNotBeSavedAreReportedAndSavedByFlush() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let reported = DispatchSemaphore(value: 0)
                var errors: [any Error] = []
                let autosave = autosave(
                    document, to: disk.file(url),
                    onError: {
                        errors.append($0)
                        reported.signal()
                    })
                defer { autosave.cancel() }
                document.title = "saved"
                disk.waitForAttempt()
                disk.fail(with: ENOSPC)
                document.title = "essay"
                reported.wait()
                #expect(errors.count == 1 && (errors[0] as? SavingError)?.errorNumber == ENOSPC)
                #expect((autosave.lastError as? SavingError)?.errorNumber == ENOSPC)
                #expect(try load(Document.self, from: url).title == "saved")
                #expect { try autosave.flush() } throws: { ($0 as? SavingError)?.errorNumber == ENOSPC }
                disk.fail(with: nil)
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "essay")
                #expect(autosave.lastError == nil)
                // The error that flush threw was not reported a second time.
                #expect(errors.count == 1)
            }
        }

        @Test func theLastErrorIsKnownWhenItIsReported() throws {
            try withFolder { folder throws in
                let document = Document()
                let (isWriting, mayFail) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                var file = AtomicFile(path: folder.appendingPathComponent("document.json").path)
                file.failure = { step in
                    guard step == .sync else { return nil }
                    isWriting.signal()
                    mayFail.wait()
                    return ENOSPC
                }
                var saving: Autosave?
                var errorNumbers: [Int32?] = []
                saving = autosave(
                    document, to: file,
                    onError: { _ in errorNumbers.append((saving?.lastError as? SavingError)?.errorNumber) })
                document.title = "essay"
                isWriting.wait()
                // The thread that saves waits for the end of the transaction before it publishes the outcome.
                inTransaction {
                    mayFail.signal()
                    saving?.cancel()
                }
                #expect(errorNumbers == [ENOSPC])
            }
        }

        @Test func changesThatCouldNotBeSavedAreSavedWithTheNextChange() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let reported = DispatchSemaphore(value: 0)
                let autosave = autosave(document, to: disk.file(url), onError: { _ in reported.signal() })
                defer { autosave.cancel() }
                disk.fail(with: EIO)
                document.title = "essay"
                reported.wait()
                disk.waitForAttempt()
                disk.fail(with: nil)
                document.number = 2
                disk.waitForAttempt()
                let loaded = try load(Document.self, from: url)
                #expect(loaded.title == "essay" && loaded.number == 2)
            }
        }

        @Test func aFolderThatIsNoFolderIsAClearError() throws {
            try withFolder { folder in
                let parent = folder.appendingPathComponent("parent")
                try Data().write(to: parent)
                let document = Document()
                let autosave = autosave(
                    document, to: parent.appendingPathComponent("document.json"), schedule: .custom { _ in })
                defer { autosave.cancel() }
                document.title = "essay"
                #expect { try autosave.flush() } throws: { "\($0)".contains("Not a directory") }
                try FileManager.default.removeItem(at: parent)
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                try autosave.flush()
                #expect(try load(Document.self, from: autosave.url).title == "essay")
            }
        }

        @Test func stateThatCannotBeEncodedLeavesTheFileUntilItCanBeSaved() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let autosave = autosave(document, to: disk.file(url), schedule: .custom { _ in })
                defer { autosave.cancel() }
                document.title = "essay"
                try autosave.flush()
                document.number = .infinity
                #expect(throws: EncodingError.self) { try autosave.flush() }
                #expect(autosave.lastError is EncodingError)
                #expect(try load(Document.self, from: url).title == "essay")
                document.number = 3
                try autosave.flush()
                #expect(try load(Document.self, from: url).number == 3)
            }
        }

        @Test(.alone) func withoutAHandlerErrorsAreIssues() throws {
            try inFolder { url, disk throws in
                let reported = DispatchSemaphore(value: 0)
                let reports = Shared<[String]>([])
                let before = Diagnostics.onIssue
                Diagnostics.onIssue = { issue in
                    reports.withLock { $0.append(issue.message) }
                    reported.signal()
                }
                defer { Diagnostics.onIssue = before }
                let document = Document()
                disk.fail(with: EROFS)
                let autosave = autosave(document, to: disk.file(url))
                defer { autosave.cancel() }
                document.title = "essay"
                reported.wait()
                let messages = reports.value
                #expect(messages.count == 1 && messages[0].contains("Read-only file system"))
            }
        }

        @Test func flushRefusesStateThatIsNotFinal() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let autosave = autosave(document, to: disk.file(url), schedule: .custom { _ in })
                defer { autosave.cancel() }
                inTransaction {
                    document.title = "half"
                    #expect { try autosave.flush() } throws: { "\($0)".contains("inside a transaction") }
                }
                #expect(disk.saves == 0)
                try autosave.flush()
                #expect(disk.saves == 1)
            }
        }

        /// An actor that saves its own state.
        private actor Ledger {
            private let document = Document()
            private let autosave: Autosave
            private(set) var isSaving = false

            init(_ file: AtomicFile) {
                autosave = ReactiveCodable.autosave(
                    document, to: file, schedule: .debounced(for: .seconds(3_600)), onError: { _ in })
            }

            func write(_ number: Double) async throws {
                document.number = number
                isSaving = true
                defer { isSaving = false }
                try await autosave.flushInBackground()
            }

            func end() { autosave.cancel() }
        }

        @Test func anActorContinuesWhileItsFileIsWritten() async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                let (atDisk, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    guard step == .sync else { return nil }
                    atDisk.continuation.yield()
                    mayContinue.wait()
                    return nil
                }
                let ledger = Ledger(file)
                async let saved: Void = ledger.write(7)
                for await _ in atDisk.stream { break }
                // It answers although the disk does not.
                #expect(await ledger.isSaving)
                mayContinue.signal()
                try await saved
                #expect(try load(Document.self, from: url).number == 7)
                await ledger.end()
            }
        }

        @Test func anErrorOfABackgroundWriteIsThrownByTheNextFlush() async throws {
            try await withFolder { folder async throws in
                let (url, disk) = (folder.appendingPathComponent("document.json"), Disk())
                let ledger = Ledger(disk.file(url))
                disk.fail(with: ENOSPC)
                await #expect(throws: SavingError.self) { try await ledger.write(3) }
                disk.fail(with: nil)
                try await ledger.write(2)
                #expect(try load(Document.self, from: url).number == 2)
                await ledger.end()
            }
        }

        @Test func flushMayBeCalledFromTheErrorHandler() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let done = DispatchSemaphore(value: 0)
                var started: Autosave?
                started = autosave(
                    document, to: disk.file(url),
                    onError: { _ in
                        disk.fail(with: nil)
                        #expect(throws: Never.self) { try started?.flush() }
                        done.signal()
                    })
                defer { started?.cancel() }
                disk.fail(with: ENOSPC)
                document.title = "essay"
                done.wait()
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        /// An encoder that provides its own memory, and records when that is released.
        private struct OwningEncoder: DataEncoder {
            let onFree: @Sendable () -> Void

            func encode<T: Encodable>(_ value: T) throws -> Data {
                let json = try JSONEncoder().encode(value)
                let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(json.count, 4_096), alignment: 1)
                for index in bytes.indices { bytes[index] = index < json.count ? json[index] : UInt8(ascii: " ") }
                return Data(
                    bytesNoCopy: bytes.baseAddress!, count: bytes.count,
                    deallocator: .custom { [onFree] memory, _ in
                        memory.deallocate()
                        onFree()
                    })
            }
        }

        @Test func flushMayBeCalledWhenTheSavedStateIsFreed() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let started = Shared<Autosave?>(nil), freed = DispatchSemaphore(value: 0)
                let encoder = OwningEncoder {
                    if let autosave = started.value { #expect(throws: Never.self) { try autosave.flush() } }
                    freed.signal()
                }
                started.value = autosave(document, to: disk.file(url), encoder: encoder)
                document.title = "essay"
                disk.waitForAttempt()
                freed.wait()
                #expect(try load(Document.self, from: url).title == "essay")
                started.value?.cancel()
                started.value = nil
            }
        }

        @Test func aThreadThatSavesRunsNoReactionsOfOtherThreads() throws {
            try inFolder { url, disk throws in
                // A graph of its own, since a thread of the previous test may still use the default one.
                let graph = IndependentGraph()
                let document = graph.run { Document() }
                let saving = graph.run { autosave(document, to: disk.file(url)) }
                let writer = pthread_self()
                let strangers = Shared(0)
                let reactions = graph.run {
                    (0..<20).map { _ in
                        reaction {
                            document.number
                        } onChange: { _ in
                            if pthread_equal(pthread_self(), writer) == 0 { strangers.withLock { $0 += 1 } }
                        }
                    }
                }
                while disk.saves < 20 { document.number += 1 }
                #expect(strangers.value == 0)
                for reaction in reactions { reaction.cancel() }
                saving.cancel()
            }
        }

        @Test func aCancelledAutosaveSavesNothingMore() throws {
            try inFolder { url, disk throws in
                let document = Document()
                let autosave = autosave(document, to: disk.file(url), schedule: .custom { _ in })
                autosave.cancel()
                document.title = "essay"
                try autosave.flush()
                #expect(disk.saves == 0)
            }
        }

        @Test func everySavedStateIsTheResultOfATransaction() throws {
            try inFolder { url, disk throws in
                struct Pair: Codable, Sendable {
                    @Observable var left = 0
                    @Observable var right = 0
                }
                let pair = Pair()
                let autosave = autosave(pair, to: url, schedule: .immediate)
                defer { autosave.cancel() }
                onThreads(4) { _ in
                    for _ in 0..<200 {
                        inTransaction {
                            pair.left += 1
                            pair.right -= 1
                        }
                        if let saved = try? load(Pair.self, from: url) { #expect(saved.left == -saved.right) }
                    }
                }
                try autosave.flush()
                #expect(try load(Pair.self, from: url).left == 800)
            }
        }

        @Test func propertyListsAndOtherFormatsAreSavedAndLoaded() throws {
            struct Reversing: DataEncoder, DataDecoder {
                func encode<T: Encodable>(_ value: T) throws -> Data {
                    try Data(JSONEncoder().encode(value).reversed())
                }
                func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
                    try JSONDecoder().decode(type, from: Data(data.reversed()))
                }
            }
            try withFolder { folder in
                let document = Document()
                let list = folder.appendingPathComponent("document.plist")
                let reversed = folder.appendingPathComponent("reversed")
                let first = autosave(document, to: list, encoder: PropertyListEncoder(), schedule: .custom { _ in })
                let second = autosave(document, to: reversed, encoder: Reversing(), schedule: .custom { _ in })
                document.title = "essay"
                for autosave in [first, second] {
                    try autosave.flush()
                    autosave.cancel()
                }
                #expect(try load(Document.self, from: list, decoder: PropertyListDecoder()).title == "essay")
                #expect(try load(Document.self, from: reversed, decoder: Reversing()).title == "essay")
            }
        }

        @MainActor @Test(.inDefaultGraph) func stateOfTheMainActorNeedNotBeSendable() throws {
            final class Model: Codable {
                @Observable var title = "draft"
                init() {}
            }
            try withFolder { folder in
                let model = Model()
                var errors = 0
                let autosave = autosave(
                    model, to: folder.appendingPathComponent("model.json"), debounce: .seconds(60),
                    onError: { _ in errors += 1 })
                defer { autosave.cancel() }
                model.title = "essay"
                try autosave.flush()
                #expect(try load(Model.self, from: autosave.url).title == "essay" && errors == 0)
            }
        }

        /// Outcomes are published from a thread that has no graph; that used to stop the program.
        @Test func stateOfAnIndependentGraphIsSavedFromOtherThreads() throws {
            try inFolder { url, disk throws in
                let graph = IndependentGraph(named: "session")
                let failed = DispatchSemaphore(value: 0)
                let (document, autosave) = graph.run {
                    let document = Document()
                    let file = disk.file(url)
                    return (document, ReactiveCodable.autosave(document, to: file, onError: { _ in failed.signal() }))
                }
                defer { graph.cancelReactions() }
                document.title = "essay"
                disk.waitForAttempt()
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "essay")
                disk.fail(with: ENOSPC)
                document.title = "novel"
                failed.wait()
                #expect(autosave.lastError is SavingError)
                disk.fail(with: nil)
                try autosave.flush()
                #expect(autosave.lastError == nil)
                #expect(try load(Document.self, from: url).title == "novel")
            }
        }
    }
}
