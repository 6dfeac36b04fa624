// A board in use: its state, its page, its storage, and who is told of changes. One actor and one graph each, so that
// boards that have nothing to do with each other run in parallel.
//
// The order of things, all of them on the actor:
//
//     perform        a command becomes one transaction; the fragments that show what changed render themselves
//     publish        what was rendered becomes one numbered update, and `version` tells the followers
//     save           a command is answered when the storage keeps it
//
// The storage works elsewhere, and the actor goes on. Commands that come meanwhile are kept together, next time; followers
// are told a few times a second of all that happened since. So neither the disk nor the number of followers sets the pace
// of the commands. What other servers change is written into the board by the storage; it is rendered and published as what
// a command changes.

import Foundation
import Reactive

/// What followers wait for.
package struct Pulse: Sendable, Equatable {
    /// How many updates and signs of life there were.
    var beats = 0
    /// Whether there will be no more.
    package fileprivate(set) var isOver = false
}

/// The board was closed between being asked for and being used. Asked for again, it is opened again.
package struct IsClosed: Error {}

/// The storage does not keep a command, at the moment. Sent again, it is carried out once.
package struct NotKept: Error, CustomStringConvertible {
    /// How far the command has come.
    package enum State: Sendable {
        /// It was not carried out.
        case notBegun
        /// It was carried out, and is kept as soon as possible.
        case notSaved
    }

    /// How far the command has come.
    package let state: State
    /// Whether the storage could not be reached.
    package let isUnreachable: Bool
    /// The reason.
    package let reason: String

    /// The reason.
    package var description: String { reason }
}

