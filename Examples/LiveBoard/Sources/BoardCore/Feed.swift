// What pages have to be told, in order: numbered updates, of which the last ones are kept.
//
// A page says how far it has come. If what came afterwards is still here, it gets that; else, and after a restart of the server, it gets
// everything as it is now. Nothing is queued for a page: it holds a position, and the feed holds one log for all. So a slow page costs
// nothing but its own patience.

import Foundation

/// How far a page has come. Its text is what goes over the wire: `5f3a09-17`.
package struct Position: Sendable, Hashable, CustomStringConvertible {
    /// The run of the server that counted.
    let run: String
    /// How many updates there were.
    let version: Int

    /// The text.
    package var description: String { "\(run)-\(version)" }

    init(run: String, version: Int) {
        self.run = run
        self.version = version
    }

    /// Reads a position.
    ///
    /// - Returns: `nil` if the text is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 32, let version = Int(parts[1]), version >= 0 else { return nil }
        self.init(run: String(parts[0]), version: version)
    }
}

/// Something that a page is told. Written once, and sent to all.
package struct Message: Sendable {
    /// How far a page is that has got it.
    package let position: Position
    /// Whether it is everything, rather than what has changed.
    package let isWhole: Bool
    /// A `PageUpdate` as an event of an event stream.
    package let event: String
    /// The `PageUpdate` alone, as JSON.
    package var json: Substring { event.dropLast(2).split(separator: "data: ", maxSplits: 1).last ?? "" }

    init(_ update: PageUpdate, isWhole: Bool, at position: Position) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and lists of texts can always be encoded.
        let json = String(decoding: try! encoder.encode(update), as: UTF8.self)
        event = "id: \(position)\nevent: \(isWhole ? "whole" : "update")\ndata: \(json)\n\n"
        self.position = position
        self.isWhole = isWhole
    }
}

/// The updates of a board. Its session alone appends; whoever follows reads on its own thread, so that many who read hold up nobody.
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
    ///   - limit: How many bytes of updates are kept.
    ///   - run: What tells this run of the server from others.
    init(limit: Int = Limits.log, run: String = String(UInt64.random(in: .min ... .max), radix: 36)) {
        self.limit = limit
        state = State(position: Position(run: run, version: 0))
    }

    /// How far the board is.
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

    /// Drops the older half, so that it costs little in the mean.
    private func trim() {
        var dropped = 0
        while state.logSize > limit / 2, dropped < state.log.count {
            state.logSize -= state.log[dropped].event.utf8.count
            dropped += 1
        }
        state.log.removeFirst(dropped)
    }

    /// What a page has missed that has come as far as `seen`.
    ///
    /// - Returns: `nil` if that is not known any more: it needs everything.
    func messages(after seen: Position?) -> [Message]? {
        lock.withLock {
            guard let seen, seen.run == state.position.run, seen.version <= state.position.version else { return nil }
            let missing = state.position.version - seen.version
            return missing <= state.log.count ? Array(state.log.suffix(missing)) : nil
        }
    }

    /// Everything as it is now.
    func whole(_ all: () -> PageUpdate) -> Message {
        if let whole = lock.withLock({ state.whole }) { return whole }
        let message = Message(all(), isWhole: true, at: position)
        lock.withLock { state.whole = message }
        return message
    }
}
