// Pages that follow: one thread reads what all of them are told, and remembers how far each has come.

import Foundation

/// Connections that follow boards.
final class Followers: @unchecked Sendable {
    // Sendable because the lock guards what changes.
    private let lock = NSLock()
    private let connections: [Connection]
    private let boards: [String]
    private var positions: [String]
    private var updateCount = 0
    private var byteCount = 0
    private var ended = 0
    private var isOver = false

    init(_ count: Int, of boards: [String], port: Int) throws {
        self.boards = (0..<count).map { boards[$0 % boards.count] }
        connections = try self.boards.map { board in
            let connection = try Connection(port: port)
            try connection.send("GET /boards/\(board)/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            return connection
        }
        positions = Array(repeating: "", count: count)
        Thread.detachNewThread { [self] in read() }
    }

    private func read() {
        var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        while !lock.withLock({ isOver }) {
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            for index in polled.indices where polled[index].revents != 0 {
                let piece = connections[index].readSome()
                if piece.isEmpty {
                    polled[index].fd = -1
                    lock.withLock { ended += 1 }
                    continue
                }
                take(piece, of: index)
            }
        }
    }

    /// Counts the lines that begin with "id: ". One that is torn in two by the network is seen when the next one comes.
    private func take(_ piece: [UInt8], of index: Int) {
        let mark = Array("\nid: ".utf8)
        var count = 0
        var last: [UInt8] = []
        var start = 0
        while let found = piece[start...].firstRange(of: mark) {
            count += 1
            last = Array(piece[found.upperBound...].prefix { $0 != UInt8(ascii: "\n") })
            start = found.upperBound
        }
        lock.withLock {
            updateCount += count
            byteCount += piece.count
            if !last.isEmpty { positions[index] = String(decoding: last, as: UTF8.self) }
        }
    }

    /// How many updates and bytes all of them together have got.
    var received: (updates: Int, bytes: Int) { lock.withLock { (updateCount, byteCount) } }

    /// Waits until nothing has come for a while.
    func settle() {
        var before = -1
        while received.bytes != before {
            before = received.bytes
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    /// How many have ended, or are not as far as the page of their board.
    func behind(_ pages: [String: String]) -> Int {
        lock.withLock {
            zip(boards, positions).count { board, position in
                pages[board]?.contains("data-position=\"\(position)\"") != true
            }
        }
    }

    /// Ends them all.
    func end() { lock.withLock { isOver = true } }
}
