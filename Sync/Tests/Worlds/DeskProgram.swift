// The program of a machine that keeps a desk in a file: edits, undo, observers and saving, and what it may rely on.
//
// The record of a desk outlives the lives of its machine. It has all states that the desk had, each after a transaction,
// and the newest one that was surely saved. A load must return one of the states from that one on.

#if DEBUG
import Foundation
@testable import Reactive
@testable import ReactiveCodable
import ReactiveCollections
@testable import ReactiveSaving
import SyncTestSupport

/// What a world knows of the desk of a machine.
struct DeskRecord {
    /// The states that the files may have, the oldest first.
    var states: [JSONValue] = []
    /// The index of the newest state that was surely saved.
    var saved: Int?
    /// Later states that a load did not find. Until the next save, a power failure may bring them back: the disk may
    /// have written them, and may forget that they were cut off.
    var ghosts: [JSONValue] = []
    /// The states that undo and redo lead to, for each history that a state contains.
    var histories: [String: DeskHistory] = [:]

    mutating func confirm(_ index: Int) {
        saved = max(saved ?? index, index)
        ghosts = []
    }

    /// Records that a state was loaded.
    ///
    /// - Returns: Its index; `nil` if there was no such state.
    mutating func load(_ state: JSONValue) -> Int? {
        guard let index = states.lastIndex(of: state) else {
            guard ghosts.contains(state) else { return nil }
            states.append(state)
            return states.count - 1
        }
        ghosts += states[(index + 1)...]
        states.removeSubrange((index + 1)...)
        return index
    }
}

/// The states of the work that undo leads to, the last one first to be reached, and those of redo.
struct DeskHistory {
    var past: [JSONValue] = []
    var future: [JSONValue] = []
}

/// One life of the program.
final class DeskProgram: @unchecked Sendable {
    // Sendable because a world has one thread.
    private let world: World
    private let machine: Machine
    private let disk: Disk
    private let graph: IndependentGraph
    private let desk: Desk
    private let history: History<Work>
    private let saving: Autosave
    /// The states that undo and redo lead to, naively.
    private var states = DeskHistory()
    private var transactionCount = 0
    /// The number of failures of the disk when the desk was edited last.
    private var failureCountAtEdit = 0
    private let observers: DeskObservers

    /// The limit on the entries of the history.
    private static let entryLimit = 8
    static let fileName = "desk.json"

    /// Starts the program: loads the file, or begins with an empty desk.
    init(on machine: Machine, _ disk: Disk) throws {
        (world, self.machine, self.disk) = (machine.world, machine, disk)
        graph = IndependentGraph(named: "desk of \(machine.name)")
        let url = URL(fileURLWithPath: "\(disk.folder)/\(Self.fileName)")
        desk = try Self.loaded(from: url, graph, machine)
        let desk = desk
        let limit = HistoryLimit(entries: Self.entryLimit)
        var history: History<Work>?
        if let saved = desk.history, saved.stamp == desk.stamp {
            states = machine.desk.histories[saved.stamp] ?? DeskHistory()
            let found = "an entry for each of \(states.past.count) and \(states.future.count)"
            do {
                history = try History(desk.work, log: saved.log, limit: limit)
            } catch {
                try world.breakPromise(.history, "\(error), instead of \(found)")
            }
            if history?.undoCount != states.past.count || history?.redoCount != states.future.count {
                try world.breakPromise(
                    .history, "\(history?.undoCount ?? 0) and \(history?.redoCount ?? 0), instead of \(found)")
            }
        }
        self.history = history ?? History(desk.work, limit: limit)
        observers = graph.run { DeskObservers(of: desk.work, isDeaf: machine.world.fault == .observerIsDeaf) }

        let file = AtomicFile(path: url.path)
        let schedule: Schedule =
            machine.savesImmediately
            ? .immediate
            : .debounced(for: .milliseconds(250), atLatestAfter: .seconds(5), clock: machine.world.clock)
        let (world, name) = (world, machine.name)
        saving = graph.run {
            autosave(
                desk, to: file, as: machine.form, minimumJournalSize: 1_500, schedule: schedule, named: "saving",
                isolation: nil
            ) { error in
                world.note("\(name): \(error)")
                if !disk.hasFailed, !disk.isDead { world.noteUnexpected("\(error)") }
            }
        }
    }

