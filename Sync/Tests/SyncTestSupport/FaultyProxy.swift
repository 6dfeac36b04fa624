// A proxy between a client and a server, for tests of connections that are slow or lost.
//
//     client ──▶ .s.PGSQL.5432 in the proxy's folder ──▶ a thread for each direction ──▶ the server's socket

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A proxy for Unix sockets that fails on demand.
///
/// Give the client `folder` as its host. It works on bytes and knows no protocol.
package final class FaultyProxy: @unchecked Sendable {
    /// The treatment of bytes.
    package enum Mode: Sendable {
        /// They are passed on.
        case passing
        /// They are passed on later, in both directions.
        case delaying(seconds: Double)
        /// They do not arrive, and neither side is notified: a network that is cut off.
        case blackhole
        /// New connections are refused, and open ones are closed.
        case refusing
    }

    /// The next bytes of one direction do not arrive: all connections are closed instead.
    package enum Cut: Sendable {
        /// Before the server gets the client's next bytes: the command has no effect.
        case beforeRequest
        /// Before the client gets the server's next bytes: the command may have had its effect.
        case beforeReply
    }

    /// The folder of the proxy's socket.
    package let folder: String

    private let target: String
    private let listener: Int32
    private let condition = NSCondition()
    private var mode = Mode.passing
    private var cut: Cut?
    private var sockets: Set<Int32> = []
    private var isStopped = false

    /// Starts a proxy.
    ///
    /// - Parameter folder: The folder of the server's socket.
    package init(to folder: String) throws {
        target = "\(folder)/.s.PGSQL.5432"
        var template = Array("/tmp/reactive-proxy-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PostgresServer.Failure("no temporary folder") }
        self.folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        listener = Self.makeSocket()
        let result = Self.withAddress("\(self.folder)/.s.PGSQL.5432") { bind(listener, $0, $1) }
        guard result == 0, listen(listener, 64) == 0 else { throw PostgresServer.Failure("no socket") }
        Thread.detachNewThread { self.serve() }
    }

    /// Changes the treatment of bytes from now on.
    package func set(_ mode: Mode) {
        condition.withLock {
            self.mode = mode
            if case .refusing = mode { closeAll() }
            condition.broadcast()
        }
    }

    /// Closes all connections when the next bytes arrive in a direction.
    package func cutOnce(_ cut: Cut) {
        condition.withLock { self.cut = cut }
    }

    /// Closes all connections now. New ones are accepted.
    package func cutNow() {
        condition.withLock { closeAll() }
    }

    /// Stops the proxy and removes its folder.
    package func stop() {
        condition.withLock {
            isStopped = true
            closeAll()
            condition.broadcast()
        }
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
            #endif
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let isRefused = condition.withLock {
                if case .refusing = mode { true } else { isStopped }
            }
            let server = isRefused ? -1 : Self.makeSocket()
            guard server >= 0, Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
                close(client)
                if server >= 0 { close(server) }
                continue
            }
            condition.withLock { sockets.formUnion([client, server]) }
            let pair = Pair(client, server) { sockets in
                self.condition.withLock { self.sockets.subtract(sockets) }
            }
            Thread.detachNewThread { self.copy(from: client, to: server, cutting: .beforeRequest, pair) }
            Thread.detachNewThread { self.copy(from: server, to: client, cutting: .beforeReply, pair) }
        }
        close(listener)
    }

    private func copy(from source: Int32, to target: Int32, cutting cut: Cut, _ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, letPass(cut) else { break }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes {
                    send(target, $0.baseAddress! + sent, count - sent, Self.flags)
                }
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        pair.end()
    }

    /// Waits as the mode requires. Returns whether to pass the bytes on.
    private func letPass(_ direction: Cut) -> Bool {
        condition.withLock {
            if cut == direction {
                cut = nil
                closeAll()
                return false
            }
            var end: Date?
            while true {
                switch mode {
                case .passing: return true
                case .refusing: return false
                case .blackhole:
                    guard !isStopped else { return false }
                    condition.wait()
                case .delaying(let seconds):
                    end = end ?? Date(timeIntervalSinceNow: seconds)
                    guard condition.wait(until: end!) else { return true }
                }
            }
        }
    }

    private func closeAll() {
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The two sockets of a connection: both threads end it, and the second one closes them.
    private final class Pair: @unchecked Sendable {
        private let lock = NSLock()
        private let sockets: [Int32]
        private let willClose: ([Int32]) -> Void
        private var ended = 0

        init(_ client: Int32, _ server: Int32, willClose: @escaping ([Int32]) -> Void) {
            sockets = [client, server]
            self.willClose = willClose
        }

        func end() {
            lock.withLock {
                ended += 1
                for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
                guard ended == 2 else { return }
                willClose(sockets)
                for socket in sockets { close(socket) }
            }
        }
    }

    /// Prevents a socket that the other end has closed from ending the process.
    private static var flags: Int32 {
        #if canImport(Darwin)
        0
        #else
        Int32(MSG_NOSIGNAL)
        #endif
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
