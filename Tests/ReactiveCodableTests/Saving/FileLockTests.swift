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
                #expect((reported.value.first as? SavingError)?.wasReplaced == false)
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

        @Test func theFileIsFreeWhenASaverHasEnded() throws {
            try inFolder { url throws in
                let (saver, next) = (self.saver(url), self.saver(url))
                saver.begin()
                let lock = try #require(saver.lock)
                saver.end()
                next.begin()
                #expect(next.refusal == nil)
                next.end()
                withExtendedLifetime(lock) {}
            }
        }

        @Test func aSaverThatIsReleasedLeavesTheFileToOthers() throws {
            try inFolder { url throws in
                saver(url).begin()
                let next = saver(url)
                next.begin()
                #expect(next.refusal == nil)
                next.end()
            }
        }

        @Test func theLockFileOfADifferentSaverIsLeft() throws {
            try inFolder { url throws in
                let lock = url.deletingLastPathComponent().appendingPathComponent(".document.json.lock")
                let first = saver(url)
                first.begin()
                try FileManager.default.removeItem(at: lock)
                let second = saver(url)
                second.begin()
                #expect(second.refusal == nil)
                first.end()
                let third = saver(url)
                third.begin()
                #expect(third.refusal != nil)
                for saver in [second, third] { saver.end() }
            }
        }

        /// The system may give the number of a removed file to a new one. Here it is the same file.
        @Test func aLockFileThatWasReleasedMayBeThatOfADifferentProcess() throws {
            try inFolder { url throws in
                let folder = url.deletingLastPathComponent()
                let (lock, kept) = (
                    folder.appendingPathComponent(".document.json.lock"), folder.appendingPathComponent("kept")
                )
                let (first, refused) = (saver(url), saver(url))
                first.begin()
                try FileManager.default.linkItem(at: lock, to: kept)
                first.end()
                try FileManager.default.moveItem(at: kept, to: lock)
                let holder = open(lock.path, O_RDWR)
                defer { close(holder) }
                #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
                refused.begin()
                #expect(refused.refusal?.description.contains("this process") == false)
                refused.end()
            }
        }

        @Test func aLongerNameOfAKilledProgramIsOverwritten() throws {
            try inFolder { url throws in
                let lock = url.deletingLastPathComponent().appendingPathComponent(".document.json.lock")
                try Data(String(repeating: "x", count: 300).utf8).write(to: lock)
                let (first, second) = (saver(url), saver(url))
                for saver in [first, second] { saver.begin() }
                #expect(second.refusal?.owner == "\(ProcessInfo.processInfo.processName) (process \(getpid()))")
                for saver in [first, second] { saver.end() }
            }
        }

        @Test func aHolderThatHasNotYetWrittenItsNameIsADifferentProcess() throws {
            try inFolder { url throws in
                let lock = url.deletingLastPathComponent().appendingPathComponent(".document.json.lock")
                let holder = open(lock.path, O_RDWR | O_CREAT, 0o600)
                defer { close(holder) }
                #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
                let refused = saver(url)
                refused.begin()
                #expect(refused.refusal?.owner == "another process")
                refused.end()
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
