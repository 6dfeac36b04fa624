// Two servers with one database: each a process of its own, with users at both.

import Foundation
import ReactiveCodable
import Testing

@Suite(
    .serialized, .blocking, .timeLimit(.minutes(15)),
    .enabled(if: PostgresServer.isAvailable, "there is no PostgreSQL here; install its server"))
struct DatabaseTests {
    /// Returns the page of a board without the parts that differ between servers.
    private func board(_ server: ServerProcess) throws -> String {
        let page = try server.request("boards/welcome").body
        return page.components(separatedBy: "<main>").last?.components(separatedBy: "</main>").first ?? ""
    }

    /// Waits until both servers show the same board, and returns the page.
    private func commonBoard(_ a: ServerProcess, _ b: ServerProcess) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            let boards = (try board(a), try board(b))
            if boards.0 == boards.1, boards.0.contains("id=\"columns\"") { return boards.0 }
            guard ContinuousClock.now < deadline else {
                throw Browser.Failure(description: "the boards differ: \(boards.0)\n\(boards.1)")
            }
            await Task.yield()
        }
    }

    private func database() async throws -> String {
        let server = try await PostgresServer.shared()
        return server.connectionString(database: try await server.createDatabase())
    }

    @Test func twoServersShareOneBoard() async throws {
        let database = try await database()
        let (a, b) = (try ServerProcess(database: database), try ServerProcess(database: database))
        for number in 0..<20 {
            let (one, other) = number.isMultiple(of: 2) ? (a, b) : (b, a)
            let card = #"{"addCard": {"card": "c\#(number)", "column": "doing", "title": "Card \#(number)"}}"#
            try one.sendUntilSaved(card, id: "ann-\(2 * number)")
            // The same page, from the other server.
            let move = #"{"moveCard": {"card": "c\#(number)", "column": "done"}}"#
            try other.sendUntilSaved(move, id: "ann-\(2 * number + 1)")
            try one.sendUntilSaved(card, id: "ann-\(2 * number)")
        }
        let board = try await commonBoard(a, b)
        for number in 0..<20 {
            #expect(board.components(separatedBy: "id=\"card-c\(number)\"").count == 2)
        }
        #expect(board.contains("id=\"cards-done\"") && board.contains("21/21") || board.contains("1/21"))
        // Other boards are other documents.
        #expect(try !a.request("boards/other").body.contains("card-c1\""))
        #expect(a.terminate() == 0 && b.terminate() == 0)
        let again = try ServerProcess(database: database)
        #expect(try self.board(again) == board)
        #expect(again.terminate() == 0)
    }

    @Test(.enabled(if: Browser.path != nil, "there is no Chromium here; set CHROMIUM to its path"))
    func typedTextAppearsOnTheOtherServer() async throws {
        let database = try await database()
        let (a, b) = (try ServerProcess(database: database), try ServerProcess(database: database))
        let browser = try Browser()
        do {
            let ann = try await browser.open(a.address + "boards/welcome")
            let bob = try await browser.open(b.address + "boards/welcome")
            for page in [ann, bob] {
                try await page.wait(for: "document.querySelector('#connection').dataset.state === 'live'")
            }
            for number in 0..<40 {
                let (one, other) = number.isMultiple(of: 2) ? (ann, bob) : (bob, ann)
                try await one.evaluate("document.querySelector('#column-doing .new-card input').focus()")
                try await one.type("Card \(number)")
                try await one.press("Enter", code: 13, text: "\r")
                let titles = "[...document.querySelectorAll('.card .title')].map((title) => title.textContent)"
                try await other.wait(for: "\(titles).includes('Card \(number)')")
            }
            for page in [ann, bob] { #expect(await page.complaints == []) }

            // Two users in one text, each with a different server.
            for page in [ann, bob] { try await page.click("#edit-edit") }
            let title = "document.querySelector('#editor [name=title]')"
            try await ann.evaluate("\(title).value = 'Please click me to edit me'")
            try await bob.evaluate("\(title).value = 'Click me to edit me now'")
            for page in [ann, bob] { try await page.click("#editor [value=save]") }
            for page in [ann, bob] {
                let text = "document.querySelector('#card-edit .title').textContent"
                try await page.wait(for: "\(text).startsWith('Please ') && \(text).endsWith(' now')")
            }
            // One server is killed: the other one continues, and has everything.
            a.kill()
            try await bob.evaluate("document.querySelector('#column-done .new-card input').focus()")
            try await bob.type("Alone")
            try await bob.press("Enter", code: 13, text: "\r")
            try await bob.wait(for: "!outbox.length")
            try a.restart()
            try await ann.wait(for: "[...document.querySelectorAll('.title')].some((t) => t.textContent === 'Alone')")
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }

    @Test func aServerThatIsKilledUnderLoadLosesNothing() async throws {
        let database = try await database()
        let (a, b) = (try ServerProcess(database: database), try ServerProcess(database: database))
        let clients = (0..<4).map { LoadClient("p\($0)", of: $0.isMultiple(of: 2) ? [a, b] : [b, a]) }
        let load = Load(clients)
        load.start(count: 40)
        await load.waitUntilAnswered(60)
        a.kill()
        await load.waitUntilEnded()
        try a.restart()
        let board = try await commonBoard(a, b)
        for client in clients { #expect(client.faults(on: board) == []) }
    }

    @Test func aDatabaseThatIsKilledUnderLoadLosesNothing() async throws {
        let postgres = try await PostgresServer()
        let database = postgres.connectionString()
        let (a, b) = (try ServerProcess(database: database), try ServerProcess(database: database))
        let clients = (0..<4).map { LoadClient("p\($0)", of: [$0.isMultiple(of: 2) ? a : b]) }
        let load = Load(clients)
        load.start(count: 40)
        await load.waitUntilAnswered(60)
        try await postgres.kill()
        try await postgres.restart()
        await load.waitUntilEnded()
        let board = try await commonBoard(a, b)
        for client in clients { #expect(client.faults(on: board) == []) }
        #expect(a.terminate() == 0 && b.terminate() == 0)
        try await postgres.stop()
    }

    @Test func aServerReportsThatItsDatabaseIsDown() async throws {
        let postgres = try await PostgresServer()
        let server = try ServerProcess(database: postgres.connectionString())
        #expect(try board(server).contains("card-try"))
        try await postgres.kill()
        let answer = try server.send(#"{"setDone": {"card": "try", "isDone": true}}"#, id: "ann-1")
        #expect(answer.status == 503 && answer.body.contains("the database cannot be reached"))
        #expect(try server.request("boards/welcome").body.contains("This server cannot reach its database."))
        #expect(try server.request("boards/other").status == 503)
        try await postgres.restart()
        try server.sendUntilSaved(#"{"setDone": {"card": "try", "isDone": true}}"#, id: "ann-1")
        #expect(try board(server).contains("id=\"card-try\" class=\"card done\""))
        #expect(server.terminate() == 0)
        try await postgres.stop()
    }

    @Test func wrongDatabasesAreRefused() async throws {
        let postgres = try await PostgresServer.shared()
        let unknown = try ServerProcess.complaint(
            of: "--port", "0", "--database", postgres.connectionString(database: "nowhere"))
        #expect(unknown.status == 1 && unknown.text.contains("nowhere"))
        let both = try ServerProcess.complaint(of: "--database", "postgresql:///x", "--folder", "boards")
        #expect(both.status == 64 && both.text.contains("exclude each other"))
    }
}

/// Clients that send without pauses, each on a thread of its own.
private final class Load {
    private let clients: [LoadClient]
    private let group = DispatchGroup()

    init(_ clients: [LoadClient]) { self.clients = clients }

    func start(count: Int) {
        for client in clients {
            group.enter()
            Thread.detachNewThread { [group] in
                client.run(count: count)
                group.leave()
            }
        }
    }

    /// Waits until this many commands were answered.
    func waitUntilAnswered(_ count: Int) async {
        while clients.map(\.answeredCount).reduce(0, +) < count, clients.contains(where: { !$0.hasEnded }) {
            await Task.yield()
        }
    }

    func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}

/// A page that has cards of its own. It sends each command until it is answered, and changes the server if one does not
/// answer.
private final class LoadClient: @unchecked Sendable {
    // Sendable because the lock guards the mutable state.
    private struct State {
        var answeredCount = 0
        var refusals: [String] = []
        var hasEnded = false
        /// The expected cards, with their notes.
        var cards: [String: String] = [:]
        var removed: [String] = []
    }

    private let name: String
    private let servers: [ServerProcess]
    private let lock = NSLock()
    private var state = State()

    init(_ name: String, of servers: [ServerProcess]) {
        self.name = name
        self.servers = servers
    }

    var answeredCount: Int { lock.withLock { state.answeredCount } }

    var hasEnded: Bool { lock.withLock { state.hasEnded } }

    func run(count: Int) {
        var (number, server) = (0, 0)
        let deadline = ContinuousClock.now + .seconds(patience)
        func send(_ command: String) {
            number += 1
            while ContinuousClock.now < deadline {
                let answer = try? servers[server].send(command, id: "\(name)-\(number)")
                if answer?.status == 200 { return lock.withLock { state.answeredCount += 1 } }
                if let answer, (400..<500).contains(answer.status) {
                    return lock.withLock { state.refusals.append("\(command): \(answer.body)") }
                }
                server = (server + 1) % servers.count
            }
            lock.withLock { state.refusals.append("\(command): no answer") }
        }
        for index in 0..<count {
            let card = "\(name)-\(index)"
            send(#"{"addCard": {"card": "\#(card)", "column": "doing", "title": "\#(card)"}}"#)
            send(#"{"editCard": {"card": "\#(card)", "note": {"base": "", "text": "note of \#(card)"}}}"#)
            if index.isMultiple(of: 3) {
                // A card that is created twice would appear again.
                send(#"{"removeCard": {"card": "\#(card)"}}"#)
                lock.withLock { state.removed.append(card) }
            } else {
                send(#"{"moveCard": {"card": "\#(card)", "column": "done"}}"#)
                lock.withLock { state.cards[card] = "note of \(card)" }
            }
        }
        lock.withLock { state.hasEnded = true }
    }

    /// Returns the cards that differ from the acknowledged ones.
    func faults(on board: String) -> [String] {
        let state = lock.withLock { self.state }
        let done = board.components(separatedBy: "id=\"cards-done\"").last ?? ""
        let lost = state.cards.filter { card, note in
            let parts = board.components(separatedBy: "id=\"card-\(card)\"")
            let text = parts.last?.components(separatedBy: "</li>").first ?? ""
            return parts.count != 2 || !text.contains(">\(note)<") || !done.contains("id=\"card-\(card)\"")
        }
        return state.refusals + lost.keys.map { "\($0) is not there once, as it was answered" }
            + state.removed.filter { board.contains("id=\"card-\($0)\"") }.map { "\($0) is there again" }
    }
}
