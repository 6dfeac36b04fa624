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

/// Something that a page is told.
package struct Message: Sendable {
    /// How far a page is that has got it.
    package let position: Position
    /// Whether it is everything, rather than what has changed.
    package let isWhole: Bool
    /// A `PageUpdate`.
    package let json: String
}

/// The updates of a board.
struct Feed {
    private var log: [Message] = []
    private var logSize = 0
    private(set) var position: Position
    private var whole: Message?
    private let limit: Int

    /// - Parameters:
    ///   - limit: How many bytes of updates are kept.
    ///   - run: What tells this run of the server from others.
    init(limit: Int = Limits.log, run: String = String(UInt64.random(in: .min ... .max), radix: 36)) {
        self.limit = limit
        position = Position(run: run, version: 0)
    }

    mutating func append(_ update: PageUpdate) {
        position = Position(run: position.run, version: position.version + 1)
        let message = Message(position: position, isWhole: false, json: Feed.json(update))
        log.append(message)
        logSize += message.json.utf8.count
        whole = nil
        if logSize > limit { trim() }
    }

    /// Drops the older half, so that it costs little in the mean.
    private mutating func trim() {
        var dropped = 0
        while logSize > limit / 2, dropped < log.count {
            logSize -= log[dropped].json.utf8.count
            dropped += 1
        }
        log.removeFirst(dropped)
    }

    /// What a page has to be told that has come as far as `seen`.
    ///
    /// - Parameter all: Everything as it is now; asked for if what the page has missed is not known any more.
    mutating func messages(after seen: Position?, all: () -> PageUpdate) -> [Message] {
        if let seen, seen.run == position.run, seen.version <= position.version {
            let missing = position.version - seen.version
            if missing <= log.count { return Array(log.suffix(missing)) }
        }
        let message = whole ?? Message(position: position, isWhole: true, json: Feed.json(all()))
        whole = message
        return [message]
    }

    private static func json(_ update: PageUpdate) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and lists of texts can always be encoded.
        return String(decoding: try! encoder.encode(update), as: UTF8.self)
    }
}
