// A world: machines with disks, the log that they share, a network, and time. One seed determines its whole history.
//
//     each step   a machine edits, undoes, saves, synchronises, quits or crashes; or the disks, the network and the log
//                 change; then some tasks run, and perhaps time passes
//     after it    the observers are compared with a new computation, and the invariants are checked
//     each life   begins with the files of the life before: what they contain is compared with what was promised
//     the end     nothing disturbs any more: all replicas must become equal, and equal to the entries of the log in
//                 their order
//
// Models are the simulation of FoundationDB, the crash tests of SQLite, and Jepsen.

#if DEBUG
import Foundation
import Reactive
import ReactiveCodable
@testable import ReactiveSync
import SyncTestSupport

/// One world.
final class World: @unchecked Sendable {
    // Sendable because a world has one thread.
    let seed: UInt64
    let fault: WorldFault?
    let folder: String
    /// The source of all decisions of the world.
    let chance: Chance
    /// The source of the random numbers of the library.
    let systemChance: Chance
    let scheduler = Scheduler()
    let server = Server()
    private(set) var disks: [Disk] = []
    private var machines: [Machine] = []
    private let isTracing: Bool
    private var failure: (any Error)?

    /// Whether messages are delayed, lost and repeated.
    private(set) var isNetworkFaulty: Bool
    let hasCrashes: Bool
    private let hasDiskErrors: Bool
    private(set) var isCheckingInvariants = false

    var clock: WorldClock { WorldClock(scheduler: scheduler) }

    init(seed: UInt64, fault: WorldFault? = nil, folder: String, isTracing: Bool = false) {
        (self.seed, self.fault, self.folder, self.isTracing) = (seed, fault, folder, isTracing)
        (chance, systemChance) = (Chance(seed: seed), Chance(seed: ~seed))
        isNetworkFaulty = !chance.oneIn(4)
        hasCrashes = !chance.oneIn(8)
        hasDiskErrors = chance.oneIn(2)
    }

    func below(_ count: Int) -> Int { chance.below(count) }

    func oneIn(_ count: Int) -> Bool { chance.oneIn(count) }

    // MARK: - Promises

    func breakPromise(_ promise: Promise, _ detail: String) throws {
        note("broken: \(promise): \(detail)")
        throw BrokenPromise(promise: promise, detail: detail)
    }

    /// Records that something was reported.
    func noteUnexpected(_ event: String) {
        note("unexpected: \(event)")
        failure = failure ?? BrokenPromise(promise: .noIssue, detail: event)
    }

    /// Records an issue of the library. A failed save is expected while its disk fails.
    private func judge(_ issue: Diagnostics.Issue) {
        let disk = disks.last { issue.site.hasPrefix($0.folder) }
        if issue.kind == .saving, let disk, disk.isDead || disk.hasFailed { return }
        noteUnexpected("\(issue.kind): \(issue.message)")
    }

    /// Prints a line of the history.
    func note(_ line: @autoclosure () -> String) {
        guard isTracing else { return }
        let (seconds, attoseconds) = scheduler.now.components
        // The name of the folder differs in each process.
        let text = line().replacingOccurrences(of: folder, with: "")
        print("\(seconds).\(attoseconds / 1_000_000_000_000_000) \(scheduler.runCount): \(text)")
    }

    // MARK: - Tasks

    /// Whether a task has ended.
    final class End: @unchecked Sendable {
        // Sendable because a world has one thread.
        fileprivate(set) var isReached = false
    }

    /// Starts a task.
    @discardableResult
    func start(_ body: @escaping () async throws -> Void) -> End {
        let end = End()
        nonisolated(unsafe) let body = body
        Task {
            do {
                try await body()
            } catch is CancellationError {
            } catch {
                self.failure = self.failure ?? error
            }
            end.isReached = true
        }
        return end
    }

    /// Runs tasks, and lets time pass where all of them wait, until a task has ended.
    func run(_ name: String, until end: End) throws {
        for _ in 0..<20_000 {
            if end.isReached { return }
            try rethrow()
            if !scheduler.runOne(chance), !scheduler.advance() { break }
        }
        if !end.isReached { try breakPromise(.progress, "\(name) does not end") }
    }

    private func rethrow() throws { if let failure { throw failure } }

    /// Runs at most some tasks that are ready.
    private func runTasks(_ count: Int) throws {
        for _ in 0..<count {
            try crashDeadMachines()
            if !scheduler.runOne(chance) { break }
            try rethrow()
        }
        try crashDeadMachines()
    }

    /// Starts the machines again whose disks have died.
    private func crashDeadMachines() throws {
        for machine in machines where machine.disk.isDead { try machine.crash(withPower: oneIn(2)) }
    }

    func newDisk(_ books: Disk.Books) -> Disk {
        let disk = Disk(books, in: "\(folder)/\(seed)-\(String(1_000 + disks.count).suffix(3))", of: self)
        disks.append(disk)
        return disk
    }

    // MARK: - The history

