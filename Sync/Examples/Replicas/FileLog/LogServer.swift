// Serves a log to other processes, over a socket. Each connection is one call, on its own thread, which may block.

import Foundation
import ReactiveSync

/// The server of a log.
package struct LogServer: Sendable {
    private let log: LogFile
    /// The maximum time in seconds that a connection waits: for its request, and for entries.
    private let patience = 10.0

    /// Creates a server.
    package init(_ log: LogFile) { self.log = log }

    /// Serves connections at a path, until the process ends.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - ready: Runs when processes can connect.
    /// - Throws: `POSIXError` if it cannot listen at the path.
    package func serve(at path: String, ready: () -> Void) throws -> Never {
        try LocalSocket.listen(at: path, ready: ready) { socket in
            Thread.detachNewThread { serve(socket) }
        }
    }

    private func serve(_ socket: LocalSocket) {
        do {
            let request = socket.readLine(within: Int32(patience * 1_000), upTo: requestByteLimit)
            guard let request, let request = try? value(Request.self, in: request) else { return }
            socket.send(try line(answer(to: request)))
        } catch {
            // Without an answer, the client sends the request again.
            FileHandle.standardError.write(Data("a request failed: \(error)\n".utf8))
        }
    }

    private func answer(to request: Request) throws -> Answer {
        do {
            switch request {
            case .start(let replica): return .start(log.start(of: replica))
            case .entries(let position, let limit): return .entries(try log.entries(after: position, limit: limit))
            case .wait(let position):
                // Only an answer shows that the client has gone, so every wait has a time limit.
                log.waitForEntries(after: position, until: Date(timeIntervalSinceNow: patience))
            case .append(let entries): try log.append(entries)
            case .save(let snapshot): try log.save(snapshot)
            }
            return .done
        } catch let error as LogError {
            return Answer(error)
        }
    }
}
