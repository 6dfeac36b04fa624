// Connections between processes of one machine. A socket is a file: only users who may open the file can connect.

import Foundation

/// One end of a connection, with functions that block.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a path without waiting, even if the other side is busy.
    ///
    /// - Returns: The descriptor of the connection, which the caller closes.
    /// - Throws: `POSIXError` if no process listens there, or too many connections wait.
    static func connectWithoutWaiting(to path: String) throws -> Int32 {
        let descriptor = create()
        guard
            fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
            withAddress(path, { connect(descriptor, $0, $1) }) == 0
        else {
            defer { close(descriptor) }
            throw POSIXError.last
        }
        return descriptor
    }

    /// Checks that a path can be the path of a socket.
    ///
    /// - Throws: `ENAMETOOLONG`, or `EEXIST` if there is a different file, which would be lost.
    static func checkPath(_ path: String) throws {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw POSIXError(.ENAMETOOLONG)
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK { throw POSIXError(.EEXIST) }
    }

    /// Accepts connections at a path, until the process ends.
    ///
    /// - Throws: `POSIXError` if it cannot listen at the path.
    static func listen(at path: String, ready: () -> Void, accept: (LocalSocket) -> Void) throws -> Never {
        try checkPath(path)
        if let other = try? connectWithoutWaiting(to: path) {
            close(other)
            throw POSIXError(.EADDRINUSE)
        }
        let socket = LocalSocket(create())
        // A killed log has left its socket behind.
        unlink(path)
        guard
            withAddress(path, { bind(socket.descriptor, $0, $1) }) == 0,
            Foundation.listen(socket.descriptor, 128) == 0
        else {
            throw POSIXError.last
        }
        ready()
        while true {
            let connection = Foundation.accept(socket.descriptor, nil, nil)
            if connection >= 0 {
                accept(LocalSocket(connection))
            } else if errno != EINTR, errno != ECONNABORTED {
                // Perhaps too many files are open. That changes when connections end.
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// Sends bytes, until the other side stops accepting them.
    func send(_ bytes: Data) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a line.
    ///
    /// - Returns: The line; `nil` if the connection ends before, if no byte arrives within the milliseconds, or if the
    ///   line is too long.
    func readLine(within timeout: Int32, upTo byteLimit: Int) -> Data? {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while line.count < byteLimit {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, timeout) > 0 else { return nil }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            line += buffer[..<count]
            if let end = buffer[..<count].firstIndex(of: newline) { return line.dropLast(count - end) }
        }
        return nil
    }

    private static func create() -> Int32 {
        // Writing to a connection that has ended is an error. It must not end the program.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
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
