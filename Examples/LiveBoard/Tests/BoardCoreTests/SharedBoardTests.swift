// Two servers with one board in a log. BoardServerTests covers the connection to a real database.

import BoardCore
import Foundation
import ReactiveCodable
import ReactiveSync
import Testing

@Suite(.timeLimit(.minutes(15))) struct SharedBoardTests {
    private let log = MemoryLog().link()

    /// Longer than any pause of a busy machine.
    private static let patience = Duration.seconds(600)

    /// - Parameter patience: Short only if the test is about its end.
    private func session(
        in log: (any ReplicaLog)? = nil, patience: Duration = patience
    ) async throws -> Session {
        try await Session(named: "board", in: .log(log ?? self.log, patience: patience))
    }

    private func withTwoServers(_ body: (Session, Session) async throws -> Void) async throws {
        let (a, b) = (try await session(), try await session())
        try await body(a, b)
        // Acknowledged commands of the last one reach the other one.
        for session in [a, b] { try await session.save() }
        #expect(try await board(a) == board(b))
        for session in [a, b] { try await session.close() }
    }

    private func board(_ session: Session) async throws -> JSONValue {
        try JSONValue(parsing: await session.contents())
    }

    /// Returns the cards of each column.
    private func cards(_ session: Session) async throws -> [[String]] {
        let board = try JSONDecoder().decode(Board.self, from: await session.contents())
        return board.columns.map { $0.cards.map(\.id.description) }
    }

    private func id(_ text: String) -> ItemID { ItemID(text)! }

    @Test func theOtherServerShowsAnAcknowledgedCommand() async throws {
        try await withTwoServers { a, b in
            try await a.carryOut(.addCard(card: id("new"), column: id("doing"), title: "New"), id: CommandID("ann-1"))
            // Bob sees the change that was acknowledged to Ann.
            try await b.carryOut(.setDone(card: id("new"), isDone: true), id: CommandID("bob-1"))
            try await a.carryOut(.moveCard(card: id("new"), column: id("done"), before: id("start")))
            try await b.carryOut(.removeCard(card: id("new")))
            try await a.carryOut(.restoreCard(card: id("new")))
            #expect(try await cards(a) == [["try", "drag", "edit"], ["kill"], ["new", "start"]])
            #expect(await a.page.markup.contains("id=\"card-new\" class=\"card done\""))
        }
    }

    @Test func aCommandSentToBothServersRunsOnce() async throws {
        try await withTwoServers { a, b in
            let tick = Command.setDone(card: id("try"), isDone: true)
            try await a.carryOut(tick, id: CommandID("ann-1"))
            try await b.carryOut(.setDone(card: id("try"), isDone: false), id: CommandID("bob-1"))
            try await b.carryOut(tick, id: CommandID("ann-1"))
            #expect(await !b.page.markup.contains("id=\"card-try\" class=\"card done\""))
            try await b.carryOut(tick, id: CommandID("ann-2"))
            try await a.carryOut(.setDone(card: id("try"), isDone: false), id: CommandID("bob-2"))
            try await a.carryOut(tick, id: CommandID("ann-2"))
            #expect(await !a.page.markup.contains("id=\"card-try\" class=\"card done\""))
        }
    }

    @Test func changesOfOthersArePublishedLikeCommands() async throws {
        try await withTwoServers { a, b in
            var seen: Position?
            func news() async throws -> [PageUpdate] {
                let messages = await b.messages(after: seen)
                seen = messages.last?.position ?? seen
                return try messages.map { try JSONDecoder().decode(PageUpdate.self, from: Data($0.json.utf8)) }
            }
            _ = try await news()
            try await a.carryOut(.moveCard(card: id("try"), column: id("done"), before: nil))
            var updates: [PageUpdate] = []
            while updates.isEmpty { updates = try await news() }
            // One update: the card is in a different column, and never missing.
            #expect(updates.count == 1 && updates[0].removed.isEmpty)
            #expect(updates[0].placed == [Placement("card-try", in: "cards-done", after: "card-start")])
            #expect(updates[0].html.keys.sorted() == ["head-done", "head-to-do"])
        }
    }

    /// Sends commands of two servers about the same card, neither of which can know the other.
    ///
    /// - Returns: The refusal of the second one.
    private func outcome(_ first: Command, _ second: Command) async throws -> Refusal? {
        let (firstLog, secondLog) = (GatedLog(log), GatedLog(log))
        // Separate pages: a board executes each number of a page once.
        let (ann, bob) = (CommandID("\(UUID())-1"), CommandID("\(UUID())-1"))
        let (a, b) = (try await session(in: firstLog), try await session(in: secondLog))
        firstLog.isClosed = true
        secondLog.isClosed = true
        async let one: Void = a.carryOut(first, id: ann)
        async let other: Void = b.carryOut(second, id: bob)
        await firstLog.waitUntilAnAppendWaits()
        await secondLog.waitUntilAnAppendWaits()
        firstLog.isClosed = false
        try await one
        secondLog.isClosed = false
        var refusal: Refusal?
        do {
            try await other
        } catch let error as Refusal {
            refusal = error
            // If it is sent again, it is refused again.
            await #expect(throws: Refusal.self) { try await b.carryOut(second, id: bob) }
        }
        for session in [a, b] { try await session.save() }
        #expect(try await board(a) == board(b))
        let all = try await cards(a).joined()
        #expect(Set(all).count == all.count)
        for session in [a, b] { try await session.close() }
        return refusal
    }

    @Test func theSecondOfTwoMovesWins() async throws {
        let refusal = try await outcome(
            .moveCard(card: id("try"), column: id("doing"), before: nil),
            .moveCard(card: id("try"), column: id("done"), before: nil))
        #expect(refusal == nil)
        let session = try await session()
        #expect(try await cards(session) == [["drag", "edit"], ["kill"], ["start", "try"]])
        try await session.close()
    }

    @Test func aLateCommandIsRefusedWithAReason() async throws {
        let edit = Edit(from: "Drag me to “Doing”", to: "Drop me")
        #expect(
            try await outcome(.removeCard(card: id("try")), .setDone(card: id("try"), isDone: true))?.kind == .gone)
        #expect(
            try await outcome(
                .removeCard(card: id("edit")), .moveCard(card: id("edit"), column: id("done"), before: nil))?.kind
                == .gone)
        let refusal = try await outcome(
            .editCard(card: id("drag"), title: Edit(from: edit.base, to: "Draw me"), note: nil),
            .editCard(card: id("drag"), title: edit, note: nil))
        #expect(refusal?.kind == .conflict && refusal?.current == "Draw me")
        #expect(
            try await outcome(
                .removeCard(card: id("kill")), .addCard(card: id("new"), column: id("doing"), title: "New")) == nil)
    }

    @Test func aCardAddedToARemovedColumnKeepsTheColumn() async throws {
        let session = try await session()
        for column in ["a", "b"] {
            try await session.carryOut(.addColumn(column: id(column), title: "Empty"))
        }
        #expect(
            try await outcome(
                .addCard(card: id("early"), column: id("a"), title: "Early"), .removeColumn(column: id("a"))) == nil)
        #expect(
            try await outcome(
                .removeColumn(column: id("b")), .addCard(card: id("late"), column: id("b"), title: "Late")) == nil)
        try await session.save()
        let page = await session.page.markup
        #expect(page.contains("id=\"column-a\"") && page.contains("id=\"card-early\""))
        #expect(page.contains("id=\"column-b\"") && page.contains("id=\"card-late\""))
        try await session.close()
    }

    @Test func movingACardInTwoColumnsRemovesItFromBoth() async throws {
        let logs = (GatedLog(log), GatedLog(log))
        let (a, b) = (try await session(in: logs.0), try await session(in: logs.1))
        for log in [logs.0, logs.1] { log.isClosed = true }
        // No real page does that: each gives a card a new identity and one column.
        async let one: Void = a.carryOut(.addCard(card: id("new"), column: id("to-do"), title: "New"))
        async let other: Void = b.carryOut(.addCard(card: id("new"), column: id("done"), title: "New"))
        for log in [logs.0, logs.1] {
            await log.waitUntilAnAppendWaits()
            log.isClosed = false
        }
        _ = try await (one, other)
        let next = try await session()
        #expect(await next.page.markup.components(separatedBy: "id=\"card-new\"").count == 3)
        try await next.carryOut(.moveCard(card: id("new"), column: id("doing"), before: nil))
        try await a.save()
        #expect(try await cards(a) == [["try", "drag", "edit"], ["kill", "new"], ["start"]])
        for session in [a, b, next] { try await session.close() }
    }

    @Test func twoEditsOfOneTextAreMerged() async throws {
        let base = "Open this page in a second window"
        let refusal = try await outcome(
            .editCard(
                card: id("try"), title: Edit(from: base, to: "Please open this page in a second window"), note: nil),
            .editCard(card: id("try"), title: Edit(from: base, to: "Open this page in a third window"), note: nil))
        #expect(refusal == nil)
        let session = try await session()
        #expect(await session.page.markup.contains("<span class=\"title\">Please open this page in a third window"))
        try await session.close()
    }

    @Test func aServerReportsThatItsDatabaseIsMissing() async throws {
        let a = try await session(patience: .milliseconds(300))
        #expect(await a.page.markup.contains("<p id=\"trouble\" class=\"trouble\" role=\"status\" hidden></p>"))
        log.isReachable = false
        let command = Command.setDone(card: id("try"), isDone: true)
        do {
            try await a.carryOut(command, id: CommandID("ann-1"))
            Issue.record("the command was answered")
        } catch let problem as NotKept {
            #expect(problem.state == .notBegun && problem.isUnreachable)
        }
        while await !a.page.markup.contains("cannot reach its database") { await Task.yield() }
        #expect(await !a.page.markup.contains("id=\"card-try\" class=\"card done\""))
        log.isReachable = true
        while (try? await a.carryOut(command, id: CommandID("ann-1"))) == nil {}
        while await a.page.markup.contains("cannot reach its database") { await Task.yield() }
        #expect(await a.page.markup.contains("id=\"card-try\" class=\"card done\""))
        // Its time limit is short, for a machine that may be busy.
        try? await a.close()
    }

    @Test func aBoardIsUnloadedOnceEverythingIsSaved() async throws {
        let boards = Boards(limit: 1, patience: Self.patience) { [log] _ in log }
        let first = try await boards.session(named: "a")
        try await first.carryOut(.setDone(card: id("try"), isDone: true))
        log.isReachable = false
        // It cannot know whether its pending changes can be saved now.
        while await !first.page.markup.contains("cannot reach its database") { await Task.yield() }
        await #expect(throws: Boards.Problem.full) { try await boards.session(named: "b") }
        log.isReachable = true
        while (try? await boards.session(named: "b")) == nil { await Task.yield() }
        await #expect(throws: IsClosed.self) { try await first.perform(.setDone(card: id("try"), isDone: false)) }
        let problems = await boards.close()
        #expect(problems == [])
    }
}

