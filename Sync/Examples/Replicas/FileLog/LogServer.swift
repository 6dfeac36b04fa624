// Serves a log to other processes, over a socket. Each connection is one call, on a thread of its own, which may block.

import Foundation
import ReactiveSync

/// The server of a log.
package struct LogServer: Sendable {
    private let log: LogFile
    /// The longest time in seconds that a connection waits: for its request, and for entries.
    private let patience = 10.0

    /// Creates a server.
    package init(_ log: LogFile) { self.log = log }

    /// Serves connections at a path, for ever.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - ready: Runs when processes can connect.
    /// - Throws: The reason why it cannot listen at the path.
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
            // Without an answer, the client asks again.
            FileHandle.standardError.write(Data("a request failed: \(error)\n".utf8))
        }
    }

    private func answer(to request: Request) throws -> Answer {
        do {
            switch request {
            case .start(let replica): return .start(log.start(of: replica))
            case .entries(let position, let limit): return .entries(try log.entries(after: position, limit: limit))
            case .wait(let position):
                // A client that has gone is noticed by answering, so nobody waits for ever.
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
