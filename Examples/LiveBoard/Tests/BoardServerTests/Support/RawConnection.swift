// Raw HTTP, for requests that no correct client sends.

import Foundation

/// A connection to a port of this machine.
final class RawConnection {
    private let socket: Int32

    init(port: Int) throws {
        // The other end may be closed during a write.
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
        guard status == 0 else { throw Browser.Failure(description: "no connection to port \(port)") }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends a text.
    func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            // The server may refuse before it has read everything.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Reads until the expected text arrives, or the end.
    func read(until end: String? = nil) -> String {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: data, as: UTF8.self)
            if let end, text.contains(end) { return text }
            let count = Foundation.read(socket, &buffer, buffer.count)
            guard count > 0 else { return text }
            data += buffer[..<count]
        }
    }
}
