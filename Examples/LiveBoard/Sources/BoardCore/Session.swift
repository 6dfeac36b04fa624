// A board in use: its state, its page, its file, and who is told of changes. One actor and one graph each, so that boards that have nothing
// to do with each other run in parallel.
//
// The order of things, all of them on the actor:
//
//     perform        a command becomes one transaction; the fragments that show what changed render themselves
//     publish        what was rendered becomes one numbered update, and `version` tells the followers
//     save           a command is answered when it is on the disk; those that came meanwhile are written with it

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

/// A board in use.
package actor Session {
    /// What the address calls it.
    package nonisolated let name: String
    private let graph: IndependentGraph
    private let board: Board
    private let view: BoardView
    private var feed = Feed()
    private let pulse: Observable<Pulse>
    /// Whoever follows is no part of the board's graph.
    private let followers = IndependentGraph(named: "followers")
    private var autosave: Autosave?
    private var savedPosition: Position
    /// How many pages follow it.
    package private(set) var followerCount = 0

    /// Opens a board: from its file, or a new one.
    ///
    /// - Throws: `LoadingError` if there is a file that cannot be read; it stays as it is.
    package init(named name: String, file: URL) async throws {
        self.name = name
        let graph = IndependentGraph(named: name)
        self.graph = graph
        (board, view) = try graph.run {
            let board = try Session.load(name, file)
            return (board, BoardView(board))
        }
        pulse = followers.run { Observable(Pulse(), named: "pulse") }
        savedPosition = feed.position
        _ = view.takeChanges()
        startSaving(to: file)
    }

    private static func load(_ name: String, _ file: URL) throws -> Board {
        do throws(LoadingError) {
            return try ReactiveCodable.load(from: file)
        } catch {
            guard error.kind == .noFile else { throw error }
            return .sample(named: name.prefix(1).uppercased() + name.dropFirst())
        }
    }

    private func startSaving(to file: URL) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Errors are thrown by `flush`, to whoever sent the command.
        autosave = graph.run {
            ReactiveCodable.autosave(board, to: file, encoder: encoder, named: "autosave", onError: { _ in })
        }
    }

    // MARK: - Changing

    /// Carries out a command. When this returns, the pages are being told, and the change is on the disk.
    ///
    /// - Throws: `Refusal`, or why it could not be saved. In the latter case it has happened, and is saved with the next change.
    package func perform(_ command: Command) throws {
        try graph.run { try board.perform(command) }
        publish()
    }

    /// Waits until all that has been performed is on the disk.
    ///
    /// - Throws: Why it could not be saved. It is saved with the next change.
    package func save() throws {
        // Commands that came while the last save was running are all in the next one.
        guard savedPosition != feed.position else { return }
        let position = feed.position
        try graph.run { try autosave?.flush() }
        savedPosition = position
    }

    private func publish() {
        let update = view.takeChanges()
        guard !update.isEmpty else { return }
        feed.append(update)
        pulse.value.beats += 1
    }

    // MARK: - Showing

    /// The whole page as it is now.
    package var page: HTML {
        Markup.page(of: board, columns: view.markup, named: name, at: feed.position.description)
    }

    /// What the board holds, as JSON.
    package func contents() throws -> Data { try JSONEncoder().encode(board) }

    /// What a page has to be told that has come as far as `seen`.
    package func messages(after seen: Position?) -> [Message] {
        feed.messages(after: seen) { view.fragments.all }
    }

    /// The graph of the board.
    package func graphSnapshot() -> Diagnostics.GraphSnapshot { graph.run { Diagnostics.graph() } }

    // MARK: - Following

    /// Begins to follow the board: an element now, and one whenever there is something to tell. Elements that nobody fetches in time are
    /// one.
    ///
    /// - Returns: `nil` if too many follow already. Else, call ``unfollow()`` at the end.
    package func follow() -> ObservedValues<Pulse>? {
        guard followerCount < Limits.pages else { return nil }
        followerCount += 1
        let pulse = pulse
        return followers.run { values(named: "follower", of: { pulse.value }) }
    }

    /// Ends what `follow` began.
    package func unfollow() { followerCount -= 1 }

    /// Makes followers show a sign of life.
    package func beat() { pulse.value.beats += 1 }

    /// Sends all followers away, because the server stops.
    package func endFollowing() { pulse.value.isOver = true }

    /// Saves and ends everything.
    package func close() throws {
        defer {
            autosave?.cancel()
            graph.cancelReactions()
        }
        try graph.run { try autosave?.flush() }
    }
}
