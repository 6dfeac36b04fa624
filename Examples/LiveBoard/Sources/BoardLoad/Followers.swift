// Pages that follow boards: one thread reads the updates of all and records the position of each.

import Foundation

/// Connections that follow boards.
final class Followers: @unchecked Sendable {
    // `Sendable` because the lock guards the mutable state, except the state that only the reading thread uses.
    private let lock = NSLock()
    private let connections: [Connection]
    private let boards: [String]
    private var positions: [[UInt8]]
    private var updateCount = 0
    private var byteCount = 0
    private var lastArrival = ContinuousClock.now
    private var isOver = false
    /// The incomplete last line of each connection.
    private var torn: [[UInt8]]

    init(_ count: Int, of boards: [String], port: Int) throws {
        self.boards = (0..<count).map { boards[$0 % boards.count] }
        connections = try self.boards.map { board in
            let connection = try Connection(port: port)
            try connection.send("GET /boards/\(board)/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            return connection
        }
        positions = Array(repeating: [], count: count)
        torn = positions
        Thread.detachNewThread { [self] in read() }
    }

    private func read() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        while !lock.withLock({ isOver }) {
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            for index in polled.indices where polled[index].revents != 0 {
                let count = connections[index].read(into: buffer)
                if count == 0 { polled[index].fd = -1 }
                take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: index)
            }
        }
    }

    /// Counts the lines with positions.
    private func take(_ piece: UnsafeRawBufferPointer, of index: Int) {
        let mark = Array("id: ".utf8)
        var count = 0
        var last: [UInt8]?
        var start = 0
        while let found = memchr(piece.baseAddress! + start, 0x0A, piece.count - start) {
            let end = UnsafeRawPointer(found) - piece.baseAddress!
            let line = torn[index] + piece[start..<min(end, start + 64)]
            if line.starts(with: mark) {
                count += 1
                last = Array(line.dropFirst(mark.count))
            }
            torn[index] = []
            start = end + 1
        }
        if torn[index].count < 64 { torn[index] += piece[start...].prefix(64) }
        lock.withLock {
            updateCount += count
            byteCount += piece.count
            lastArrival = .now
            if let last { positions[index] = last }
        }
    }

    /// The total number of updates and bytes received, and the time of the last one.
    var received: (updates: Int, bytes: Int, last: ContinuousClock.Instant) {
        lock.withLock { (updateCount, byteCount, lastArrival) }
    }

    /// Waits until all connections have received something.
    ///
    /// - Throws: If that takes more than 30 seconds.
    func waitUntilConnected() throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let missing = lock.withLock { positions.count { $0.isEmpty } }
            if missing == 0 { return }
            guard ContinuousClock.now < deadline else { throw Failure("\(missing) followers received nothing") }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Waits until nothing has arrived for a while.
    func settle() {
        var before = -1
        while received.bytes != before {
            before = received.bytes
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    /// Returns the number of connections that have ended or are behind the page of their board.
    func behind(_ pages: [String: String]) -> Int {
        lock.withLock {
            zip(boards, positions).count { board, position in
                pages[board]?.contains("data-position=\"\(String(decoding: position, as: UTF8.self))\"") != true
            }
        }
    }

    /// Ends all connections.
    func end() { lock.withLock { isOver = true } }
}
