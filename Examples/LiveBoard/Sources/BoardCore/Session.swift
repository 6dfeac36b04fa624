// An open board: its state, its page, its storage and its followers. Each session has its own actor and its own graph,
// so that independent boards run in parallel.
//
// The phases, all of them on the actor:
//
//     perform        a command runs as one transaction; fragments that read changed state render again
//     publish        the rendered changes become one numbered update, and `pulse` notifies the followers
//     save           the command is answered when the storage has saved it
//
// The storage writes outside the actor, which continues meanwhile. Commands that arrive during a write are saved
// together in the next one. Followers are notified at most a few times a second, with all changes since the last time.
// So neither the disk nor the number of followers limits the rate of commands. The storage writes the changes of other
// servers into the board. They are rendered and published like those of a command.

import Foundation
import Reactive
import ReactiveCodable
package import ReactiveInspector

/// The value that followers observe.
package struct Pulse: Sendable, Equatable {
    /// The number of updates and heartbeats so far.
    var beats = 0
    /// Whether the session has ended.
    package fileprivate(set) var isOver = false
}

/// The board was closed between the request for it and its use. A new request opens it again.
package struct IsClosed: Error {}

/// The storage cannot save a command at the moment. If the command is sent again, it is carried out only once.
package struct NotKept: Error, CustomStringConvertible {
    /// The state of the command.
    package enum State: Sendable {
        /// It was not carried out.
        case notBegun
        /// It was carried out, and is saved as soon as possible.
        case notSaved
    }

    /// The state of the command.
    package let state: State
    /// Whether the storage could not be reached.
    package let isUnreachable: Bool
    /// The reason.
    package let reason: String

    /// The reason.
    package var description: String { reason }
}

