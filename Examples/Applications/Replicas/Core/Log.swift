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
    /// The connections whose readers have not ended.
    private var open: Set<ObjectIdentifier> = []

    /// Opens a log, or makes one.
    ///
    /// - Throws: Why it cannot be done.
    package init(in file: URL) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            try Data().write(to: file, options: .withoutOverwriting)
        }
        let contents = try Data(contentsOf: file)
        // The last line may have been torn.
        let whole = contents[..<(contents.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)]
        // Empty lines count: a line's place is what processes go by.
        lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { Data($0) }
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
        let isOurs = condition.withLock { count <= lines.count && open.insert(ObjectIdentifier(socket)).inserted }
        guard isOurs else {
            let message =
                "refused a process that has read \(count) entries: there are fewer here, so it was another log\n"
            return FileHandle.standardError.write(Data(message.utf8))
        }
        Thread.detachNewThread {
            var sent = count
            while let lines = self.lines(after: sent, for: socket), socket.send(lines, counting: &sent) {}
            socket.end()
        }
        while let line = socket.readLine(), append(line) {}
        condition.withLock {
            open.remove(ObjectIdentifier(socket))
            // The other thread may be waiting for lines.
            condition.broadcast()
        }
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

    /// Waits until there are more lines than so many; `nil` if the connection has ended.
    private func lines(after count: Int, for socket: LocalSocket) -> ArraySlice<Data>? {
        condition.withLock {
            while lines.count <= count, open.contains(ObjectIdentifier(socket)) { condition.wait() }
            return open.contains(ObjectIdentifier(socket)) ? lines[count...] : nil
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
