// Lines of text between processes of one machine, over a socket that is a file: nobody who may not open the file can connect.

import Foundation

/// One end of a connection.
package final class LocalSocket: @unchecked Sendable {
    // Sendable because one thread reads, the lock guards writing, and the descriptor never changes.
    private let descriptor: Int32
    private let lock = NSLock()
    private var unread: [UInt8] = []

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a path; `nil` if nobody listens there.
    package static func connect(to path: String) -> LocalSocket? {
        let socket = LocalSocket(make())
        let status = withAddress(path) { Foundation.connect(socket.descriptor, $0, $1) }
        return status == 0 ? socket : nil
    }

    /// Makes sure that a path can be that of a socket.
    ///
    /// - Throws: `ENAMETOOLONG`, or `EEXIST` if something else is there, which would be lost.
    package static func checkPath(_ path: String) throws {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw POSIXError(.ENAMETOOLONG)
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK { throw POSIXError(.EEXIST) }
    }

    /// Waits for connections at a path, for ever.
    ///
    /// - Throws: Why it cannot be done.
    package static func listen(at path: String, ready: () -> Void, accept: (LocalSocket) -> Void) throws {
        try checkPath(path)
        guard connect(to: path) == nil else { throw POSIXError(.EADDRINUSE) }
        let socket = LocalSocket(make())
        // What a log has left behind that was killed.
        unlink(path)
        guard
            withAddress(path, { bind(socket.descriptor, $0, $1) }) == 0,
            Foundation.listen(socket.descriptor, 16) == 0
        else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        ready()
        while true {
            let connection = Foundation.accept(socket.descriptor, nil, nil)
            if connection >= 0 {
                accept(LocalSocket(connection))
            } else if errno != EINTR, errno != ECONNABORTED {
                // There are too many open files, say: it takes a while until that has changed.
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// Sends a line.
    ///
    /// - Returns: `false` if the connection has ended. The line may have got there, or not.
    @discardableResult
    package func send(_ line: Data) -> Bool {
        lock.withLock {
            var bytes = Array(line + [UInt8(ascii: "\n")])[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return false }
                bytes = bytes.dropFirst(count)
            }
            return true
        }
    }

    /// The next line; `nil` at the end, or when so many milliseconds have brought nothing.
    package func readLine(within timeout: Int32 = -1) -> Data? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return Data(unread[..<end])
            }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, timeout) != 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(descriptor, &buffer, buffer.count)
            // No line of an honest peer is that long.
            guard count > 0, unread.count < 1 << 24 else { return nil }
            unread += buffer[..<count]
        }
    }

    /// Ends the connection; the reader sees the end.
    package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func make() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Darwin)
        return socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
