// The program of a machine that shares a board with the other machines.
//
// Each transaction adds a mark of its own to the board, besides random edits. Marks are never removed, so a mark shows
// whether its transaction has had its effect: in the model, in the log, and how often.

#if DEBUG
import Foundation
@testable import Reactive
import ReactiveCodable
import ReactiveCollections
@testable import ReactiveSync
import SyncTestSupport

/// What a world knows of the transactions of a machine.
struct BoardRecord {
    /// The marks of the transactions that must not be lost any more.
    var durable: Set<String> = []
    /// All marks.
    var made: Set<String> = []
    /// The conflicts that were reported.
    var conflicts: [ReplicaConflict] = []
    /// The identities that the replica had.
    var identities: Set<UUID> = []
    /// Whether a report may have been lost with its life.
    var hasLostReports = false
}

/// One life of the program.
final class BoardProgram: @unchecked Sendable {
    // Sendable because a world has one thread.
    private let world: World
    private let machine: Machine
    private let disk: Disk
    private let connection: Connection
    private let graph: IndependentGraph
    private let board: SharedBoard
    private(set) var replica: Replica<SharedBoard>?
    private var beginning: World.End?
    private var hasEnded = false
    private var made: Set<String> = []
    private var seen = 0
    private var observer: Reaction?
    private let probe: Observable<Int>

    static let fileName = "board.replica"

    init(on machine: Machine, _ disk: Disk, _ connection: Connection) {
        (world, self.machine, self.disk, self.connection) = (machine.world, machine, disk, connection)
        graph = IndependentGraph(named: "board of \(machine.name)")
        (board, probe) = graph.run { (SharedBoard.sample(), Observable(0)) }
        beginning = world.start { try await self.begin() }
    }

    /// Creates the replica, as soon as the log or the journal allows it.
    private func begin() async throws {
        var settings = ReplicaSettings()
        settings.texts = SharedBoard.texts
        settings.entriesPerSnapshot = 15
        let journal = URL(fileURLWithPath: "\(disk.folder)/\(Self.fileName)")
        while !hasEnded, !disk.isDead {
            let failureCount = disk.failureCount
            do {
                let replica = try await Replica(
                    of: board, log: connection, journal: journal, settings: settings, clock: world.clock,
                    named: "board of \(machine.name)", isolation: nil
                ) { conflict in
                    self.machine.board.conflicts.append(conflict)
                }
                if hasEnded || disk.isDead { return await replica.end() }
                self.replica = replica
                world.note("\(machine.name): the replica has begun")
                observer = graph.run { autorun { self.seen = self.digest } }
                return
            } catch is Connection.Disconnected {
            } catch {
                if disk.failureCount == failureCount, !disk.isDead {
                    try world.breakPromise(.journal, "the replica does not begin: \(error)")
                }
            }
            try await world.clock.sleep(for: .milliseconds(500))
        }
    }

    /// A number that depends on all parts of the board.
    private var digest: Int {
        var sum = board.title.utf8.count + board.note.utf8.count * 3 + board.tags.count * 5
        for column in board.columns {
            sum += 7 + column.title.utf8.count
            for card in column.cards { sum += 11 &+ card.title.utf8.count &+ card.id % 1_000 }
        }
        return sum + board.votes.count * 1_000
    }

    var json: JSONValue { get throws { try graph.run { try JSONValue(encoding: board) } } }

    // MARK: - Edits

    func edit() throws {
        guard replica != nil else { return }
        var chance = world.chance
        let mark = "m.\(machine.name).\(machine.lifeCount).\(made.count)"
        graph.run {
            inTransaction {
                board.changeAtRandom(using: &chance)
                board.votes[mark] = made.count
            }
        }
        made.insert(mark)
        machine.board.made.insert(mark)
    }

    func waitUntilBegun() async throws {
        while replica == nil { try await world.clock.sleep(for: .milliseconds(100)) }
    }

    @discardableResult
    func synchronise() -> World.End {
        guard let replica else { return world.start {} }
        let before = made
        return world.start {
            do {
                try await replica.synchronised()
                if self.disk.isDead || self.connection.isDead { return }
                self.machine.board.durable.formUnion(before)
                self.world.note("\(self.machine.name): synchronised \(before.count) transactions")
            } catch ReplicaError.ended {
            } catch {
                if self.disk.isDead { return }
                try self.world.breakPromise(.noRefusal, "synchronised() throws \(error)")
            }
        }
    }

    // MARK: - Checks and the end

    func check() throws {
        guard let replica else { return }
        if seen != digest { try world.breakPromise(.observers, "an observer of the board was not notified") }
        for mark in made where board.votes[mark] == nil {
            try world.breakPromise(.localFirst, "the board of \(machine.name) lacks the transaction \(mark)")
        }
        if case .refused(let refusal) = replica.status, !disk.isDead {
            try world.breakPromise(.noRefusal, "\(machine.name): \(refusal)")
        }
        guard world.isCheckingInvariants else { return }
        let broken = GraphHandle(of: probe).brokenInvariants
        if !broken.isEmpty { try world.breakPromise(.invariants, broken.joined(separator: " ")) }
        world.start {
            let broken = try await replica.brokenInvariants(isolation: nil)
            if self.hasEnded { return }
            if !broken.isEmpty { try self.world.breakPromise(.invariants, broken.joined(separator: " ")) }
        }
    }

    /// Ends the program. If the machine still works, the journal then has all transactions.
    func end() async {
        hasEnded = true
        while beginning?.isReached == false { try? await world.clock.sleep(for: .milliseconds(100)) }
        let failureCount = disk.failureCount
        await replica?.end()
        if !disk.isDead, disk.failureCount == failureCount { machine.board.durable.formUnion(made) }
        observer?.cancel()
        graph.cancelReactions()
    }
}
#endif
