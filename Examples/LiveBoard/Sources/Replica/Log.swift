// The log between the processes: takes lines from everybody, and sends all of them to everybody in one order. It does not know what they
// mean. A topic of a message broker does the same, and may stand in its place: one partition, so that there is one order, kept for as long
// as a process may be away.
//
// A process says how many entries it has, and gets the others.

import Foundation

/// A log in memory.
package final class Log: @unchecked Sendable {
    // Sendable because the lock guards the state.
    private let lock = NSLock()
    private var lines: [Data] = []
    private var readers: [ObjectIdentifier: LocalSocket] = [:]

    /// Creates an empty one.
    package init() {}

    /// Serves connections at a path, for ever.
    ///
    /// - Throws: Why it cannot be done.
    package func serve(at path: String, ready: () -> Void) throws {
        try LocalSocket.listen(at: path, ready: ready) { socket in
            Thread.detachNewThread { self.serve(socket) }
        }
    }

    private func serve(_ socket: LocalSocket) {
        guard let first = socket.readLine(), let count = Int(String(decoding: first, as: UTF8.self)), count >= 0 else {
            return
        }
        lock.withLock {
            lines.dropFirst(count).forEach(socket.send)
            readers[ObjectIdentifier(socket)] = socket
        }
        while let line = socket.readLine() {
            lock.withLock {
                lines.append(line)
                for reader in readers.values { reader.send(line) }
            }
        }
        _ = lock.withLock { readers.removeValue(forKey: ObjectIdentifier(socket)) }
    }
}
