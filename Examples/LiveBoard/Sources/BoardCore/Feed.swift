// The updates for pages: numbered, in order. The latest ones are kept.
//
// A page sends its position. If all later updates are still kept, the page gets these. Otherwise, and after a restart
// of the server, it gets the whole board. There is no queue per page: each page has a position in one log for all. So a
// slow page does not cost the server memory.

import Foundation

/// The position of a page in the updates. As text on the network: `5f3a09-17`.
package struct Position: Sendable, Hashable, CustomStringConvertible {
    /// The run of the server that numbered the updates.
    let run: String
    /// The number of updates so far.
    let version: Int

    /// The text.
    package var description: String { "\(run)-\(version)" }

    init(run: String, version: Int) {
        self.run = run
        self.version = version
    }

    /// Reads a position.
    ///
    /// - Returns: The position, or `nil` if the text is malformed.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 32, let version = Int(parts[1]), version >= 0 else { return nil }
        self.init(run: String(parts[0]), version: version)
    }
}

/// A message for pages. It is encoded once and sent to all.
package struct Message: Sendable {
    /// The position of a page that has received the message.
    package let position: Position
    /// Whether the message has the whole board instead of changes.
    package let isWhole: Bool
    /// A `PageUpdate` as an event of an event stream.
    package let event: String
    /// The `PageUpdate` alone, as JSON.
    package var json: Substring { event.dropLast(2).split(separator: "data: ", maxSplits: 1).last ?? "" }

    init(_ update: PageUpdate, isWhole: Bool, at position: Position) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and arrays of strings can always be encoded.
        let json = String(decoding: try! encoder.encode(update), as: UTF8.self)
        event = "id: \(position)\nevent: \(isWhole ? "whole" : "update")\ndata: \(json)\n\n"
        self.position = position
        self.isWhole = isWhole
    }
}

/// The updates of a board. Only its session appends. Followers read on their own threads, so that many readers do not
/// delay the session.
final class Feed: @unchecked Sendable {
    // Sendable because the lock guards the state.
    private struct State {
        var log: [Message] = []
        var logSize = 0
        var position: Position
        var whole: Message?
    }

    private let lock = NSLock()
    private var state: State
    private let limit: Int

    /// - Parameters:
    ///   - limit: The maximum size of the kept updates, in bytes.
    ///   - run: The identifier of this run of the server.
    init(limit: Int = Limits.log, run: String = String(UInt64.random(in: .min ... .max), radix: 36)) {
        self.limit = limit
        state = State(position: Position(run: run, version: 0))
    }

    /// The current position of the board.
    var position: Position { lock.withLock { state.position } }

    func append(_ update: PageUpdate) {
        let old = position
        let position = Position(run: old.run, version: old.version + 1)
        let message = Message(update, isWhole: false, at: position)
        lock.withLock {
            state.position = position
            state.log.append(message)
            state.logSize += message.event.utf8.count
            state.whole = nil
            if state.logSize > limit { trim() }
        }
    }

    /// Drops the older half, so that the average cost is low.
    private func trim() {
        var dropped = 0
        while state.logSize > limit / 2, dropped < state.log.count {
            state.logSize -= state.log[dropped].event.utf8.count
            dropped += 1
        }
        state.log.removeFirst(dropped)
    }

    /// Returns the messages after a position.
    ///
    /// - Returns: The messages, or `nil` if they are no longer kept and the page needs the whole board.
    func messages(after seen: Position?) -> [Message]? {
        lock.withLock {
            guard let seen, seen.run == state.position.run, seen.version <= state.position.version else { return nil }
            let missing = state.position.version - seen.version
            return missing <= state.log.count ? Array(state.log.suffix(missing)) : nil
        }
    }

    /// Returns a message with the whole board.
    func whole(_ all: () -> PageUpdate) -> Message {
        if let whole = lock.withLock({ state.whole }) { return whole }
        let message = Message(all(), isWhole: true, at: position)
        lock.withLock { state.whole = message }
        return message
    }
}