/// A board in use.
package actor Session {
    /// What the address calls it.
    package nonisolated let name: String
    private let graph: IndependentGraph
    private let board: Board
    private var view: BoardView?
    /// Whether what is rendered is published by whoever makes it change.
    private var isPerforming = true
    /// Whether what is rendered is published soon.
    private var isPublishing = false
    private nonisolated let feed = Feed()
    private let pulse: Observable<Pulse>
    /// One reaction for all who follow, however many: each has an iterator.
    private var pulses: ObservedValues<Pulse>?
    private let beats: Observable<Int>
    private var beating: Reaction?
    /// Whoever follows is no part of the board's graph.
    private let followers = IndependentGraph(named: "followers")
    /// Implicitly unwrapped because it needs the actor; set by the initialiser.
    private var storage: (any BoardStorage)!
    /// The flush that runs, and how many have begun.
    private var flushing: (number: Int, task: Task<Void, any Error>)?
    private var flushCount = 0
    /// The last command of each page that was carried out here, and the number of its transaction.
    private var transactions: [ItemID: (command: Int, transaction: Int)] = [:]
    /// How many pages follow it.
    package private(set) var followerCount = 0
    private var isClosed = false

    /// Opens a board: from its file or its log, or a new one.
    ///
    /// - Throws: `LoadingError` if there is a file that cannot be read; it stays as it is. `ReplicaError` if the log
    ///   refuses the board, or what it throws if it cannot be reached.
    package init(named name: String, in home: BoardHome) async throws {
        self.name = name
        let graph = IndependentGraph(named: name)
        self.graph = graph
        board = try graph.run {
            let title = name.prefix(1).uppercased() + name.dropFirst()
            guard case .file(let file) = home else { return .sample(named: title) }
            return try FileStorage.load(file) ?? .sample(named: title)
        }
        (pulse, beats) = followers.run { (Observable(Pulse(), named: "pulse"), Observable(0, named: "beats")) }
        storage =
            switch home {
            case .file(let file): FileStorage(of: board, to: file, in: graph, isolation: self)
            case .log(let log, let patience):
                try await LogStorage(of: board, in: log, patience: patience, isolation: self)
            }
        startShowing()
        startTelling()
    }

    /// Opens a board of a file.
    package init(named name: String, file: URL) async throws { try await self.init(named: name, in: .file(file)) }

    private func startShowing() {
        view = graph.run {
            BoardView(board, storage, isolation: self) { [unowned self] in assumeIsolated { $0.rendered() } }
        }
        _ = view?.takeChanges()
        isPerforming = false
    }

    private func rendered() {
        // A command publishes by itself. Else others have changed the board, or another thread was using the graph: what
        // one transaction changes is rendered in several pieces, and published when this turn of the actor is over.
        guard !isPerforming, !isPublishing else { return }
        isPublishing = true
        Task {
            isPublishing = false
            publish()
        }
    }

    private func startTelling() {
        let (pulse, beats) = (pulse, beats)
        followers.run {
            beating = reaction(named: "beating", schedule: .throttled(every: Limits.beat)) {
                beats.value
            } onChange: {
                pulse.value.beats = $0
            }
            pulses = values(named: "pulses") { pulse.value }
        }
    }

    // MARK: - Changing

    /// Carries out a command, and waits until that is kept.
    ///
    /// With a shared storage, the command sees what all servers have kept. Other servers may still be faster with what
    /// it is about: then it is carried out again, on what they have made of the board.
    ///
    /// - Parameters:
    ///   - command: What to do.
    ///   - id: What tells it from others. One that has been carried out is not carried out again.
    /// - Throws: `Refusal`, ``IsClosed``, or ``NotKept``.
    package func carryOut(_ command: Command, id: CommandID? = nil) async throws {
        if storage.isShared { try await flush(orThrow: .notBegun) }
        var transaction = try perform(command, id: id)
        for _ in 0..<Limits.attempts {
            try await flush(orThrow: .notSaved)
            guard storage.hasDropped(transaction) else { return }
            transaction = try performAgain(command, id: id)
        }
        throw Refusal(.conflict, "others keep changing the same part of the board; try again")
    }

    private func flush(orThrow state: NotKept.State) async throws {
        do {
            try await flush()
        } catch {
            throw NotKept(state: state, isUnreachable: error is Unreachable, reason: "\(error)")
        }
    }

    /// Carries out a command. When this returns, the pages are being told; see ``save()``.
    ///
    /// - Parameters:
    ///   - command: What to do.
    ///   - id: What tells it from others. One that has been carried out is not carried out again.
    /// - Returns: The number of its transaction; 0 if it was carried out elsewhere or before a restart.
    /// - Throws: `Refusal`, or ``IsClosed``.
    @discardableResult
    package func perform(_ command: Command, id: CommandID? = nil) throws -> Int {
        let isNew = try change { try board.perform(command, id: id) }
        guard let id else { return storage.noteTransaction() }
        if !isNew {
            let known = transactions[id.page]
            return known?.command == id.number ? known?.transaction ?? 0 : 0
        }
        let transaction = storage.noteTransaction()
        transactions[id.page] = (id.number, transaction)
        if transactions.count > 2 * Limits.rememberedPages {
            transactions = transactions.filter { board.lastCommands.contains(id: $0.key) }
        }
        return transaction
    }

    /// Carries out a command of which a part was dropped.
    private func performAgain(_ command: Command, id: CommandID?) throws -> Int {
        do {
            _ = try change { try board.perform(command) }
        } catch let refusal as Refusal {
            // The board has noted the command as carried out. Sent again, it is refused again.
            if let id { _ = try change { board.forget(id) } }
            throw refusal
        }
        let transaction = storage.noteTransaction()
        if let id { transactions[id.page] = (id.number, transaction) }
        return transaction
    }

    private func change<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isClosed else { throw IsClosed() }
        isPerforming = true
        defer {
            isPerforming = false
            publish()
        }
        return try graph.run(body)
    }

    /// Waits until all that has been performed is kept.
    ///
    /// - Throws: Why it could not be kept. It is kept with the next change.
    package func save() async throws { try await flush() }

    /// Waits for a flush that begins now or later. Those who wait at the same time share one.
    private func flush() async throws {
        let wanted = flushCount + 1
        while true {
            let flushing = flushing ?? beginToFlush()
            if flushing.number >= wanted { return try await flushing.task.value }
            // It began without what is wanted here.
            _ = await flushing.task.result
        }
    }

    private func beginToFlush() -> (number: Int, task: Task<Void, any Error>) {
        flushCount += 1
        let task = Task {
            defer { flushing = nil }
            try await storage.flush(isolation: self)
        }
        flushing = (flushCount, task)
        return (flushCount, task)
    }

    private func publish() {
        guard let update = view?.takeChanges(), !update.isEmpty else { return }
        feed.append(update)
        beats.value += 1
    }

    // MARK: - Showing

    /// The whole page as it is now.
    package var page: HTML {
        Markup.page(
            of: board, columns: view?.markup ?? "", trouble: view?.trouble ?? "", named: name,
            at: feed.position.description)
    }

    /// What the board holds, as JSON.
    package func contents() throws -> Data { try JSONEncoder().encode(board) }

    /// What a page has to be told that has come as far as `seen`. Asks the session only if that is everything.
    package nonisolated func messages(after seen: Position?) async -> [Message] {
        if let missed = feed.messages(after: seen) { return missed }
        return [await whole]
    }

    private var whole: Message { feed.whole { view?.fragments.all ?? PageUpdate() } }

    /// The graph of the board.
    package func graphSnapshot() -> Diagnostics.GraphSnapshot { graph.run { Diagnostics.graph() } }

    // MARK: - Following

    /// Begins to follow the board: an element now, and one whenever there is something to tell, but not more often than ``Limits/beat``
    /// says. Elements that nobody fetches in time are one.
    ///
    /// - Returns: `nil` if too many follow already, or it is closed. Else, call ``unfollow()`` at the end.
    package func follow() -> ObservedValues<Pulse>? {
        guard !isClosed, followerCount < Limits.pages else { return nil }
        followerCount += 1
        return pulses
    }

    /// Ends what `follow` began.
    package func unfollow() { followerCount -= 1 }

    /// Makes followers show a sign of life.
    package func beat() { beats.value += 1 }

    /// Sends all followers away, because the server stops.
    package func endFollowing() { pulse.value.isOver = true }

    // MARK: - Ending

    /// Saves and ends everything.
    package func close() async throws {
        guard !isClosed else { return }
        isClosed = true
        defer { end() }
        try await storage.close(isolation: self)
    }

    /// Saves and ends everything if nobody follows.
    ///
    /// - Returns: Whether that was done, by this call.
    func closeIfUnused() async -> Bool {
        guard !isClosed, followerCount == 0, storage.flushWithoutWaiting() else { return false }
        // Everything is kept: there is nothing that could not be saved.
        try? await close()
        return true
    }

    private func end() {
        pulses = nil
        graph.cancelReactions()
        followers.cancelReactions()
    }
}