    /// Lives through the world's history.
    ///
    /// - Throws: ``BrokenPromise``.
    func run() throws {
        beginUse()
        Diagnostics.onIssue = { self.judge($0) }
        for number in 0..<1 + below(3) { machines.append(Machine(named: "\(number)", in: self)) }
        for machine in machines { try machine.start() }
        for number in 0..<40 + below(60) {
            isCheckingInvariants = number % 8 == 0
            try step(machines[below(machines.count)])
            try rethrow()
            try runTasks(below(12))
            for machine in machines {
                try machine.deskProgram?.check()
                try machine.boardProgram?.check()
            }
        }
        try finish()
    }

    private func step(_ machine: Machine) throws {
        switch below(100) {
        case 0..<24: try machine.deskProgram?.edit()
        case 24..<30: try machine.deskProgram?.undo()
        case 30..<33: try machine.deskProgram?.redo()
        case 33..<37: try machine.deskProgram?.keepHistory()
        case 37..<39: try machine.deskProgram?.rollBack()
        case 39..<48: try machine.deskProgram?.flush()
        case 48..<53: machine.deskProgram?.flushInBackground()
        case 53..<70: try machine.boardProgram?.edit()
        case 70..<74: machine.boardProgram?.synchronise()
        case 74..<80: scheduler.advance(by: .milliseconds(1 + below(1_000)))
        case 80..<82: try rest()
        case 82..<86: if isNetworkFaulty { machine.connection.isCut.toggle() }
        case 86..<88: if hasDiskErrors { machine.disk.isFull.toggle() }
        case 88..<91: if hasDiskErrors { machine.disk.isFailing.toggle() }
        case 91..<93: server.change { $0.prune() }
        case 93..<96: try machine.quit()
        case 96..<98: if hasCrashes { try machine.crash(withPower: true) }
        default: if hasCrashes { try machine.crash(withPower: false) }
        }
    }

    /// Lets time pass without edits.
    private func rest() throws {
        note("all rest")
        for _ in 0..<5 {
            try runTasks(200)
            scheduler.advance(by: .milliseconds(1_500))
        }
        try runTasks(400)
        for machine in machines { machine.deskProgram?.hasRested() }
    }

    // MARK: - The end

    /// Removes the folders. To be called when the history has ended.
    func end() {
        for machine in machines {
            machine.disk.die()
            machine.connection.isDead = true
            if let board = machine.boardProgram { start { await board.end() } }
            try? machine.deskProgram?.end()
        }
        for _ in 0..<20_000 where scheduler.runOne(chance) || scheduler.advance() {}
        for disk in disks { disk.remove() }
    }

    /// Ends all disturbances, and compares all machines.
    private func finish() throws {
        note("all disturbances end")
        isNetworkFaulty = false
        isCheckingInvariants = true
        try crashDeadMachines()
        for machine in machines { machine.heal() }
        for machine in machines {
            try machine.deskProgram?.flush()
            try machine.deskProgram?.check()
        }
        let boards = machines.compactMap(\.boardProgram)
        for _ in 0..<2 {
            for board in boards {
                try run("the beginning of a replica", until: start { try await board.waitUntilBegun() })
                try run("synchronised()", until: board.synchronise())
                try rethrow()
            }
        }
        for board in boards { try board.check() }
        try compare(boards)
        for machine in machines {
            try machine.quit()
            machine.heal()
        }
        try rethrow()
    }

    private func compare(_ boards: [BoardProgram]) throws {
        guard let first = server.first, !boards.isEmpty else { return }
        let history = server.table.history
        var expected = try LoadedDocument(first, lastNumber: 0, limits: ReplicaLimits())
        expected.apply(history)
        for board in boards where try board.json != expected.document.json {
            try breakPromise(.convergence, "a board is \(try board.json), instead of \(expected.document.json)")
        }
        let marks = history.flatMap { entry in
            entry.content.split(separator: "\"").filter { $0.hasPrefix("m.") }.map(String.init)
        }
        let counts = Dictionary(marks.map { ($0, 1) }, uniquingKeysWith: +)
        for (mark, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
            try breakPromise(.exactlyOnce, "the log has \(mark) \(count) times")
        }
        for machine in machines {
            for mark in machine.board.durable.sorted() where counts[mark] == nil {
                try breakPromise(.durability, "the log lacks \(mark)")
            }
        }
        try judgeReports(first, history)
    }

    /// Searches for edits that were dropped without a report.
    private func judgeReports(_ first: LogSnapshot, _ history: [LogEntry]) throws {
        var document = try LoadedDocument(first, lastNumber: 0, limits: ReplicaLimits()).document
        var footprint = Footprint()
        for entry in history {
            let edits = try EntryContent(parsing: entry.content, limits: ReplicaLimits().entry).edits
            let misfits = document.apply(edits, limits: ReplicaLimits().document, touching: &footprint)
            let author = machines.first { entry.content.contains("\"m.\($0.name).") }
            guard let author, !author.board.hasLostReports else { continue }
            for edit in ReplicaConflict(number: 0, edits: edits, misfits: misfits).dropped {
                let isReported = author.board.conflicts.contains { conflict in
                    conflict.dropped.contains { $0.path == edit.path && $0.value == edit.value }
                }
                if !isReported { try breakPromise(.noSilentLoss, edit.reason) }
            }
        }
    }
}
#endif
