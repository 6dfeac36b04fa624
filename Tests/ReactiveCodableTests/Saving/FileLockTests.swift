// One autosave at a time for each file, in all processes.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct FileLockTests {
        private struct Document: Codable {
            @Observable var number = 0
        }

        private func inFolder(_ body: (URL) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("document.json")) }
        }

        private func start(
            _ document: Document, _ url: URL, _ form: SavingForm = .document,
            onError: @escaping (any Error) -> Void = { _ in }
        ) -> Autosave {
            autosave(document, to: url, as: form, schedule: .custom { _ in }, onError: onError)
        }

        @Test(arguments: [SavingForm.document, .journal])
        func aSecondAutosaveIsRefusedWithTheNameOfTheFirst(_ form: SavingForm) throws {
            try inFolder { url in
                let (first, second) = (Document(), Document())
                let holder = start(first, url, form)
                let reported = Shared<[any Error]>([])
                let refused = start(second, url, form) { error in reported.withLock { $0.append(error) } }
                let name = "\(ProcessInfo.processInfo.processName) (process \(getpid()))"
                #expect((reported.value.first as? SavingError)?.owner == name && reported.value.count == 1)
                #expect((refused.lastError as? SavingError)?.owner == name)
                second.number = 2
                #expect { try refused.flush() } throws: { ($0 as? SavingError)?.owner == name }
                first.number = 1
                try holder.flush()
                holder.cancel()
                // Its state lacks the changes that the first one saved, so it stays refused.
                #expect { try refused.flush() } throws: {
                    "\($0)".contains("an autosave of this process, \(name), already saves to it")
                }
                #expect(try load(Document.self, from: url).number == 1)
                refused.cancel()
                let next = start(second, url, form)
                try next.flush()
                next.cancel()
                #expect(try load(Document.self, from: url).number == 2)
                #expect(try !url.deletingLastPathComponent().names.contains(".document.json.lock"))
            }
        }

        @Test func symbolicLinksUseTheSameLock() throws {
            try inFolder { url in
                let link = url.deletingLastPathComponent().appendingPathComponent("link")
                try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: url.path)
                let first = start(Document(), url)
                let second = start(Document(), link)
                #expect(throws: SavingError.self) { try second.flush() }
                for autosave in [first, second] { autosave.cancel() }
            }
        }

        @Test func aLockEndsWithTheReactionsOfItsGraph() throws {
            try inFolder { url in
                let graph = IndependentGraph()
                let first = graph.run { start(Document(), url) }
                graph.cancelReactions()
                let second = start(Document(), url)
                try second.flush()
                second.cancel()
                withExtendedLifetime(first) {}
            }
        }

        @Test(arguments: [SavingForm.document, .journal])
        func aFlushAfterTheReactionsOfItsGraphHaveEndedThrows(_ form: SavingForm) async throws {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let graph = IndependentGraph()
                let document = graph.run { Document() }
                let autosave = start(document, url, form)
                try autosave.flush()
                document.number = 1
                graph.cancelReactions()
                let error = #expect(throws: SavingError.self) { try autosave.flush() }
                #expect(error?.description.contains("Call flush() before cancelReactions()") == true)
                await #expect(throws: SavingError.self) { try await autosave.flushInBackground() }
                #expect(try load(Document.self, from: url).number == 0)
                autosave.cancel()
                try autosave.flush()
                #expect(try load(Document.self, from: url).number == 0)
            }
        }

        @Test func cancellingWaitsForTheWriteAndReleasesTheFile() throws {
            try inFolder { url in
                let (atDisk, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    guard step == .sync else { return nil }
                    atDisk.signal()
                    mayContinue.wait()
                    return nil
                }
                let document = Document()
                let first = autosave(document, to: file, onError: { _ in })
                document.number = 1
                atDisk.wait()
                let refused = start(document, url)
                #expect(throws: SavingError.self) { try refused.flush() }
                refused.cancel()
                Thread.detachNewThread { mayContinue.signal() }
                first.cancel()
                #expect(try load(Document.self, from: url).number == 1)
                document.number = 2
                let second = start(document, url)
                try second.flush()
                second.cancel()
                #expect(try load(Document.self, from: url).number == 2)
            }
        }

        private func saver(_ url: URL) -> FileSaver {
            FileSaver(DocumentContents(AtomicFile(path: url.path), writesUnchanged: true) { _, _ in true })
        }

        /// A thread that uses a saver may have a copy of its state, and with it of the lock.
        @Test func theFileIsFreeWhenASaverHasEnded() throws {
            try inFolder { url in
                var refusals = 0
                for _ in 0..<300 {
                    let saver = self.saver(url)
                    saver.begin()
                    if saver.refusal != nil { refusals += 1 }
                    let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                    Thread.detachNewThread {
                        started.signal()
                        while !saver.hasEnded {}
                        ended.signal()
                    }
                    started.wait()
                    for _ in 0..<50 { _ = saver.refusal }
                    saver.end()
                    let next = self.saver(url)
                    next.begin()
                    if next.refusal != nil { refusals += 1 }
                    next.end()
                    ended.wait()
                }
                #expect(refusals == 0)
            }
        }

        @Test func theFolderMayBeCreatedLater() throws {
            try withFolder { folder in
                let parent = folder.appendingPathComponent("parent")
                let url = parent.appendingPathComponent("document.json")
                let (first, second) = (start(Document(), url), start(Document(), url))
                #expect(throws: SavingError.self) { try first.flush() }
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                try first.flush()
                #expect { try second.flush() } throws: { ($0 as? SavingError)?.owner != nil }
                for autosave in [first, second] { autosave.cancel() }
            }
        }

        @Test func anotherProcessIsNamedAndItsDeathReleasesTheFile() throws {
            try inFolder { url in
                let victim = try Victim("edit", url.path)
                _ = victim.read(atLeast: 2)
                let refused = start(Document(), url)
                let name = "AutosaveVictim (process \(victim.number))"
                #expect {
                    try refused.flush()
                } throws: {
                    ($0 as? SavingError)?.owner == name && "\($0)".contains("an autosave of \(name) already saves")
                }
                refused.cancel()
                _ = victim.kill()
                let document = try load(Document.self, from: url)
                let autosave = start(document, url)
                document.number = -1
                try autosave.flush()
                autosave.cancel()
                #expect(try load(Document.self, from: url).number == -1)
            }
        }

        @Test func ofManyAutosavesThatStartAtTheSameTimeOneSaves() throws {
            try inFolder { url in
                let counts = Shared<[Int]>([])
                for _ in 0..<50 {
                    let saved = Shared(0)
                    let started = Shared<[Autosave]>([])
                    onThreads(4) { _ in
                        let autosave = start(Document(), url)
                        started.withLock { $0.append(autosave) }
                        if (try? autosave.flush()) != nil { saved.withLock { $0 += 1 } }
                    }
                    counts.withLock { $0.append(saved.value) }
                    for autosave in started.value { autosave.cancel() }
                }
                #expect(counts.value == Array(repeating: 1, count: 50))
            }
        }
    }
}