/// An open board.
package actor Session {
    /// The board's name in the address.
    package nonisolated let name: String
    private let graph: IndependentGraph
    private let board: Board
    /// The inspector of the graph.
    package nonisolated let inspector: Inspector
    /// The recent steps of the board, for copies that travel in time.
    private var history: History<BoardContents>?
    private var view: BoardView?
    /// Whether a command is running, which publishes its changes itself.
    private var isPerforming = true
    /// Whether a publication is already scheduled.
    private var isPublishing = false
    private nonisolated let feed = Feed()
    private let pulse: Observable<Pulse>
    /// One reaction for all followers. Each follower has an iterator.
    private var pulses: ObservedValues<Pulse>?
    private let beats: Observable<Int>
    private var beating: Reaction?
    /// The graph of the followers, which are not part of the board's graph.
    private let followers = IndependentGraph(named: "followers")
    /// The storage. Implicitly unwrapped because creating it needs the actor; the initialiser sets it.
    private var storage: (any BoardStorage)!
    /// The running flush and the number of flushes begun so far.
    private var flushing: (number: Int, task: Task<Void, any Error>)?
    private var flushCount = 0
    /// The last command of each page that this server carried out, and the number of its transaction.
    private var transactions: [ItemID: (command: Int, transaction: Int)] = [:]
    /// The number of pages that follow the board.
    package private(set) var followerCount = 0
    private var isClosed = false

    /// Opens a board from its file or log, or creates one.
    ///
    /// - Throws: `LoadingError` if the file cannot be read; the file is not changed. `ReplicaError` if the log refuses
    ///   the board. The log's error if the log cannot be reached.
    package init(named name: String, in home: BoardHome) async throws {
        self.name = name
        let graph = IndependentGraph(named: name)
        self.graph = graph
        inspector = graph.run { Diagnostics.inspector(titled: "board \(name)") }
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
        let limit = HistoryLimit(entries: Limits.steps, bytes: Limits.stepBytes)
        history = graph.run { History(board.contents, limit: limit, named: "steps") }
    }

    /// Opens a board from a file.
    package init(named name: String, file: URL) async throws { try await self.init(named: name, in: .file(file)) }

    private func startShowing() {
        view = graph.run {
            BoardView(board, storage, isolation: self) { [unowned self] in assumeIsolated { $0.rendered() } }
        }
        _ = view?.takeChanges()
        isPerforming = false
    }

    private func rendered() {
        // A command publishes its changes itself. Otherwise another server has changed the board, or another thread was
        // using the graph. Then several renders may belong to one transaction, and they are published together at the
        // end of this turn of the actor.
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

    /// Carries out a command and waits until it is saved.
    ///
    /// With a shared storage, the command sees all saved changes of all servers. If another server changes the same
    /// objects before the command is saved, the command is carried out again on the changed board.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - id: The identity of the command. A command that has been carried out is not carried out again.
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

    /// Carries out a command. It is published to the pages, and not yet saved when this returns; see ``save()``.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - id: The identity of the command. A command that has been carried out is not carried out again.
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

    /// Carries out a command again after a part of it was dropped.
    private func performAgain(_ command: Command, id: CommandID?) throws -> Int {
        do {
            _ = try change { try board.perform(command) }
        } catch let refusal as Refusal {
            // The board has noted the command as carried out. Forget it, so that it is refused again if it is sent
            // again.
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

    /// Waits until all performed commands are saved.
    ///
    /// - Throws: The reason why saving failed. The changes are saved with the next change.
    package func save() async throws { try await flush() }

    /// Waits for a flush that begins now or later. Concurrent callers share one flush.
    private func flush() async throws {
        let wanted = flushCount + 1
        while true {
            let flushing = flushing ?? beginToFlush()
            if flushing.number >= wanted { return try await flushing.task.value }
            // It may have begun before the caller's change.
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

    /// The current page.
    package var page: HTML {
        Markup.page(
            of: board, columns: view?.markup ?? "", trouble: view?.trouble ?? "", named: name,
            at: feed.position.description)
    }

    /// Returns the contents of the board as JSON.
    package func contents() throws -> Data { try JSONEncoder().encode(board) }

    /// Returns the messages for a page after a position. Uses the actor only if the page needs the whole board.
    package nonisolated func messages(after seen: Position?) async -> [Message] {
        if let missed = feed.messages(after: seen) { return missed }
        return [await whole]
    }

    private var whole: Message { feed.whole { view?.fragments.all ?? PageUpdate() } }

    /// Returns the dependency graph of the board.
    package func graphSnapshot() -> Diagnostics.GraphSnapshot { graph.run { Diagnostics.graph() } }

    /// Returns a copy of the board, with the steps that led to its present state.
    package func copy() async throws -> BoardCopy {
        guard let history else { throw IsClosed() }
        // In one transaction, because other servers may write to the board.
        let (contents, steps) = graph.run {
            inTransaction { (Result { try JSONEncoder().encode(board.contents) }, history.log) }
        }
        return try await BoardCopy(of: contents.get(), steps: steps, named: name)
    }

    // MARK: - Following

    /// Returns a sequence of notifications: one immediately, and one after each update, at most one per
    /// ``Limits/beat``. Notifications that are not consumed in time are combined.
    ///
    /// - Returns: The sequence, or `nil` if there are too many followers or the board is closed. Call ``unfollow()`` at
    ///   the end.
    package func follow() -> ObservedValues<Pulse>? {
        guard !isClosed, followerCount < Limits.pages else { return nil }
        followerCount += 1
        return pulses
    }

    /// Ends a subscription that `follow` began.
    package func unfollow() { followerCount -= 1 }

    /// Makes followers send a heartbeat.
    package func beat() { beats.value += 1 }

    /// Ends all followers, because the server stops.
    package func endFollowing() { pulse.value.isOver = true }

    // MARK: - Ending

    /// Saves and closes the board.
    package func close() async throws {
        guard !isClosed else { return }
        isClosed = true
        defer { end() }
        try await storage.close(isolation: self)
    }

    /// Saves and closes the board if it has no followers.
    ///
    /// - Returns: Whether this call closed the board.
    func closeIfUnused() async -> Bool {
        guard !isClosed, followerCount == 0, storage.flushWithoutWaiting() else { return false }
        // Everything has been saved, so there is nothing to lose.
        try? await close()
        return true
    }

    private func end() {
        pulses = nil
        history?.end()
        history = nil
        graph.cancelReactions()
        followers.cancelReactions()
    }
}
