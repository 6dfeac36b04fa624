// Reports to `onError` are delivered once, in whichever way saving ends while they are on their way.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite(.inDefaultGraph) struct ReportTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        /// Runs the jobs of an actor, one at a time, and lets a test decide their order.
        private final class ReorderingExecutor: SerialExecutor, @unchecked Sendable {
            // Sendable because the state is accessed under the lock only.
            private let queue = DispatchQueue(label: "actor")
            private let lock = NSLock()
            private var waiting: [UnownedJob] = []
            private var held = 0

            /// Lets jobs wait until there are `count`, and then runs them in the order of their priority.
            func hold(until count: Int) { lock.withLock { held = count } }

            func enqueue(_ job: UnownedJob) {
                let ready = lock.withLock { () -> [UnownedJob] in
                    waiting.append(job)
                    guard waiting.count >= held else { return [] }
                    defer { (waiting, held) = ([], 0) }
                    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return waiting }
                    return waiting.sorted { $0.priority > $1.priority }
                }
                for job in ready { queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
            }

            func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
        }

        /// An actor that saves its document, and counts the reports.
        private actor Room {
            nonisolated let graph = IndependentGraph()
            nonisolated let executor = ReorderingExecutor()
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
            private let document: Document
            private var autosave: Autosave?
            private(set) var reports: [any Error] = []

            init(_ file: AtomicFile, _ form: SavingForm) async {
                document = graph.run { Document() }
                autosave = ReactiveCodable.autosave(document, to: file, as: form) { [weak self] error in
                    self?.assumeIsolated { $0.reports.append(error) }
                }
            }

            /// Makes a change that cannot be saved. Returns when the report of that waits for the actor.
            func fail() {
                document.title = "essay"
                while autosave?.lastError == nil { Thread.yield() }
            }

            /// Ends the room while the report of a failure waits for the actor.
            func fail(then end: @Sendable (Room) -> Void) -> Int {
                fail()
                end(self)
                return reports.count
            }

            func cancel() { autosave?.cancel() }

            /// Returns the number of reports when the flush has returned.
            func flush() async throws -> Int {
                executor.hold(until: 2)
                try await autosave?.flushInBackground()
                return reports.count
            }

            func access(_ body: (Autosave) -> Void) { if let autosave { body(autosave) } }
        }

        private static let forms = [SavingForm.document, .journal]

        /// Returns a file that cannot be written.
        private func failingFile(_ url: URL) -> AtomicFile {
            var file = AtomicFile(path: url.path)
            file.failure = { $0 == .sync ? ENOSPC : nil }
            return file
        }

        /// Returns a file whose first write waits, and then fails.
        private func waitingFile(
            _ url: URL, _ atDisk: DispatchSemaphore, _ mayContinue: DispatchSemaphore
        ) -> AtomicFile {
            var file = AtomicFile(path: url.path)
            file.failure = { step in
                guard step == .sync else { return nil }
                atDisk.signal()
                mayContinue.wait()
                return ENOSPC
            }
            return file
        }

        @Test(arguments: forms) func cancelDeliversAReportThatWaitsForTheActor(_ form: SavingForm) async throws {
            try await withFolder { folder in
                let room = await Room(failingFile(folder.appendingPathComponent("document")), form)
                #expect(await room.fail { room in room.assumeIsolated { $0.cancel() } } == 1)
                await letOthersRun()
                #expect(await room.reports.count == 1)
            }
        }

        @Test(arguments: forms) func cancelReactionsDeliversAReportThatWaitsForTheActor(_ form: SavingForm) async throws
        {
            try await withFolder { folder in
                let room = await Room(failingFile(folder.appendingPathComponent("document")), form)
                #expect(await room.fail { $0.graph.cancelReactions() } == 1)
                await room.cancel()
                #expect(await room.reports.count == 1)
            }
        }

        @Test(arguments: forms) func cancelInATransactionDeliversAReportAfterIt(_ form: SavingForm) async throws {
            try await withFolder { folder in
                let room = await Room(failingFile(folder.appendingPathComponent("document")), form)
                let count = await room.fail { room in
                    room.graph.run {
                        let state = Observable(0)
                        inTransaction {
                            state.value = 1
                            room.assumeIsolated {
                                $0.cancel()
                                #expect($0.reports.isEmpty)
                            }
                        }
                    }
                }
                #expect(count == 1)
            }
        }

        /// Whoever cancels does not wait for the actor.
        @Test func cancelElsewhereDeliversAReportAfterAHop() async throws {
            try await withFolder { folder in
                let room = await Room(failingFile(folder.appendingPathComponent("document")), .document)
                let count = await room.fail { room in
                    room.assumeIsolated { room in
                        room.access { autosave in
                            nonisolated(unsafe) let autosave = autosave
                            let cancelled = DispatchSemaphore(value: 0)
                            Thread.detachNewThread {
                                autosave.cancel()
                                cancelled.signal()
                            }
                            cancelled.wait()
                        }
                    }
                }
                #expect(count == 0)
                await eventually { await room.reports.count == 1 }
            }
        }

        @Test(arguments: forms) func flushInBackgroundDeliversReportsBeforeItReturns(_ form: SavingForm) async throws {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("document")
                try Data("{".utf8).write(to: url)
                let room = await Room(AtomicFile(path: url.path), form)
                // The higher priority lets the flush return before the hop with the report arrives.
                let count = try await Task(priority: .high) { try await room.flush() }.value
                #expect(count == 1)
                await room.cancel()
                let reports = await room.reports
                #expect(reports.count == 1 && (reports.first as? SavingError)?.movedAside != nil)
            }
        }

        @Test(arguments: forms) func aWriteThatOutlivesItsReactionsIsReported(_ form: SavingForm) throws {
            try withFolder { folder in
                let (atDisk, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let file = waitingFile(folder.appendingPathComponent("document"), atDisk, mayContinue)
                let graph = IndependentGraph()
                let document = graph.run { Document() }
                let reported = DispatchSemaphore(value: 0)
                let reports = Shared(0)
                let autosave = autosave(document, to: file, as: form) { _ in
                    reports.withLock { $0 += 1 }
                    reported.signal()
                }
                document.title = "essay"
                atDisk.wait()
                graph.cancelReactions()
                #expect(reports.value == 0)
                mayContinue.signal()
                reported.wait()
                autosave.cancel()
                #expect(reports.value == 1)
            }
        }

        @Test(arguments: forms, [false, true])
        func aFlushDeliversItsReportsAfterTheWriteDuringWhichItsReactionsEnd(
            _ form: SavingForm, _ isInBackground: Bool
        ) async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document")
                try Data("{".utf8).write(to: url)
                let graph = IndependentGraph()
                let document = graph.run { Document() }
                let (reports, early) = (Shared(0), Shared(0))
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    guard step == .sync else { return nil }
                    graph.cancelReactions()
                    early.value = reports.value
                    return nil
                }
                let autosave = graph.run {
                    ReactiveCodable.autosave(document, to: file, as: form, schedule: .custom { _ in }) { _ in
                        reports.withLock { $0 += 1 }
                    }
                }
                if isInBackground { try await autosave.flushInBackground() } else { try autosave.flush() }
                #expect(early.value == 0 && reports.value == 1)
                autosave.cancel()
            }
        }

        @Test(arguments: forms) func anErrorThatFlushInBackgroundThrowsIsNotReported(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let reports = Shared(0)
                let file = failingFile(folder.appendingPathComponent("document"))
                let autosave = autosave(Document(), to: file, as: form, schedule: .custom { _ in }) { _ in
                    reports.withLock { $0 += 1 }
                }
                await #expect(throws: SavingError.self) { try await autosave.flushInBackground() }
                autosave.cancel()
                #expect(reports.value == 0)
            }
        }

        @Test(arguments: forms) func cancelReportsTheFailureOfTheWriteThatItWaitsFor(_ form: SavingForm) throws {
            try withFolder { folder in
                let (atDisk, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let file = waitingFile(folder.appendingPathComponent("document"), atDisk, mayContinue)
                let document = Document()
                let reports = Shared(0)
                let autosave = autosave(document, to: file, as: form) { _ in reports.withLock { $0 += 1 } }
                document.title = "essay"
                atDisk.wait()
                Thread.detachNewThread { mayContinue.signal() }
                autosave.cancel()
                // Delivered here or by the thread that wrote, which may be about to do so.
                while reports.value == 0 { Thread.yield() }
                #expect(reports.value == 1)
            }
        }
    }
}

extension Thread {
    fileprivate static func yield() { sched_yield() }
}
