// What observes a whole graph runs once for each change, as a recording shows.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite(.alone) struct RunsPerChangeTests {
        private struct Document: Codable { @Observable var title = "" }

        /// Records ten changes. Returns the number of runs of the reactions with a name.
        private func runs(of name: String, changing document: Document) -> Int {
            let recording = Diagnostics.record(limit: .max)
            for number in 1...10 { document.title = "\(number)" }
            recording.stop()
            return recording.report.work.filter { $0.node.name == name }.reduce(0) { $0 + $1.runCount }
        }

        @Test func aJournal() throws {
            let (document, folder) = (Document(), try TemporaryFolder())
            let file = folder.url.appendingPathComponent("document.json")
            let saving = autosave(document, to: file, as: .journal, named: "runs of a journal")
            defer { saving.cancel() }
            try saving.flush()
            #expect(runs(of: "runs of a journal", changing: document) == 10)
        }

        @Test func aHistoryWithAListener() {
            let document = Document()
            let history = History(document, named: "runs of a history")
            let listener = history.onStep { _ in }
            defer { listener.cancel() }
            #expect(runs(of: "runs of a history", changing: document) == 10)
        }

        @Test func aPatchRecorder() {
            let document = Document()
            let recorder = PatchRecorder(document, named: "runs of a recorder") { _ in }
            defer { recorder.end() }
            #expect(runs(of: "runs of a recorder", changing: document) == 10)
        }

        @Test func deepObserveWithAWritingEffect() {
            let (document, count) = (Document(), Observable(0))
            let observing = deepObserve(document, named: "runs of deepObserve") { count.value += 1 }
            defer { observing.cancel() }
            #expect(runs(of: "runs of deepObserve", changing: document) == 10)
        }
    }
}
