// Waits until a socket can be read or written, without blocking a thread.
//
//     libpq's socket ──dup──▶ a descriptor of the watcher ──▶ DispatchSource ──▶ handler, on the queue
//
// libpq may close its socket at any time: while it connects, it tries one address after the other, and the next socket
// may get the same number. A source must not outlive its descriptor. So the source watches a duplicate, which is closed
// only after the source has ended.

import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Calls a handler whenever a socket is ready. Ends when it is released.
final class SocketWatcher {
    /// The readiness for which the socket is watched.
    enum Direction { case reading, writing }

    private let source: any DispatchSourceProtocol

    /// Begins to watch a socket.
    ///
    /// - Parameters:
    ///   - socket: The socket's descriptor. The caller may close it at any time.
    ///   - direction: The readiness for which the socket is watched.
    ///   - queue: The queue on which the handler is called.
    ///   - handler: Called repeatedly while the socket is ready.
    /// - Returns: `nil` if the process has no descriptor left.
    init?(
        _ socket: Int32, for direction: Direction, on queue: DispatchQueue, handler: @escaping @Sendable () -> Void
    ) {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        let source: any DispatchSourceProtocol =
            switch direction {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            }
        source.setEventHandler(handler: handler)
        source.setCancelHandler { close(descriptor) }
        source.activate()
        self.source = source
    }

    deinit {
        source.cancel()
    }
}
