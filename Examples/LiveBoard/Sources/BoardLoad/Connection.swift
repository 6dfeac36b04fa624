// A connection to a port of this machine with minimal overhead, because the load program shares two cores with the
// server that it measures.

import Foundation

/// A TCP connection.
final class Connection: @unchecked Sendable {
    // `Sendable` because one thread at a time uses it.
    let socket: Int32
    private var unread: [UInt8] = []

    init(port: Int) throws {
        // The peer may close the connection during a write.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Darwin)
        socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(socket)
            throw Failure("no connection to port \(port): \(String(cString: strerror(errno)))")
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends a text.
    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("the connection is broken") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Waits for data and reads it into a buffer.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(0, Foundation.read(socket, buffer.baseAddress, buffer.count))
    }

    /// Reads a response that has a length.
    ///
    /// - Returns: The status and the body.
    func readAnswer() throws -> (status: Int, body: String) {
        while true {
            let text = String(decoding: unread, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound]
                let status = Int(head.split(separator: " ")[1]) ?? 0
                let length =
                    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) } ?? 0
                let start = text[..<end.upperBound].utf8.count
                if unread.count >= start + length {
                    let body = String(decoding: unread[start..<(start + length)], as: UTF8.self)
                    unread.removeFirst(start + length)
                    return (status, body)
                }
            }
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            let count = buffer.withUnsafeMutableBytes(read)
            guard count > 0 else { throw Failure("the server did not answer") }
            unread += buffer[..<count]
        }
    }
}

/// The reason why the load program cannot continue.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