/// A log that delays appends while it is closed.
private final class GatedLog: ReplicaLog {
    private struct State {
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let log: any ReplicaLog
    private let state = Locked(State())

    init(_ log: any ReplicaLog) { self.log = log }

    var isClosed: Bool {
        get { state.withLock { $0.isClosed } }
        set {
            let waiting = state.withLock { state in
                state.isClosed = newValue
                defer { if !newValue { state.waiting = [] } }
                return newValue ? [] : state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Waits until an append is delayed.
    func waitUntilAnAppendWaits() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.waiting.isEmpty { state.watchers.append(continuation) }
                return !state.waiting.isEmpty
            }
            if isWaiting { continuation.resume() }
        }
    }

    func append(_ entries: [LogEntry]) async throws {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                guard state.isClosed else { return (true, [CheckedContinuation<Void, Never>]()) }
                state.waiting.append(continuation)
                defer { state.watchers = [] }
                return (false, state.watchers)
            }
            if isOpen { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
        try await log.append(entries)
    }

    func start(of replica: UUID) async throws -> LogStart { try await log.start(of: replica) }

    func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        try await log.entries(after: position, limit: limit)
    }

    func waitForEntries(after position: Int) async throws { try await log.waitForEntries(after: position) }

    func save(_ snapshot: LogSnapshot) async throws { try await log.save(snapshot) }
}