    private static func loaded(from url: URL, _ graph: IndependentGraph, _ machine: Machine) throws -> Desk {
        let world = machine.world
        var desk: Desk
        do throws(LoadingError) {
            desk = try graph.run { () throws(LoadingError) in try load(Desk.self, from: url) }
        } catch {
            guard error.kind == .noFile else {
                try world.breakPromise(.complete, "\(error)")
                throw error
            }
            if machine.desk.saved != nil { try world.breakPromise(.flushed, "there is no file") }
            desk = graph.run { Desk() }
            machine.desk.states.append(try JSONValue(encoding: desk))
            return desk
        }
        let json = try JSONValue(encoding: desk)
        let count = machine.desk.states.count
        guard let index = machine.desk.load(json) else {
            try world.breakPromise(.oneState, "the file has a state that never was: \(json)")
            return desk
        }
        let saved = machine.desk.saved ?? 0
        if index < saved { try world.breakPromise(.flushed, "state \(index) was loaded, and \(saved) was flushed") }
        world.note("\(machine.name): loads state \(index) of \(count), flushed \(saved)")
        return desk
    }

    private var json: JSONValue { get throws { try graph.run { try JSONValue(encoding: desk) } } }
    private var workJSON: JSONValue { get throws { try graph.run { try JSONValue(encoding: desk.work) } } }

    private var nextStamp: String {
        transactionCount += 1
        return "\(machine.name).\(machine.lifeCount).\(transactionCount)"
    }

    private func recordState() throws {
        machine.desk.states.append(try json)
        failureCountAtEdit = disk.failureCount
    }

    /// Records that the desk has not changed for some time, and that the tasks have run. `autosave` saves the document
    /// when it has not changed for 250 ms; after a failure, with the next change.
    func hasRested() {
        guard !disk.isDead, disk.failureCount == failureCountAtEdit, transactionCount > 0 else { return }
        machine.desk.confirm(machine.desk.states.count - 1)
        world.note("\(machine.name): state \(machine.desk.states.count - 1) must be saved by now")
    }

    // MARK: - Edits

    func edit() throws {
        let before = try workJSON
        let stamp = nextStamp
        var chance = world.chance
        graph.run {
            inTransaction {
                desk.stamp = stamp
                desk.work.editAtRandom(&chance)
            }
        }
        states.past.append(before)
        if states.past.count > Self.entryLimit { states.past.removeFirst() }
        states.future = []
        try recordState()
    }

    func rollBack() throws {
        struct Rollback: Error {}
        let before = try json
        var chance = world.chance
        try? graph.run {
            try inTransaction {
                desk.stamp = "rolled back"
                desk.work.editAtRandom(&chance)
                throw Rollback()
            }
        }
        if try json != before { try world.breakPromise(.rollBack, "the desk is different") }
    }

    func undo() throws { try step("undo", \.past, \.future) { try history.undo() } }

    func redo() throws { try step("redo", \.future, \.past) { try history.redo() } }

    private func step(
        _ name: String, _ source: WritableKeyPath<DeskHistory, [JSONValue]>,
        _ target: WritableKeyPath<DeskHistory, [JSONValue]>, _ step: () throws -> Void
    ) throws {
        guard let expected = states[keyPath: source].popLast() else { return }
        states[keyPath: target].append(try workJSON)
        let stamp = nextStamp
        let result = graph.run {
            inTransaction {
                desk.stamp = stamp
                return Result { try step() }
            }
        }
        if case .failure(let error) = result { try world.breakPromise(.history, "\(name): \(error)") }
        let found = try workJSON
        if found != expected { try world.breakPromise(.history, "\(name) leads to \(found), instead of \(expected)") }
        try recordState()
    }

