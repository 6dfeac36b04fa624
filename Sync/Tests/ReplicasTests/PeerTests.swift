// The notes in several processes: together, apart, and killed.

import FileLog
import Foundation
import ReactiveSync
import SyncTestSupport
import Testing

extension ReplicasTests {
    @Suite(.timeLimit(.minutes(5))) struct PeerTests {
        private let workspace: Workspace

        init() throws {
            workspace = try Workspace()
            try workspace.startLog()
        }

        @Test func twoProcessesShareOneModel() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(ann.wait(for: "+ milk: Buy milk") && bob.wait(for: "+ milk: Buy milk"))

            // Apart, both continue; together again, both have both.
            try ann.type("offline", "text milk Buy oat milk", "add bread Buy bread")
            #expect(ann.wait(for: "~ milk: Buy oat milk") && ann.wait(for: "+ bread: Buy bread"))
            try bob.type("done milk")
            #expect(bob.wait(for: "~ milk: done"))
            try ann.type("status")
            #expect(ann.wait { $0.hasPrefix("offline since ") && $0.hasSuffix(", 2 to be sent") })
            try ann.type("online")
            for peer in [ann, bob] { #expect(try peer.shows("[ ] bread: Buy bread", "[x] milk: Buy oat milk")) }

            // One that comes later gets everything.
            let cleo = try workspace.startPeer()
            #expect(try cleo.shows("[ ] bread: Buy bread", "[x] milk: Buy oat milk"))
        }

        @Test func changesOfOneTextAreMerged() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk today")
            #expect(bob.wait(for: "+ milk: Buy milk today"))
            try ann.type("offline", "text milk Buy oat milk today")
            #expect(ann.wait(for: "~ milk: Buy oat milk today"))
            try bob.type("text milk Buy milk tomorrow")
            #expect(bob.wait(for: "~ milk: Buy milk tomorrow"))
            try ann.type("online")
            for peer in [ann, bob] { #expect(try peer.shows("[ ] milk: Buy oat milk tomorrow")) }
        }

        @Test func aChangeOfARemovedNoteIsReportedByItsMaker() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "+ milk: Buy milk"))
            try ann.type("offline", "text milk Buy soy milk")
            #expect(ann.wait(for: "~ milk: Buy soy milk"))
            try bob.type("remove milk")
            #expect(try bob.wait(for: "- milk") && bob.hasStatus("live"))
            try ann.type("online")
            #expect(ann.wait(for: "- milk"))
            #expect(ann.wait { $0.hasPrefix("! /notes/milk/text: ") })
        }

        @Test func bothContinueWhileTheLogIsAway() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "+ milk: Buy milk"))
            workspace.killLog()
            try ann.type("done milk")
            try bob.type("add tea Buy tea")
            #expect(ann.wait(for: "~ milk: done") && bob.wait(for: "+ tea: Buy tea"))
            // What the log was writing.
            let file = try FileHandle(forWritingTo: workspace.file)
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"entries\":{\"of\":[{\"rep".utf8))
            try workspace.startLog()
            for peer in [ann, bob] { #expect(try peer.shows("[x] milk: Buy milk", "[ ] tea: Buy tea")) }
        }

        /// A peer is killed offline; its journal has the change, which is sent by the next process.
        @Test func pendingChangesSurviveInTheJournal() async throws {
            let journal = workspace.path("journal")
            let (ann, bob) = (try workspace.startPeer("--journal", journal), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "+ milk: Buy milk"))
            try ann.type("offline", "done milk", "add tea Buy tea")
            #expect(ann.wait(for: "+ tea: Buy tea"))
            while try !journalContains("Buy tea", at: journal) { await Task.yield() }
            ann.kill()
            try bob.type("text milk Buy oat milk")
            #expect(bob.wait(for: "~ milk: Buy oat milk"))

            let again = try workspace.startPeer("--journal", journal)
            for peer in [again, bob] { #expect(try peer.shows("[x] milk: Buy oat milk", "[ ] tea: Buy tea")) }
        }

        /// Whether a text is in the journal's files.
        private func journalContains(_ text: String, at path: String) throws -> Bool {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.lastPathComponent.hasPrefix("journal") }
                .contains { (try? Data(contentsOf: $0).range(of: Data(text.utf8))) != nil }
        }

        @Test func aPeerWithAJournalBeginsWithoutTheLog() throws {
            let journal = workspace.path("journal")
            let ann = try workspace.startPeer("--journal", journal)
            try ann.type("add milk Buy milk")
            #expect(try ann.end().exitCode == 0)
            workspace.killLog()

            let offline = try workspace.startPeer("--journal", journal)
            #expect(try offline.shows("[ ] milk: Buy milk"))
            try offline.type("done milk")
            let outcome = try offline.end()
            #expect(outcome.exitCode == 0)
            #expect(outcome.output.last?.hasSuffix(", 1 to be sent, in the journal") == true)

            try workspace.startLog()
            let bob = try workspace.startPeer()
            let again = try workspace.startPeer("--journal", journal)
            for peer in [again, bob] { #expect(try peer.shows("[x] milk: Buy milk")) }
        }

        /// The log has pruned what a peer has missed. The peer has a change of its own.
        @Test func aPeerThatWasAwayBeginsWithTheSnapshot() async throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try bob.type("offline", "add tea Buy tea")
            #expect(bob.wait(for: "+ tea: Buy tea"))
            let text = String(repeating: "oat ", count: 300) + "milk"
            try ann.type("add milk Buy milk")
            for number in 2...1_000 { try ann.type("text milk \(number) \(text)") }
            #expect(try ann.hasStatus("live"))
            while try Data(contentsOf: workspace.file).count > 1 << 20 { await Task.yield() }
            let log = try LogClient(at: workspace.socket)
            await #expect(throws: LogError.pruned) { try await log.entries(after: 0, limit: 1) }

            try bob.type("online")
            let cleo = try workspace.startPeer()
            for peer in [bob, ann, cleo] {
                #expect(try peer.shows("[ ] milk: 1000 \(text)", "[ ] tea: Buy tea"))
            }
        }

        @Test func whatOthersWriteDoesNotMoveTheCursor() async throws {
            let ann = try workspace.startPeer()
            let content = #"{"edits":[{"set":["notes","a\nb"],"value":{"text":"\u001b[2J\r\u0007","isDone":false}}]}"#
            let log = try LogClient(at: workspace.socket)
            try await log.append([LogEntry(replica: UUID(), number: 1, version: 1, content: content)])
            #expect(ann.wait(for: "+ a·b: ·[2J··"))
            #expect(try ann.shows("[ ] a·b: ·[2J··"))
        }

        @Test func aPeerSaysWhatItCouldNotSend() throws {
            let ann = try workspace.startPeer()
            try ann.type("offline", "add milk Buy milk")
            let outcome = try ann.end()
            #expect(outcome.exitCode == 1)
            #expect(outcome.output.last?.hasSuffix(", 1 to be sent") == true)
        }

        @Test func aScriptIsSentBeforeThePeerEnds() throws {
            let ann = try workspace.startPeer()
            for number in 0..<200 { try ann.type("add note\(number) Text") }
            try ann.type("quit")
            #expect(try ann.end().exitCode == 0)
            let bob = try workspace.startPeer()
            #expect(bob.wait(for: "+ note199: Text"))
        }

        @Test func withoutLogAndJournalAPeerDoesNotBegin() throws {
            workspace.killLog()
            let outcome = try workspace.startPeer().end()
            #expect(outcome.exitCode == 1)
            #expect(outcome.output == ["Replicas: no log listens at \(workspace.socket)"])
        }

        /// Entries that no replica makes are in the log, and the peers continue.
        @Test func noEntryOfAStrangerStopsAPeer() async throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(ann.wait(for: "+ milk: Buy milk") && bob.wait(for: "+ milk: Buy milk"))
            let deep = String(repeating: "[", count: 10_000)
            let contents = [
                "junk", "", "{}", "[]", "null", deep, "{\"edits\":1}", "{\"edits\":[{}]}",
                "{\"edits\":[{\"remove\":[]}]}", "{\"edits\":[{\"set\":[\"notes\",\"x\",\"y\"],\"value\":1}]}",
                "{\"edits\":[{\"set\":[\"notes\",\"milk\",\"\(deep)\"],\"value\":1}]}",
                String(repeating: "x", count: 2 << 20),
            ]
            let stranger = UUID()
            let log = try LogClient(at: workspace.socket)
            try await log.append(
                zip(1..., contents).map { LogEntry(replica: stranger, number: $0, version: 1, content: $1) })
            try bob.type("done milk")
            let cleo = try workspace.startPeer()
            for peer in [ann, bob, cleo] { #expect(try peer.shows("[x] milk: Buy milk")) }
        }

        /// A note that is no note does not fit the model: the peers say so, and follow again when it was repaired.
        @Test func aDocumentThatDoesNotFitCanBeRepaired() async throws {
            let ann = try workspace.startPeer()
            try ann.type("add milk Buy milk")
            #expect(try ann.hasStatus("live"))
            let stranger = UUID()
            let log = try LogClient(at: workspace.socket)
            func append(_ number: Int, _ value: String) async throws {
                let content = "{\"edits\":[{\"set\":[\"notes\",\"milk\"],\"value\":\(value)}]}"
                try await log.append([LogEntry(replica: stranger, number: number, version: 1, content: content)])
            }
            try await append(1, "1")
            #expect(try ann.hasStatus("refused: the document does not fit the model"))
            try await append(2, "{\"text\":\"Buy tea\",\"isDone\":true}")
            #expect(try ann.shows("[x] milk: Buy tea"))
        }

        @Test func aPersonIsAskedForCommands() throws {
            let ann = try Program(["peer", workspace.socket], isOnTerminal: true)
            try ann.type("add milk Buy milk", "help", "status now", "done nothing", "show", "quit")
            #expect(ann.wait(for: "> + milk: Buy milk"))
            #expect(ann.wait(for: "> add NAME TEXT    adds a note, or replaces the note with this name"))
            #expect(ann.wait(for: "> unknown command: status now; help lists the commands"))
            #expect(ann.wait(for: "> no note nothing"))
            #expect(ann.wait(for: "> [ ] milk: Buy milk"))
            #expect(try ann.end().exitCode == 0)
        }

        @Test func whatOthersDoAppearsAboveThePrompt() throws {
            let ann = try Program(["peer", workspace.socket], isOnTerminal: true)
            let bob = try workspace.startPeer()
            try ann.type("status")
            #expect(ann.wait { $0.hasPrefix("> live") })
            try bob.type("add milk Buy milk")
            #expect(ann.wait { $0.hasSuffix("\r\u{1B}[K+ milk: Buy milk") })
        }
    }
}
