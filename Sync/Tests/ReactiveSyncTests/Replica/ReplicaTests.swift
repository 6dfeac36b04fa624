// The behaviour of a replica for programs, with a log in memory.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import ReactiveSync
import SyncTestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ReplicaTests {
    typealias Board = SharedBoard

    let log = MemoryLog()

    /// A model, its replica, and the reports of the replica.
    final class Peer: Sendable {
        let board: Board
        let link: Link
        let replica: Replica<Board>
        private let found: Locked<[ReplicaConflict]>

        var conflicts: [ReplicaConflict] { found.withLock { $0 } }
        var json: JSONValue { get throws { try JSONValue(encoding: board) } }

        init(
            _ board: Board = Board(), _ link: Link, journal: URL? = nil,
            _ change: (inout ReplicaSettings) -> Void = { _ in }
        ) async throws {
            var settings = ReplicaSettings()
            settings.texts = Board.texts
            settings.firstPause = .milliseconds(1)
            settings.longestPause = .milliseconds(5)
            change(&settings)
            let found = Locked<[ReplicaConflict]>([])
            self.found = found
            self.board = board
            self.link = link
            replica = try await Replica(
                of: board, log: link, journal: journal, settings: settings, isolation: nil,
                onConflict: { conflict in found.withLock { $0.append(conflict) } })
        }

        func wait(for condition: @escaping (ReplicaStatus) -> Bool) async throws {
            let replica = replica
            try await when(isolation: nil) { condition(replica.status) }
        }
    }

    private func pair(_ board: Board = .sample()) async throws -> (Peer, Peer) {
        (try await Peer(board, log.link()), try await Peer(Board(), log.link()))
    }

    /// Waits until all peers have all changes.
    private func synchronise(_ peers: Peer...) async throws {
        for peer in peers { try await peer.replica.synchronised() }
        for peer in peers { try await peer.replica.synchronised() }
    }

    /// Returns two replicas whose second one has changed its model while it was offline, after the first one has.
    private func afterConcurrentChanges(
        _ board: Board, _ first: (Board) -> Void, _ second: (Board) -> Void
    ) async throws -> [Peer] {
        let (a, b) = try await pair(board)
        try await synchronise(a, b)
        b.link.isReachable = false
        inTransaction { first(a.board) }
        inTransaction { second(b.board) }
        try await a.replica.synchronised()
        b.link.isReachable = true
        try await synchronise(a, b)
        return [a, b]
    }

    @Test(arguments: [0, 1, 8]) func manyNewMembersAreNoConflictWithOneOfAnother(existing: Int) async throws {
        let board = Board.sample()
        for number in 0..<existing { board.votes["old \(number)"] = number }
        let peers = try await afterConcurrentChanges(board) { board in
            board.votes["a"] = 1
        } _: { board in
            for number in 0..<20 { board.votes["b\(number)"] = number }
            board.votes["old 0"] = nil
        }
        for peer in peers {
            #expect(peer.board.votes["a"] == 1)
            #expect(peer.board.votes.count == 21 + max(0, existing - 1))
            #expect(peer.conflicts.isEmpty)
        }
    }

    @Test func manyNewElementsOfAnEmptyArrayAreNoConflictWithOneOfAnother() async throws {
        let board = Board(columns: [Board.Column(id: "empty")])
        let peers = try await afterConcurrentChanges(board) { board in
            board.columns[0].cards.append(Board.Card(id: 1))
        } _: { board in
            board.columns[0].cards.append(contentsOf: (2...6).map { Board.Card(id: $0) })
        }
        for peer in peers {
            #expect(peer.board.columns[0].cards.map(\.id).sorted() == [1, 2, 3, 4, 5, 6])
            #expect(peer.conflicts.isEmpty)
        }
        try #expect(peers[0].json == peers[1].json)
    }

    // MARK: - Sharing

    /// A log that returns none of its snapshots.
    private struct ForgetfulLog: ReplicaLog {
        func start(of replica: UUID) -> LogStart { LogStart(snapshot: nil, end: 0, lastNumber: 0) }
        func entries(after position: Int, limit: Int) -> [LogEntry] { [] }
        func waitForEntries(after position: Int) {}
        func append(_ entries: [LogEntry]) {}
        func save(_ snapshot: LogSnapshot) {}
    }

    @Test func aLogThatKeepsNoSnapshotIsRefused() async throws {
        await #expect(throws: ReplicaError.self) {
            _ = try await Replica(of: Board.sample(), log: ForgetfulLog(), isolation: nil)
        }
    }

    @Test func theFirstReplicaCreatesTheDocumentAndTheOthersReceiveIt() async throws {
        let (first, second) = try await pair()
        #expect(second.board.columns.count == 3)
        try #expect(first.json == second.json)
        #expect(first.replica.status == .live)
    }

    @Test func aTransactionIsReceivedAsOneChange() async throws {
        let (first, second) = try await pair()
        let seen = Locked<[String]>([])
        let watching = reaction { [board = second.board] in
            "\(board.title), \(board.columns[0].cards.count)"
        } onChange: { text in
            seen.withLock { $0.append(text) }
        }
        defer { watching.cancel() }
        inTransaction {
            first.board.title = "New"
            first.board.columns[0].cards.append(Board.Card(id: 100))
        }
        try await synchronise(first, second)
        #expect(first.replica.status == .live)
        #expect(seen.withLock { $0 } == ["New, 5"])
        try #expect(first.json == second.json)
        #expect(log.table.history.count == 1)
        #expect(first.replica.lastNumber == 1)
    }

    @Test func aReplicaIsSynchronisedOnlyAtTheEndOfALogWithSmallPages() async throws {
        let (first, second) = try await pair()
        second.link.pageSize = 1
        second.link.isReachable = false
        for title in ["One", "Two", "Three", "Four"] {
            first.board.title = title
            try await first.replica.synchronised()
        }
        second.link.isReachable = true
        try await second.replica.synchronised()
        #expect(second.board.title == "Four")
    }

    @Test func aTransactionCountsOnceUntilItIsReadBack() async throws {
        let (first, _) = try await pair()
        let seen = Locked<[ReplicaStatus]>([])
        let watching = reaction(isolation: nil) { [replica = first.replica] in
            replica.status
        } onChange: { status in
            seen.withLock { $0.append(status) }
        }
        defer { watching.cancel() }
        first.board.title = "New"
        try await first.replica.synchronised()
        try await first.wait { $0 == .live }
        #expect(seen.withLock { $0 } == [.behind(1), .live])
    }

    @Test func concurrentInsertionsAndRemovalsAreNoConflict() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        second.link.isReachable = false
        let card = first.board.columns[0].cards[2]
        card.title = "Third"
        first.board.votes["a"] = 1
        second.board.columns[0].cards.remove(at: 0)
        second.board.columns.remove(at: 1)
        second.board.columns[0].cards.insert(Board.Card(id: 50), at: 0)
        second.board.votes["b"] = 2
        second.link.isReachable = true
        try await second.replica.synchronised()
        first.link.isReachable = true
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.columns.map(\.id) == ["c0", "c2"])
        #expect(first.board.columns[0].cards.map(\.id) == [50, 1, 2, 3])
        #expect(second.board.columns[0].cards[id: 2]?.title == "Third")
        #expect(first.board.votes["a"] == 1 && first.board.votes["b"] == 2)
        #expect(first.conflicts.isEmpty && second.conflicts.isEmpty)
        // The object in the array is the one that the program has had from the beginning.
        card.title = "Known"
        #expect(first.board.columns[0].cards[id: 2]?.title == "Known")
    }

    @Test func textsAreMergedAndOtherStringsTakeTheLaterValue() async throws {
        let board = Board()
        board.note = "buy milk and bread"
        let (first, second) = try await pair(board)
        first.link.isReachable = false
        first.board.note = "buy oat milk and bread"
        first.board.title = "First"
        second.board.note = "buy milk and dark bread"
        second.board.title = "Second"
        try await second.replica.synchronised()
        first.link.isReachable = true
        try await synchronise(first, second)
        #expect(second.board.note == "buy oat milk and dark bread")
        #expect(second.board.title == "First")
        try #expect(first.json == second.json)
        #expect(first.conflicts.isEmpty && second.conflicts.isEmpty)
    }

    @Test func aCardThatBothMoveAppearsOnce() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        func move(_ board: Board, to column: Int) {
            inTransaction {
                if let card = board.columns[0].cards.remove(id: 1) { board.columns[column].cards.append(card) }
            }
        }
        move(first.board, to: 1)
        move(second.board, to: 2)
        try await second.replica.synchronised()
        first.link.isReachable = true
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.columns.map { $0.cards.contains(id: 1) } == [false, false, true])
        #expect(first.conflicts.count == 1)
    }

    // MARK: - Unchanged state

    @Test func aRestoredValueRunsNoReaction() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        let own = Board.Card(id: 77, title: "Own")
        first.board.columns[0].cards.append(own)
        second.board.columns[0].cards.append(Board.Card(id: 88, title: "Theirs"))
        try await second.replica.synchronised()
        let runs = Locked(0)
        let watching = reaction { [board = first.board] in
            board.columns[0].cards[id: 77]?.title
        } onChange: { _ in
            runs.withLock { $0 += 1 }
        }
        defer { watching.cancel() }
        first.link.isReachable = true
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.columns[0].cards.suffix(2).map(\.id) == [88, 77])
        #expect(runs.withLock { $0 } == 0)
        own.title = "The same object"
        #expect(first.board.columns[0].cards[id: 77]?.title == "The same object")
    }

    @Test func aWriteOfAReactionIsAChangeOfItsReplica() async throws {
        let (first, second) = try await pair()
        let answering = reaction { [board = second.board] in
            board.title
        } onChange: { [board = second.board] title in
            board.votes["length"] = title.count
        }
        defer { answering.cancel() }
        first.board.title = "Seven.."
        try await synchronise(first, second, first)
        #expect(first.board.votes["length"] == 7)
        try #expect(first.json == second.json)
        #expect(log.table.history.count == 2)
    }

    // MARK: - Conflicts

    @Test func aChangeOfARemovedElementIsReportedOnce() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        inTransaction {
            first.board.columns[0].cards[1].title = "Changed"
            first.board.title = "Kept"
        }
        second.board.columns[0].cards.remove(at: 1)
        try await second.replica.synchronised()
        first.link.isReachable = true
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.columns[0].cards.map(\.id) == [0, 2, 3])
        #expect(second.board.title == "Kept", "only the part that does not fit is dropped")
        let conflict = try #require(first.conflicts.first)
        #expect(first.conflicts.count == 1 && second.conflicts.isEmpty)
        #expect(conflict.number == 1)
        #expect(conflict.dropped.map(\.path) == [#"/columns/{"id":"c0"}/cards/{"id":1}/title"#])
        #expect(conflict.dropped.first?.value == "Changed")
    }

    @Test func overlappingTextsAreReportedWithTheText() async throws {
        let board = Board()
        board.note = "buy milk"
        let (first, second) = try await pair(board)
        first.link.isReachable = false
        first.board.note = "buy bread"
        second.board.note = "buy honey"
        try await second.replica.synchronised()
        first.link.isReachable = true
        try await synchronise(first, second)
        #expect(first.board.note == "buy honey")
        #expect(first.conflicts.first?.dropped.first?.value == "buy bread")
    }

    @Test func aTransactionThatIsTooLargeIsRolledBackAndReported() async throws {
        let first = try await Peer(.sample(), log.link()) { $0.limits.entryByteCount = 1_000 }
        let second = try await Peer(Board(), log.link()) { $0.limits.entryByteCount = 1_000 }
        first.board.title = String(repeating: "x", count: 2_000)
        first.board.votes["small"] = 1
        try await synchronise(first, second)
        #expect(first.conflicts.count == 1)
        #expect(first.conflicts.first?.dropped.first?.path == "/title")
        #expect(first.board.title == "")
        #expect(second.board.votes["small"] == 1)
        try #expect(first.json == second.json)
    }

    // MARK: - Offline

    @Test func aReplicaWorksOfflineAndReconnects() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        for number in 0..<5 { first.board.votes["k\(number)"] = number }
        try await first.wait { if case .offline(_, 5) = $0 { true } else { false } }
        first.link.isReachable = true
        try await synchronise(first, second)
        #expect(first.replica.status == .live)
        try #expect(first.json == second.json)
    }

    @Test func aReplicaWithoutALogAndAJournalDoesNotStart() async throws {
        let link = log.link()
        link.isReachable = false
        await #expect(throws: Link.Disconnected.self) { _ = try await Peer(Board(), link) }
    }

    @Test func aReplicaTriesAgainAfterARefusal() async throws {
        let first = try await Peer(.sample(), log.link())
        first.link.refusal = .refused("no right to write")
        first.board.title = "Pending"
        try await first.wait { $0 == .refused(.log("no right to write")) }
        await #expect(throws: ReplicaError.refused(.log("no right to write"))) {
            try await first.replica.synchronised()
        }
        first.link.refusal = nil
        try await first.wait { $0 == .live }
        #expect(log.table.history.count == 1)
    }

    // MARK: - Versions and documents that do not fit

    @Test func anUnknownVersionStopsTheReplicaBeforeItWrites() async throws {
        let old = try await Peer(.sample(), log.link())
        let new = try await Peer(Board(), log.link()) { $0.versions = 1...2 }
        new.board.title = "From the future"
        try await new.replica.synchronised()
        try await old.wait { $0 == .refused(.unknownVersion(2)) }
        #expect(old.board.title == "")
        old.board.title = "Not sent"
        await #expect(throws: ReplicaError.refused(.unknownVersion(2))) { try await old.replica.synchronised() }
        #expect(log.table.history.count == 1)
        await #expect(throws: ReplicaError.refused(.unknownVersion(2))) { _ = try await Peer(Board(), log.link()) }
    }

    @Test func membersThatTheTypeDoesNotHaveStayInTheDocument() async throws {
        let (first, second) = try await pair()
        let content = """
            {"edits":[{"set":["subtitle"],"value":"of a newer program"},{"set":["title"],"value":"New"},
            {"set":["columns",{"id":"c0"},"color"],"value":"red"},
            {"set":["columns",{"id":"c1"},"color"],"value":"blue"}]}
            """
        try log.change { try $0.append([LogEntry(replica: UUID(), number: 1, version: 1, content: content)]) }
        first.board.votes["a"] = 1
        try await synchronise(first, second)
        #expect(first.board.title == "New" && second.board.title == "New")
        second.board.columns.move(fromOffsets: [0], toOffset: 2)
        try await synchronise(second, first)
        #expect(first.board.columns.map(\.id) == ["c1", "c0", "c2"])
        try #expect(first.json == second.json)
        #expect(first.replica.status == .live)
        // A newer program finds the members that it wrote.
        struct Newer: Codable, Sendable {
            @Observable var subtitle = ""
            @Observable var title = ""
        }
        let newer = Newer()
        let replica = try await Replica(of: newer, log: log.link(), isolation: nil)
        #expect(newer.subtitle == "of a newer program")
        await replica.end()
    }

    @Test func anInvalidEntryHasNoEffect() async throws {
        let (first, second) = try await pair()
        let contents = ["", "[]", "{\"edits\":[{\"oops\":1}]}", String(repeating: "[", count: 5_000)]
        let stranger = UUID()
        try log.change { table in
            for (index, content) in contents.enumerated() {
                try table.append([LogEntry(replica: stranger, number: index + 1, version: 1, content: content)])
            }
        }
        first.board.title = "After them"
        try await synchronise(first, second)
        #expect(second.board.title == "After them")
        try #expect(first.json == second.json)
    }

    @Test func overwritingRepairsADocumentThatDoesNotFitTheModel() async throws {
        let (first, second) = try await pair()
        let content = #"{"edits":[{"set":["title"],"value":{"no":"text"}}]}"#
        try log.change { try $0.append([LogEntry(replica: UUID(), number: 1, version: 1, content: content)]) }
        for peer in [first, second] {
            try await peer.wait { if case .refused(.unfit) = $0 { true } else { false } }
        }
        second.board.votes["meanwhile"] = 1
        first.board.title = "Repaired"
        for peer in [first, second] { try await peer.wait { $0 == .live } }
        #expect(second.board.title == "Repaired")
        #expect(first.board.votes["meanwhile"] == 1)
        try #expect(first.json == second.json)
    }

    // MARK: - Snapshots

    @Test func newReplicasStartWithSavedSnapshots() async throws {
        let first = try await Peer(.sample(), log.link()) { $0.entriesPerSnapshot = 10 }
        for number in 0..<35 {
            first.board.votes["k\(number)"] = number
            try await first.replica.synchronised()
        }
        while (log.table.snapshots.last?.position ?? 0) < 30 { await Task.yield() }
        log.change { $0.prune() }
        #expect(log.table.entries.count == 5)
        let second = try await Peer(Board(), log.link())
        try #expect(first.json == second.json)
    }

    @Test func aReplicaThatWasOfflineForTooLongStartsWithASnapshot() async throws {
        let (first, second) = try await pair()
        first.link.isReachable = false
        first.board.title = "Pending"
        second.board.votes["a"] = 1
        second.board.columns[0].cards.remove(at: 0)
        try await second.replica.synchronised()
        let text = try second.json.description
        log.change {
            $0.save(LogSnapshot(position: $0.end, version: 1, content: text))
            $0.prune()
        }
        first.link.isReachable = true
        try await synchronise(first, second)
        #expect(second.board.title == "Pending")
        try #expect(first.json == second.json)
    }

    // MARK: - Pruned entries

    /// A link that passes calls and loses their answers while a flag is set.
    private func deafLink() -> (Link, Locked<Bool>) {
        let isDeaf = Locked(false)
        return (log.link { isDeaf.withLock { $0 } ? .lostAfter : nil }, isDeaf)
    }

    /// Saves a peer's present state as a snapshot, and prunes the entries before it.
    private func prune(_ peer: Peer) throws {
        let text = try peer.json.description
        log.change {
            $0.save(LogSnapshot(position: $0.end, version: 1, content: text))
            $0.prune()
        }
    }

    @Test func changesWithUnknownOutcomeBeforeASnapshotAreReported() async throws {
        let (link, isDeaf) = deafLink()
        let (first, second) = (try await Peer(.sample(), link), try await Peer(Board(), log.link()))
        isDeaf.withLock { $0 = true }
        second.board.columns[0].cards.remove(at: 1)
        try await second.replica.synchronised()
        inTransaction {
            first.board.columns[0].cards[1].title = "Changed"
            first.board.title = "Draft"
        }
        first.board.title = "Shown"
        while log.table.end < 3 { await Task.yield() }
        try await second.replica.synchronised()
        try prune(second)
        isDeaf.withLock { $0 = false }
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.title == "Shown")
        let conflict = try #require(first.conflicts.first)
        #expect(first.conflicts.count == 1 && second.conflicts.isEmpty)
        #expect(conflict.number == 1 && conflict.isOutcomeUnknown)
        #expect(conflict.dropped.map(\.path) == [#"/columns/{"id":"c0"}/cards/{"id":1}/title"#])
        #expect(conflict.dropped.first?.value == "Changed")
    }

    @Test func changesOverwrittenBeforeASnapshotAreReported() async throws {
        let (link, isDeaf) = deafLink()
        let (first, second) = (try await Peer(.sample(), link), try await Peer(Board(), log.link()))
        isDeaf.withLock { $0 = true }
        first.board.title = "First"
        while log.table.end < 1 { await Task.yield() }
        try await second.replica.synchronised()
        second.board.title = "Second"
        try await second.replica.synchronised()
        try prune(second)
        isDeaf.withLock { $0 = false }
        try await synchronise(first, second)
        #expect(first.board.title == "Second")
        #expect(first.conflicts.map(\.isOutcomeUnknown) == [true])
        #expect(first.conflicts.first?.dropped.map(\.value) == ["First"])
    }

    @Test func droppedChangesAfterASnapshotAreReported() async throws {
        let (link, isDeaf) = deafLink()
        let (first, second) = (try await Peer(.sample(), link), try await Peer(Board(), log.link()))
        isDeaf.withLock { $0 = true }
        second.board.columns[0].cards.remove(at: 1)
        try await second.replica.synchronised()
        try prune(second)
        inTransaction {
            first.board.columns[0].cards[1].title = "Changed"
            first.board.title = "First"
        }
        while log.table.end < 2 { await Task.yield() }
        try await second.replica.synchronised()
        second.board.title = "Second"
        try await second.replica.synchronised()
        isDeaf.withLock { $0 = false }
        try await synchronise(first, second)
        try #expect(first.json == second.json)
        #expect(first.board.title == "Second", "being overwritten later is no conflict")
        #expect(first.conflicts.map(\.isOutcomeUnknown) == [false])
        #expect(first.conflicts.first?.dropped.map(\.value) == ["Changed"])
    }

    // MARK: - Ending

    @Test func anEndedReplicaSharesNothing() async throws {
        let (first, second) = try await pair()
        await first.replica.end()
        await first.replica.end()
        first.board.title = "Alone"
        second.board.votes["a"] = 1
        try await second.replica.synchronised()
        #expect(second.board.title == "" && first.board.votes["a"] == nil)
        await #expect(throws: ReplicaError.ended) { try await first.replica.synchronised() }
    }

    @Test func aReleasedReplicaReleasesItsModel() async throws {
        final class Model: Codable, @unchecked Sendable {
            @Observable var title = ""
        }
        let log = MemoryLog()
        weak var released: Model?
        do {
            let model = Model()
            released = model
            let replica = try await Replica(of: model, log: log.link(), isolation: nil)
            model.title = "Changed"
            try await replica.synchronised()
        }
        while released != nil { await Task.yield() }
    }

    @Test func waitingEndsWhenTheTaskIsCancelled() async throws {
        let first = try await Peer(.sample(), log.link())
        first.link.isReachable = false
        first.board.title = "Pending"
        let waiting = Task { try await first.replica.synchronised() }
        try await first.wait { if case .offline = $0 { true } else { false } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    // MARK: - Isolation

    @MainActor final class Screen: @MainActor Codable {
        @Observable var text = ""
        @Observable var count = 0
        nonisolated init() {}
    }

    @Test @MainActor func aModelOfTheMainActorIsUsedOnlyThere() async throws {
        let (here, there) = (Screen(), Screen())
        let shared = try await Replica(of: here, log: log.link())
        let followed = try await Replica(of: there, log: log.link())
        let watching = reaction {
            there.text
        } onChange: { _ in
            MainActor.preconditionIsolated()
        }
        defer { watching.cancel() }
        here.text = "Hello"
        try await shared.synchronised()
        try await followed.synchronised()
        #expect(there.text == "Hello")
    }
}
