// The notes in several processes: connected, disconnected, and killed.

import FileLog
import Foundation
import ReactiveSync
import SyncTestSupport
import Testing

extension ReplicasTests {
    @Suite(.timeLimit(.minutes(15))) struct PeerTests {
        private let workspace: Workspace

        init() throws {
            workspace = try Workspace()
            try workspace.startLog()
        }

        @Test func twoProcessesShareOneModel() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(ann.wait(for: "added    milk: Buy milk") && bob.wait(for: "added    milk: Buy milk"))

            // Offline, both continue; online again, both have all changes.
            try ann.type("offline", "text milk Buy oat milk", "add bread Buy bread")
            #expect(ann.wait(for: "changed  milk: Buy oat milk") && ann.wait(for: "added    bread: Buy bread"))
            try bob.type("done milk")
            #expect(bob.wait(for: "done     milk"))
            try ann.type("status")
            #expect(ann.wait { $0.hasPrefix("offline since ") && $0.hasSuffix(": 2 changes still to be sent") })
            try ann.type("online")
            for peer in [ann, bob] { #expect(try peer.shows("[ ] bread  Buy bread", "[x] milk   Buy oat milk")) }

            // A later peer gets everything.
            let cleo = try workspace.startPeer()
            #expect(try cleo.shows("[ ] bread  Buy bread", "[x] milk   Buy oat milk"))
        }

        @Test func changesOfOneTextAreMerged() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk today")
            #expect(bob.wait(for: "added    milk: Buy milk today"))
            try ann.type("offline", "text milk Buy oat milk today")
            #expect(ann.wait(for: "changed  milk: Buy oat milk today"))
            try bob.type("text milk Buy milk tomorrow")
            #expect(bob.wait(for: "changed  milk: Buy milk tomorrow"))
            try ann.type("online")
            for peer in [ann, bob] { #expect(try peer.shows("[ ] milk  Buy oat milk tomorrow")) }
        }

        @Test func aChangeOfARemovedNoteIsReportedToItsAuthor() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "added    milk: Buy milk"))
            try ann.type("offline", "text milk Buy soy milk")
            #expect(ann.wait(for: "changed  milk: Buy soy milk"))
            try bob.type("remove milk")
            #expect(try bob.wait(for: "removed  milk") && bob.hasStatus("live"))
            try ann.type("online")
            #expect(ann.wait(for: "removed  milk"))
            #expect(ann.wait(for: #"dropped  milk: your text "Buy soy milk"; the note was removed"#))
        }

        @Test func bothPeersContinueWhileTheLogIsDown() throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "added    milk: Buy milk"))
            workspace.killLog()
            try ann.type("done milk")
            try bob.type("add tea Buy tea")
            #expect(ann.wait(for: "done     milk") && bob.wait(for: "added    tea: Buy tea"))
            // An entry that the log was writing.
            let file = try FileHandle(forWritingTo: workspace.file)
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"entries\":{\"of\":[{\"rep".utf8))
            try workspace.startLog()
            for peer in [ann, bob] { #expect(try peer.shows("[x] milk  Buy milk", "[ ] tea   Buy tea")) }
        }

        /// A peer is killed offline; its journal has the change, which is sent by the next process.
        @Test func pendingChangesSurviveInTheJournal() async throws {
            let journal = workspace.path("journal")
            let (ann, bob) = (try workspace.startPeer("--journal", journal), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(bob.wait(for: "added    milk: Buy milk"))
            try ann.type("offline", "done milk", "add tea Buy tea")
            #expect(ann.wait(for: "added    tea: Buy tea"))
            while try !journalContains("Buy tea", at: journal) { await Task.yield() }
            ann.kill()
            try bob.type("text milk Buy oat milk")
            #expect(bob.wait(for: "changed  milk: Buy oat milk"))

            let again = try workspace.startPeer("--journal", journal)
            for peer in [again, bob] { #expect(try peer.shows("[x] milk  Buy oat milk", "[ ] tea   Buy tea")) }
        }

        /// Whether a text is in the journal's files.
        private func journalContains(_ text: String, at path: String) throws -> Bool {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.lastPathComponent.hasPrefix("journal") }
                .contains { (try? Data(contentsOf: $0).range(of: Data(text.utf8))) != nil }
        }

        @Test func aPeerWithAJournalStartsWithoutTheLog() throws {
            let journal = workspace.path("journal")
            let ann = try workspace.startPeer("--journal", journal)
            try ann.type("add milk Buy milk")
            #expect(try ann.end().exitCode == 0)
            workspace.killLog()

            let offline = try workspace.startPeer("--journal", journal)
            #expect(try offline.shows("[ ] milk  Buy milk"))
            try offline.type("done milk")
            let outcome = try offline.end()
            #expect(outcome.exitCode == 0)
            #expect(outcome.output.dropLast().last?.hasSuffix(": 1 change still to be sent") == true)
            #expect(
                outcome.output.last
                    == "The journal keeps unsent changes. The next peer with this journal sends them.")

            try workspace.startLog()
            let bob = try workspace.startPeer()
            let again = try workspace.startPeer("--journal", journal)
            for peer in [again, bob] { #expect(try peer.shows("[x] milk  Buy milk")) }
        }

        /// The log has pruned entries that a peer has missed. The peer has a change of its own.
        @Test func aPeerThatWasOfflineStartsWithTheSnapshot() async throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try bob.type("offline", "add tea Buy tea")
            #expect(bob.wait(for: "added    tea: Buy tea"))
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
                #expect(try peer.shows("[ ] milk  1000 \(text)", "[ ] tea   Buy tea"))
            }
        }

        @Test func changesOfOthersDoNotMoveTheCursor() async throws {
            let ann = try workspace.startPeer()
            let content = #"{"edits":[{"set":["notes","a\nb"],"value":{"text":"\u001b[2J\r\u0007","isDone":false}}]}"#
            let log = try LogClient(at: workspace.socket)
            try await log.append([LogEntry(replica: UUID(), number: 1, version: 1, content: content)])
            #expect(ann.wait(for: "added    a·b: ·[2J··"))
            #expect(try ann.shows("[ ] a·b  ·[2J··"))
        }

        @Test func aPeerReportsChangesThatItCouldNotSend() throws {
            let ann = try workspace.startPeer()
            try ann.type("offline", "add milk Buy milk")
            let outcome = try ann.end()
            #expect(outcome.exitCode == 1)
            #expect(outcome.output.dropLast().last?.hasSuffix(": 1 change still to be sent") == true)
            #expect(outcome.output.last == "Unsent changes are lost. With --journal FILE, a peer keeps them.")
        }

        @Test func aPeerWithNothingToSendLosesNothingOffline() throws {
            let ann = try workspace.startPeer()
            try ann.type("add milk Buy milk")
            #expect(try ann.hasStatus("live"))
            try ann.type("offline")
            let outcome = try ann.end()
            #expect(outcome.exitCode == 0)
            #expect(outcome.output.last?.hasSuffix(": 0 changes still to be sent") == true)
        }

        @Test func aPersonIsGreetedWithTheNumberOfNotes() throws {
            let ann = try workspace.startPeer()
            try ann.type("add milk Buy milk")
            #expect(try ann.hasStatus("live"))
            let bob = try Program(["peer", workspace.socket], isOnTerminal: true)
            #expect(bob.readLine() == "added    milk: Buy milk")
            #expect(bob.readLine() == "You share 1 note at \(workspace.socket). What others change appears here.")
        }

        @Test func aScriptIsSentBeforeThePeerEnds() throws {
            let ann = try workspace.startPeer()
            for number in 0..<200 { try ann.type("add note\(number) Text") }
            try ann.type("quit")
            #expect(try ann.end().exitCode == 0)
            let bob = try workspace.startPeer()
            #expect(bob.wait(for: "added    note199: Text"))
        }

        @Test func aPeerWithoutALogAndAJournalDoesNotStart() throws {
            workspace.killLog()
            let socket = workspace.socket
            let outcome = try workspace.startPeer().end()
            #expect(outcome.exitCode == 1)
            #expect(
                outcome.output == [
                    "Replicas: no log listens at \(socket). Start it first: Replicas log \(socket) FILE"
                ])
        }

        /// The log contains entries that no replica creates, and the peers continue.
        @Test func invalidEntriesOfOthersDoNotStopAPeer() async throws {
            let (ann, bob) = (try workspace.startPeer(), try workspace.startPeer())
            try ann.type("add milk Buy milk")
            #expect(ann.wait(for: "added    milk: Buy milk") && bob.wait(for: "added    milk: Buy milk"))
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
            for peer in [ann, bob, cleo] { #expect(try peer.shows("[x] milk  Buy milk")) }
        }

        /// An invalid note does not fit the model: the peers report it, and follow again after the repair.
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
            #expect(try ann.shows("[x] milk  Buy tea"))
        }

        @Test func aPersonIsGreetedAndAskedForCommands() throws {
            let ann = try Program(["peer", workspace.socket], isOnTerminal: true)
            #expect(ann.readLine() == "You share notes at \(workspace.socket). What others change appears here.")
            #expect(
                ann.readLine() == #"Type "add milk Buy milk" to add a note. "help" lists the commands, "quit" ends."#)
            try ann.type("add milk Buy milk", "help", "status now", "frob", "done nothing", "show", "quit")
            #expect(ann.readLine() == "> added    milk: Buy milk")
            #expect(ann.readLine() == "> add NAME TEXT   adds a note, or replaces the one of this name")
            #expect(ann.wait(for: "quit            ends, as does the end of the input"))
            #expect(ann.readLine() == "> write it as: status")
            #expect(ann.readLine() == "> there is no command frob; help lists the commands")
            #expect(ann.readLine() == "> there is no note nothing; show prints all notes")
            #expect(ann.readLine() == "> [ ] milk  Buy milk")
            #expect(ann.readLine() == "1 note, 0 done")
            #expect(try ann.end().exitCode == 0)
        }

        /// Neither a greeting nor a prompt, so that a script gets the answers and nothing else.
        @Test func aScriptGetsAnswersAlone() throws {
            let ann = try workspace.startPeer()
            try ann.type("show", "add milk Buy milk", "add bread Buy bread", "DONE milk", "show", "quit")
            let outcome = try ann.end()
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.output == [
                    "no notes; add milk Buy milk adds one", "added    milk: Buy milk", "added    bread: Buy bread",
                    "done     milk", "[ ] bread  Buy bread", "[x] milk   Buy milk", "2 notes, 1 done",
                ])
        }

        /// Each line after `> ` is a command, and the lines below it are its answer.
        @Test func theTranscriptInTheReadMeIsReal() throws {
            let readMe = try String(contentsOf: Self.readMe, encoding: .utf8)
            let transcript = try #require(readMe.components(separatedBy: "```").first { $0.hasPrefix("\n> ") })
            let ann = try workspace.startPeer()
            for line in transcript.split(separator: "\n").map(String.init) {
                if line == "> status" { continue }
                if line.hasPrefix("> ") {
                    try ann.type(String(line.dropFirst(2)))
                } else if line.hasPrefix("live: ") {
                    #expect(try ann.hasStatus(line))
                } else {
                    #expect(ann.readLine() == line)
                }
            }
        }

        private static var readMe: URL {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Examples/Replicas/README.md").standardized
        }

        @Test func changesOfOthersAppearAboveThePrompt() throws {
            let ann = try Program(["peer", workspace.socket], isOnTerminal: true)
            let bob = try workspace.startPeer()
            try ann.type("status")
            #expect(ann.wait { $0.hasPrefix("> live") })
            try bob.type("add milk Buy milk")
            #expect(ann.wait { $0.hasSuffix("\r\u{1B}[Kadded    milk: Buy milk") })
        }
    }
}