    /// Writes the history into the desk, so that it is saved with it.
    func keepHistory() throws {
        var log = history.log
        if world.fault == .historyLosesAnEntry, !log.done.isEmpty { log.done.removeLast() }
        machine.desk.histories[desk.stamp] = states
        graph.run { desk.history = Desk.SavedHistory(stamp: desk.stamp, log: log) }
        try recordState()
    }

    // MARK: - Saving

    func flush() throws {
        let index = machine.desk.states.count - 1
        if world.fault == .flushIsEarly { return machine.desk.confirm(index) }
        let failureCount = disk.failureCount
        do {
            try saving.flush()
            guard !disk.isDead else { return }
            machine.desk.confirm(index)
            world.note("\(machine.name): flushed state \(index)")
            if world.isCheckingInvariants { try check(saving.brokenInvariants, of: "the files of the desk") }
        } catch {
            if disk.failureCount == failureCount, !disk.isDead { try world.breakPromise(.flushSucceeds, "\(error)") }
        }
    }

    func flushInBackground() {
        let index = machine.desk.states.count - 1
        let failureCount = disk.failureCount
        world.start {
            do {
                try await self.saving.flushInBackground(isolation: nil)
                // After `cancel`, it does nothing.
                if self.disk.isDead || self.hasEnded { return }
                self.machine.desk.confirm(index)
                self.world.note("\(self.machine.name): flushed state \(index) in the background")
            } catch {
                if self.disk.failureCount == failureCount, !self.disk.isDead, !self.hasEnded {
                    try self.world.breakPromise(.flushSucceeds, "in the background: \(error)")
                }
            }
        }
    }

    // MARK: - Checks and the end

    func check() throws {
        try observers.check(world)
        if world.isCheckingInvariants { try check(observers.graph.brokenInvariants, of: "the graph of the desk") }
    }

    private func check(_ broken: [String], of subject: String) throws {
        if !broken.isEmpty { try world.breakPromise(.invariants, "\(subject): \(broken.joined(separator: " "))") }
    }

    private var hasEnded = false

    /// Ends the program. If the machine still works, it saves its work first.
    func end() throws {
        if !disk.isDead { try flush() }
        hasEnded = true
        saving.cancel()
        graph.cancelReactions()
    }
}

/// Observers of a desk, with an oracle: each value is computed again, without the graph.
final class DeskObservers {
    private let work: Work
    private let total: Computed<Int>
    private let cheap: LiveArray<Item>
    private var seen = (title: "", total: 0)
    private var goal = 0
    private var hasReachedGoal = false
    private var reactions: [Reaction] = []
    private let probe = Observable(0)

    init(of work: Work, isDeaf: Bool) {
        self.work = work
        total = Computed { work.total }
        cheap = work.items.live.filter { $0.amount < 50 }
        reactions = [
            autorun { [unowned self] in seen = (work.title, total.value) }
        ]
        if isDeaf { reactions[0].cancel() }
        aimHigher()
    }

    /// Waits for a total that is higher than the one now.
    private func aimHigher() {
        (goal, hasReachedGoal) = (work.total + 100_000, false)
        let goal = goal
        reactions.append(
            when { [total] in
                total.value >= goal
            } effect: { [unowned self] in
                hasReachedGoal = true
            })
    }

    var graph: GraphHandle { GraphHandle(of: probe) }

    func check(_ world: World) throws {
        func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ observer: String) throws {
            if found != expected { try world.breakPromise(.observers, "\(observer): \(found), not \(expected)") }
        }
        let expected = work.total
        try expect(seen.title, work.title, "an autorun has read the title")
        try expect(seen.total, expected, "an autorun has read the total")
        try expect(total.value, expected, "a computed")
        try expect(cheap.elements.map(\.id), Array(work.items).filter { $0.amount < 50 }.map(\.id), "a view")
        if expected >= goal { try expect(hasReachedGoal, true, "`when` has fired") }
        if hasReachedGoal { graph.run { aimHigher() } }
    }
}
#endif
