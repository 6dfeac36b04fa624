// The log between the processes: takes lines from everybody, and sends all of them to everybody in one order. It does not know what they
// mean. A topic of a message broker does the same, and may stand in its place: one partition, so that there is one order, kept for as long
// as a process may be away.
//
// A process says how many entries it has, and gets the others. Each connection has two threads: one takes, the other sends and goes at the
// pace of its reader. A line is in the file before anybody gets it, so that nobody has seen what is lost when the log is killed.

import Foundation

/// A log in a file.
package final class Log: @unchecked Sendable {
    // Sendable because the condition guards the state.
    private let condition = NSCondition()
    private var lines: [Data]
    private let file: FileHandle
    private var size: UInt64

    /// Opens a log, or makes one.
    ///
    /// - Throws: Why it cannot be done.
    package init(in file: URL) throws {
        let contents = (try? Data(contentsOf: file)) ?? Data()
        // The last line may have been torn.
        let whole = contents[..<(contents.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)]
        lines = whole.split(separator: UInt8(ascii: "\n")).map { Data($0) }
        if contents.isEmpty { try Data().write(to: file) }
        self.file = try FileHandle(forWritingTo: file)
        size = UInt64(whole.count)
        try self.file.truncate(atOffset: size)
    }

    /// Serves connections at a path, for ever.
    ///
    /// - Throws: Why it cannot be done.
    package func serve(at path: String, ready: () -> Void) throws {
        try LocalSocket.listen(at: path, ready: ready) { socket in
            Thread.detachNewThread { self.serve(socket) }
        }
    }

    private func serve(_ socket: LocalSocket) {
        defer { socket.end() }
        guard let first = socket.readLine(), let count = Int(String(decoding: first, as: UTF8.self)), count >= 0 else {
            return
        }
        Thread.detachNewThread {
            var sent = count
            while socket.send(self.lines(after: sent), counting: &sent) {}
            socket.end()
        }
        while let line = socket.readLine(), append(line) {}
        // The other thread finds out when it sends.
    }

    private func append(_ line: Data) -> Bool {
        condition.withLock {
            do {
                try file.write(contentsOf: line + [UInt8(ascii: "\n")])
                try file.synchronize()
            } catch {
                // Nobody has seen the line; its author sends it again after connecting.
                try? file.truncate(atOffset: size)
                return false
            }
            size += UInt64(line.count) + 1
            lines.append(line)
            condition.broadcast()
            return true
        }
    }

    /// Waits until there are more lines than so many.
    private func lines(after count: Int) -> ArraySlice<Data> {
        condition.withLock {
            while lines.count <= count { condition.wait() }
            return lines[count...]
        }
    }
}

extension LocalSocket {
    fileprivate func send(_ lines: some Sequence<Data>, counting sent: inout Int) -> Bool {
        for line in lines {
            guard send(line) else { return false }
            sent += 1
        }
        return true
    }
}
