// The writer of a file by itself: its lock, the end of saving, the order of outcomes, and the last reports.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct FileSaverTests {
        private struct Failure: Error {}

        private actor Room {}

        /// Contents that run a closure instead of writing a file.
        private final class Contents: SavedContents {
            let file: AtomicFile
            let needsEncoding = false
            let discards = Shared(0)
            let writing = Shared<@Sendable () throws -> Void>({})
            /// What the next write reports.
            let report = Shared<SavingError?>(nil)

            init(_ url: URL) { file = AtomicFile(path: url.path) }

            func write(_ report: (SavingError) -> Void) throws -> Any? {
                try writing.value()
                if let error = self.report.withLock({ $0.take() }) { report(error) }
                return nil
            }

            func discard() -> Any? {
                discards.withLock { $0 += 1 }
                return nil
            }
        }

        private func inFolder(_ body: (URL) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("file")) }
        }

        private func inFolder(_ body: (URL) async throws -> Void) async throws {
            try await withFolder { folder async throws in try await body(folder.appendingPathComponent("file")) }
        }

        /// Starts a reaction that counts the reports of a saver.
        private func counting(_ saver: FileSaver, _ reports: Shared<Int>) -> Reaction {
            Autosave.reporting(of: saver, named: nil, isolation: nil, fileID: #fileID, line: #line) { _ in
                reports.withLock { $0 += 1 }
            }
        }

        /// Whether a saver that starts now is refused.
        private func isTaken(_ url: URL) -> Bool {
            let saver = FileSaver(Contents(url))
            saver.begin()
            defer { saver.end() }
            return saver.refusal != nil
        }

        // MARK: - The lock

        @Test func aRefusedSaverNeverTakesTheFile() throws {
            try inFolder { url in
                let (holder, refused) = (FileSaver(Contents(url)), FileSaver(Contents(url)))
                holder.begin()
                refused.begin()
                holder.end()
                #expect(throws: SavingError.self) { try refused.saveNow() }
                #expect(!isTaken(url))
                refused.end()
            }
        }

        @Test func aRefusedSaverReportsThatOnce() async throws {
            try await inFolder { url async throws in
                let (holder, refused) = (FileSaver(Contents(url)), FileSaver(Contents(url)))
                let reports = Shared(0)
                let reporting = counting(refused, reports)
                defer { reporting.cancel() }
                holder.begin()
                var room: Room? = Room()
                weak var released: Room?
                released = room
                refused.begin(on: room)
                refused.saveSoon()
                room = nil
                // A save keeps the actor until its end.
                await eventually { released == nil }
                #expect(reports.value == 1)
                for saver in [holder, refused] { saver.end() }
            }
        }

        @Test func theFileStaysTakenUntilTheWriteInProgressHasEnded() throws {
            try inFolder { url in
                let (contents, wasTaken) = (Contents(url), Shared(false))
                let saver = FileSaver(contents)
                contents.writing.value = {
                    saver.end()
                    wasTaken.value = isTaken(url)
                }
                saver.begin()
                try saver.saveNow()
                #expect(wasTaken.value && !isTaken(url))
                contents.writing.value = {}
            }
        }

        @Test func theFileStaysTakenUntilTheWorkThatExcludesWritersHasEnded() throws {
            try inFolder { url in
                let saver = FileSaver(Contents(url))
                saver.begin()
                let wasTaken = saver.withoutWriters {
                    saver.end()
                    return isTaken(url)
                }
                #expect(wasTaken == true && !isTaken(url))
            }
        }

        @Test func theFileIsFreeWhenTheLastWriteOfAnEndedSaverHasEnded() throws {
            try inFolder { url throws in
                let contents = Contents(url)
                let saver = FileSaver(contents)
                contents.writing.value = { [unowned saver] in saver.end() }
                saver.begin()
                let lock = try #require(saver.lock)
                try saver.saveNow()
                #expect(!isTaken(url))
                withExtendedLifetime(lock) {}
            }
        }

        // MARK: - The end

        @Test func anEndedSaverWritesNothingAndRunsNoWork() throws {
            try inFolder { url in
                let (contents, writes) = (Contents(url), Shared(0))
                contents.writing.value = { writes.withLock { $0 += 1 } }
                let saver = FileSaver(contents)
                saver.begin()
                saver.willCancel()
                saver.end()
                try saver.saveNow()
                #expect(saver.withoutWriters { true } == nil && writes.value == 0)
            }
        }

        @Test(arguments: [false, true]) func anEndedSaverStillDeliversItsLastReports(_ writes: Bool) throws {
            try inFolder { url in
                let (saver, reports) = (FileSaver(Contents(url)), Shared(0))
                let reporting = counting(saver, reports)
                saver.willCancel()
                saver.end()
                if writes { try saver.saveNow() } else { _ = saver.withoutWriters { true } }
                inTransaction {
                    saver.publishBackground(Failure())
                    reporting.cancel()
                }
                #expect(reports.value == 1)
            }
        }

        @Test func aSaveThatIsDueAfterTheEndIsNoAttempt() async throws {
            try await inFolder { url async throws in
                let saver = FileSaver(Contents(url))
                var room: Room? = Room()
                weak var released: Room?
                released = room
                saver.begin(on: room)
                saver.end()
                saver.saveSoon()
                room = nil
                await eventually { released == nil }
                #expect(saver.failure.value == nil)
            }
        }

        private final class WeakRoom: @unchecked Sendable {
            // Sendable because the reference is only set when it is created.
            weak var room: Room?
            init(_ room: Room?) { self.room = room }
        }

        @Test func aSaveKeepsTheActorUntilItHasEnded() throws {
            try inFolder { url in
                let contents = Contents(url)
                let (mayWrite, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let wasThere = Shared(false)
                let saver = FileSaver(contents)
                var room: Room? = Room()
                let released = WeakRoom(room)
                contents.writing.value = {
                    mayWrite.wait()
                    wasThere.value = released.room != nil
                    hasWritten.signal()
                }
                saver.begin(on: room)
                saver.saveSoon()
                room = nil
                mayWrite.signal()
                hasWritten.wait()
                #expect(wasThere.value)
                saver.end()
            }
        }

        @Test func aChangeAfterTheEndOfTheActorEndsSavingAndIsReportedOnce() throws {
            try inFolder { url in
                for isCancelled in [false, true] {
                    let (saver, reports) = (FileSaver(Contents(url)), Shared(0))
                    let reporting = counting(saver, reports)
                    defer { reporting.cancel() }
                    var room: Room? = Room()
                    saver.begin(on: room)
                    room = nil
                    if isCancelled { saver.willCancel() }
                    saver.loseChange()
                    saver.loseChange()
                    #expect(saver.hasEnded && !isTaken(url))
                    #expect(reports.value == (isCancelled ? 0 : 1))
                }
            }
        }

        @Test func aReleasedAutosaveSavesOnUnlessItsActorIsGone() throws {
            try inFolder { url in
                for isGone in [false, true] {
                    let contents = Contents(url)
                    let saver = FileSaver(contents)
                    let reporting = counting(saver, Shared(0))
                    var autosave: Autosave? = Autosave(url, saver: saver, saving: [], reporting: reporting) { false }
                    var room: Room? = Room()
                    saver.begin(on: room)
                    if isGone { room = nil }
                    withExtendedLifetime(autosave) {}
                    autosave = nil
                    #expect(saver.hasEnded == isGone && contents.discards.value == (isGone ? 1 : 0))
                    withExtendedLifetime(room) {}
                    saver.end()
                    reporting.cancel()
                }
            }
        }

        // MARK: - Outcomes

        @Test func theClosureAfterWritingRunsAfterEachSuccess() throws {
            try inFolder { url in
                let (contents, successes) = (Contents(url), Shared(0))
                let saver = FileSaver(contents)
                saver.afterWriting { successes.withLock { $0 += 1 } }
                try saver.saveNow()
                #expect(successes.value == 1)
                contents.writing.value = { throw Failure() }
                #expect(throws: Failure.self) { try saver.saveNow() }
                #expect(successes.value == 1)
                saver.end()
            }
        }

        @Test func anOlderSuccessDoesNotReplaceANewerFailure() throws {
            try inFolder { url in
                let contents = Contents(url)
                let saver = FileSaver(contents)
                saver.afterWriting { [unowned saver] in
                    contents.writing.value = { throw Failure() }
                    #expect(throws: Failure.self) { try saver.saveNow() }
                }
                // Its outcome is published after that of the attempt in the closure.
                try saver.saveNow()
                #expect(saver.failure.value is Failure)
                saver.end()
            }
        }

        @Test func aFailureThatIsReportedIsOneChange() throws {
            try inFolder { url in
                let (holder, refused) = (FileSaver(Contents(url)), FileSaver(Contents(url)))
                var log: [Bool] = []
                let reports = Shared(0)
                let observer = autorun { log.append(refused.failure.value != nil) }
                let reporting = counting(refused, reports)
                defer { for reaction in [observer, reporting] { reaction.cancel() } }
                holder.begin()
                // Published when it is found, and when the report is taken.
                refused.begin()
                #expect(log == [false, true] && reports.value == 1)
                for saver in [holder, refused] { saver.end() }
            }
        }

        @Test func theOutcomeOfAnAttemptIsKnownWhenItsReportIsDelivered() throws {
            try inFolder { url in
                let contents = Contents(url)
                let saver = FileSaver(contents)
                let failures = Shared<[Bool]>([])
                let reporting = Autosave.reporting(
                    of: saver, named: nil, isolation: nil, fileID: #fileID, line: #line
                ) { _ in failures.withLock { $0.append(saver.failure.value != nil) } }
                contents.writing.value = { throw Failure() }
                #expect(throws: Failure.self) { try saver.saveNow() }
                contents.writing.value = {}
                contents.report.value = SavingError(path: url.path, reason: "it was moved aside")
                // The end of reporting delivers the report before the outcome is published.
                // One thread uses it.
                let ending = Unchecked(reporting)
                saver.afterWriting { ending.value.cancel() }
                try saver.saveNow()
                #expect(failures.value == [false])
                saver.end()
            }
        }

        @Test func onlyTheFirstSuccessAfterAFailureIsAChange() throws {
            try inFolder { url in
                let contents = Contents(url)
                let saver = FileSaver(contents)
                var log: [Bool] = []
                let observer = autorun { log.append(saver.failure.value != nil) }
                defer { observer.cancel() }
                contents.writing.value = { throw Failure() }
                #expect(throws: Failure.self) { try saver.saveNow() }
                contents.writing.value = {}
                for _ in 0..<3 { try saver.saveNow() }
                #expect(log == [false, true, false])
                saver.end()
            }
        }

        @Test func aThreadThatSavesWithoutFailuresDoesNotWaitForATransaction() throws {
            try inFolder { url in
                let saver = FileSaver(Contents(url))
                saver.begin()
                inTransaction {
                    onThreads(1) { _ in #expect(throws: Never.self) { try saver.saveNow() } }
                }
                saver.end()
            }
        }

        // MARK: - Last reports

        @Test func aReportOfWorkThatExcludesWritersIsDeliveredAfterItIfReportingEndsMeanwhile() throws {
            try inFolder { url in
                let (saver, reports) = (FileSaver(Contents(url)), Shared(0))
                let reporting = counting(saver, reports)
                saver.begin()
                let early = saver.withoutWriters {
                    reporting.cancel()
                    saver.publishBackground(Failure())
                    return reports.value
                }
                #expect(early == 0 && reports.value == 1)
                saver.end()
            }
        }

        @Test func aSaveThatEndsLeavesTheLastReportsToTheNextOne() async throws {
            try await inFolder { url async throws in
                let (contents, reports) = (Contents(url), Shared(0))
                let (isWriting, mayFail) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let saver = FileSaver(contents)
                // One thread at a time uses it.
                let reporting = Unchecked(counting(saver, reports))
                saver.afterWriting { [unowned saver] in
                    contents.writing.value = {
                        isWriting.signal()
                        mayFail.wait()
                        throw Failure()
                    }
                    saver.saveSoon()
                    isWriting.wait()
                    reporting.value.cancel()
                }
                var room: Room? = Room()
                weak var released: Room?
                released = room
                saver.begin(on: room)
                try saver.saveNow()
                mayFail.signal()
                room = nil
                await eventually { released == nil }
                #expect(reports.value == 1)
                saver.end()
            }
        }
    }
}
