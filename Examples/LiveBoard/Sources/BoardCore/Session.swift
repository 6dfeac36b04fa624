// A board in use: its state, its page, its file, and who is told of changes. One actor and one graph each, so that boards that have nothing
// to do with each other run in parallel.
//
// The order of things, all of them on the actor:
//
//     perform        a command becomes one transaction; the fragments that show what changed render themselves
//     publish        what was rendered becomes one numbered update, and `version` tells the followers
//     save           a command is answered when it is on the disk
//
// The file is written elsewhere, and the actor goes on. Commands that come meanwhile are written together, next time; followers are told
// a few times a second of all that happened since. So neither the disk nor the number of followers sets the pace of the commands.

import Foundation
import Reactive
import ReactiveCodable

/// What followers wait for.
package struct Pulse: Sendable, Equatable {
    /// How many updates and signs of life there were.
    var beats = 0
    /// Whether there will be no more.
    package fileprivate(set) var isOver = false
}

/// The board was closed between being asked for and being used. Asked for again, it is opened again.
package struct IsClosed: Error {}

/// A board in use.
package actor Session {
    /// What the address calls it.
    package nonisolated let name: String
    private let graph: IndependentGraph
    private let board: Board
    private var view: BoardView?
    /// Whether what is rendered is published by whoever makes it change.
    private var isPerforming = true
    private nonisolated let feed = Feed()
    private let pulse: Observable<Pulse>
    /// One reaction for all who follow, however many: each has an iterator.
    private var pulses: ObservedValues<Pulse>?
    private let beats: Observable<Int>
    private var beating: Reaction?
    /// Whoever follows is no part of the board's graph.
    private let followers = IndependentGraph(named: "followers")
    private var autosave: Autosave?
    /// How many commands were carried out, and how many of them are on the disk. Some render nothing, or render later.
    private var performedCount = 0
    private var savedCount = 0
    /// What is being written, and how many commands are in it.
    private var writing: (count: Int, task: Task<Void, any Error>)?
    /// How many pages follow it.
    package private(set) var followerCount = 0
    private var isClosed = false

    /// Opens a board: from its file, or a new one.
    ///
    /// - Throws: `LoadingError` if there is a file that cannot be read; it stays as it is.
    package init(named name: String, file: URL) async throws {
        self.name = name
        let graph = IndependentGraph(named: name)
        self.graph = graph
        board = try graph.run { try Session.load(name, file) }
        (pulse, beats) = followers.run { (Observable(Pulse(), named: "pulse"), Observable(0, named: "beats")) }
        startShowing()
        startSaving(to: file)
        startTelling()
    }

    private static func load(_ name: String, _ file: URL) throws -> Board {
        do throws(LoadingError) {
            return try ReactiveCodable.load(from: file)
        } catch {
            guard error.kind == .noFile else { throw error }
            return .sample(named: name.prefix(1).uppercased() + name.dropFirst())
        }
    }

    private func startShowing() {
        view = graph.run {
            BoardView(board, isolation: self) { [unowned self] in assumeIsolated { $0.rendered() } }
        }
        _ = view?.takeChanges()
        isPerforming = false
    }

    private func rendered() {
        // Else another thread was using the graph, and what a command has changed is rendered after the command.
        if !isPerforming { publish() }
    }

    private func startSaving(to file: URL) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Errors are thrown by `flush`, to whoever sent the command.
        autosave = graph.run {
            ReactiveCodable.autosave(
                board, to: file, as: .journal, encoder: encoder, newFileAccess: .ownerOnly, named: "autosave",
                onError: { _ in })
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

    /// Carries out a command. When this returns, the pages are being told; see ``save()``.
    ///
    /// - Parameters:
    ///   - command: What to do.
    ///   - id: What tells it from others. One that has been carried out is not carried out again.
    /// - Throws: `Refusal`, or ``IsClosed``.
    package func perform(_ command: Command, id: CommandID? = nil) throws {
        guard !isClosed else { throw IsClosed() }
        isPerforming = true
        defer {
            isPerforming = false
            publish()
        }
        try graph.run { try board.perform(command, id: id) }
        performedCount += 1
    }

    /// Waits until all that has been performed is on the disk. Those who wait at the same time share one write.
    ///
    /// - Throws: Why it could not be saved. It is saved with the next change.
    package func save() async throws {
        let wanted = performedCount
        while savedCount < wanted {
            let writing = writing ?? write()
            if writing.count >= wanted { return try await writing.task.value }
            // It began without what is wanted here.
            _ = await writing.task.result
        }
    }

    private func write() -> (count: Int, task: Task<Void, any Error>) {
        let count = performedCount
        let task = Task {
            defer { writing = nil }
            try await autosave?.flushInBackground()
            savedCount = max(savedCount, count)
        }
        writing = (count, task)
        return (count, task)
    }

    private func publish() {
        guard let update = view?.takeChanges(), !update.isEmpty else { return }
        feed.append(update)
        beats.value += 1
    }

    // MARK: - Showing

    /// The whole page as it is now.
    package var page: HTML {
        Markup.page(of: board, columns: view?.markup ?? "", named: name, at: feed.position.description)
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
    package func close() throws {
        defer { end() }
        try graph.run { try autosave?.flush() }
        savedCount = performedCount
    }

    /// Saves and ends everything if nobody follows.
    ///
    /// - Returns: Whether that was done, by this call.
    func closeIfUnused() -> Bool {
        guard !isClosed, followerCount == 0, (try? graph.run({ try autosave?.flush() })) != nil else { return false }
        savedCount = performedCount
        end()
        return true
    }

    private func end() {
        isClosed = true
        autosave?.cancel()
        pulses = nil
        graph.cancelReactions()
        followers.cancelReactions()
    }
}
