// Autosaves of actors that are released: what is waiting is saved first, and later changes are no silent loss.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite(.inDefaultGraph) struct ActorAutosaveTests {
        private struct Note: Codable, Sendable {
            @Observable var text = "first"
        }

        /// An actor that saves a note, and never ends that.
        private actor Keeper {
            private var saving: Autosave?

            init(
                _ note: Note, _ url: URL, _ form: SavingForm, _ clock: ManualClock, reports: Shared<Int> = Shared(0)
            ) async {
                saving = autosave(note, to: url, as: form, debounce: .seconds(1), clock: clock) { _ in
                    reports.withLock { $0 += 1 }
                }
            }
        }

        private struct List: Codable, Sendable {
            @Observable var words: [String] = []
        }

        /// An actor that saves to a journal before it sees a change of a different thread.
        private actor Writer {
            private var saving: Autosave?

            func saveBeforeSeeing(_ list: List, _ url: URL) {
                let due = Shared<(@Sendable () -> Void)?>(nil)
                saving = autosave(list, to: url, as: .journal, schedule: .custom { due.value = $0 })
                list.words.append("a")
                // Both wait for the actor, in this order.
                onOtherThread {
                    due.value?()
                    list.words.append("b")
                }
            }

            func end() throws {
                try saving?.flush()
                saving?.cancel()
            }
        }

        private static let forms = [SavingForm.document, .journal]

        /// Creates an actor that saves a note, releases it, and waits for its end.
        private func releaseKeeper(of note: Note, _ url: URL, _ form: SavingForm) async {
            await withFreedActor({ await Keeper(note, url, form, ManualClock()) }, { _ in })
        }

        /// Passes the messages of issues to `body`, instead of printing them.
        private func withIssues(_ body: (Shared<[String]>) async throws -> Void) async rethrows {
            let issues = Shared<[String]>([])
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { issue in issues.withLock { $0.append(issue.message) } }
            defer { Diagnostics.onIssue = before }
            try await body(issues)
        }

        /// Creating reactions with owners cancels those that have nothing to do any more.
        private func createReactionsWithOwners(in graph: IndependentGraph) {
            final class Owner {}
            let owner = Owner()
            graph.run { for _ in 0..<20 { autorun(of: owner) { _ in } } }
        }

        @Test(arguments: forms) func aChangeThatWaitsIsSavedAfterTheActorIsReleased(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let (url, clock) = (folder.appendingPathComponent("note"), ManualClock())
                let graph = IndependentGraph()
                defer { graph.cancelReactions() }
                let note = graph.run { Note() }
                weak var released: Keeper?
                do {
                    let keeper = await Keeper(note, url, form, clock)
                    released = keeper
                    note.text = "second"
                }
                await letOthersRun()
                #expect(released != nil)
                clock.advance(by: .seconds(1))
                await eventually { released == nil }
                #expect(try load(Note.self, from: url).text == "second")
            }
        }

        @Test func aChangeThatTheActorHasNotSeenIsWrittenOnce() async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("list")
                let list = IndependentGraph().run { List() }
                let writer = Writer()
                await writer.saveBeforeSeeing(list, url)
                await letOthersRun()
                try await writer.end()
                #expect(try load(List.self, from: url).words == ["a", "b"])
            }
        }

        @Test(arguments: forms) func anActorWithoutChangesIsReleasedImmediately(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let graph = IndependentGraph()
                defer { graph.cancelReactions() }
                await releaseKeeper(of: graph.run { Note() }, folder.appendingPathComponent("note"), form)
            }
        }

        @Test(arguments: forms) func theFileOfAReleasedActorIsLeftToOthers(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("note")
                let graph = IndependentGraph()
                defer { graph.cancelReactions() }
                let note = graph.run { Note() }
                await releaseKeeper(of: note, url, form)
                let next = autosave(note, to: url, as: form)
                try next.flush()
                next.cancel()
                #expect(try load(Note.self, from: url).text == "first")
            }
        }

        @Test(.alone, arguments: forms) func theEndOfAnActorWithoutUnsavedChangesIsNoIssue(
            _ form: SavingForm
        ) async throws {
            try await withFolder { folder async throws in
                await withIssues { issues in
                    let graph = IndependentGraph()
                    defer { graph.cancelReactions() }
                    await releaseKeeper(of: graph.run { Note() }, folder.appendingPathComponent("note"), form)
                    createReactionsWithOwners(in: graph)
                    graph.cancelReactions()
                    await letOthersRun()
                    #expect(issues.value.isEmpty)
                }
            }
        }

        @Test(.alone, arguments: forms) func aLateChangeAfterTheEndOfTheActorIsAnIssue(
            _ form: SavingForm
        ) async throws {
            try await withFolder { folder async throws in
                await withIssues { issues in
                    let graph = IndependentGraph()
                    defer { graph.cancelReactions() }
                    let note = graph.run { Note() }
                    await releaseKeeper(of: note, folder.appendingPathComponent("note"), form)
                    createReactionsWithOwners(in: graph)
                    note.text = "second"
                    note.text = "third"
                    await eventually { !issues.value.isEmpty }
                    graph.cancelReactions()
                    await letOthersRun()
                    #expect(issues.value.count == 1)
                }
            }
        }

        @Test func theFailureOfTheLastWriteIsReportedOnTheActor() async throws {
            try await withFolder { folder async throws in
                // The folder is missing, so saving fails.
                let url = folder.appendingPathComponent("missing/note")
                let (clock, reports) = (ManualClock(), Shared(0))
                let graph = IndependentGraph()
                defer { graph.cancelReactions() }
                let note = graph.run { Note() }
                weak var released: Keeper?
                do {
                    let keeper = await Keeper(note, url, .document, clock, reports: reports)
                    released = keeper
                    note.text = "second"
                }
                await letOthersRun()
                clock.advance(by: .seconds(1))
                await eventually { released == nil }
                #expect(reports.value == 1)
            }
        }

        @Test(.alone, arguments: forms) func aChangeAfterTheEndOfTheActorIsAnIssue(_ form: SavingForm) async throws {
            try await withFolder { folder async throws in
                try await withIssues { issues in
                    let url = folder.appendingPathComponent("note")
                    let graph = IndependentGraph()
                    defer { graph.cancelReactions() }
                    let note = graph.run { Note() }
                    await releaseKeeper(of: note, url, form)
                    note.text = "second"
                    await eventually { !issues.value.isEmpty }
                    #expect(issues.value.count == 1)
                    let reason = "note could not be saved: its autosave has ended, because the actor"
                    #expect(issues.value[0].contains(reason))
                    // The file may be saved again.
                    let next = autosave(note, to: url, as: form)
                    try next.flush()
                    next.cancel()
                }
            }
        }
    }
}
