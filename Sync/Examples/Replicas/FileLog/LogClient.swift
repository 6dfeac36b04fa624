// A log in a different process, as replicas see it: the five functions of `ReplicaLog`, each of which sends a request
// and reads the answer. It keeps nothing, so there is nothing to restore when the log has been away: a call that fails
// throws an error that is no `LogError`, and the replica calls again after a pause.

import Dispatch
import Foundation
import ReactiveSync

/// The client of a ``LogServer``.
package struct LogClient: ReplicaLog {
    /// The log could not be reached, or the connection was lost.
    package struct Unreachable: Error, CustomStringConvertible {
        package let description: String
    }

    private let path: String
    /// Runs what is done for connections, which never blocks.
    private let queue = DispatchQueue(label: "client of a log")

    /// Creates a client of the log that listens at a path. Each call connects anew.
    ///
    /// - Throws: `POSIXError` if a socket cannot have this path.
    package init(at path: String) throws {
        try LocalSocket.checkPath(path)
        self.path = path
    }

    package func start(of replica: UUID) async throws -> LogStart {
        guard case .start(let start) = try await answer(to: .start(replica: replica)) else { throw malformed }
        return start
    }

    package func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        let request = Request.entries(after: position, limit: limit)
        guard case .entries(let entries) = try await answer(to: request) else { throw malformed }
        return entries
    }

    package func waitForEntries(after position: Int) async throws { _ = try await answer(to: .wait(after: position)) }

    package func append(_ entries: [LogEntry]) async throws { _ = try await answer(to: .append(entries: entries)) }

    package func save(_ snapshot: LogSnapshot) async throws { _ = try await answer(to: .save(snapshot: snapshot)) }

    private var malformed: Unreachable { Unreachable(description: "the server at \(path) is not a log") }

    /// Sends a request, and returns the answer, unless that is a refusal.
    private func answer(to request: Request) async throws -> Answer {
        let request = try line(request)
        guard request.count <= requestByteLimit else {
            throw LogError.refused("the request has \(request.count) bytes, and the maximum is \(requestByteLimit)")
        }
        let reply = try await reply(to: request)
        guard let answer = try? value(Answer.self, in: reply) else { throw malformed }
        if let error = answer.error { throw error }
        return answer
    }

    /// Sends a line, and returns the one that comes back before the log closes the connection.
    private func reply(to line: Data) async throws -> Data {
        let descriptor: Int32
        do {
            descriptor = try LocalSocket.connectWithoutWaiting(to: path)
        } catch {
            throw Unreachable(description: "no log listens at \(path). Start it first: Replicas log \(path) FILE")
        }
        let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in close(descriptor) }
        defer { channel.close(flags: .stop) }
        let (reply, error) = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let bytes = line.withUnsafeBytes { DispatchData(bytes: $0) }
                // If writing fails, so does reading.
                channel.write(offset: 0, data: bytes, queue: queue) { _, _, _ in }
                var reply = Data()
                channel.read(offset: 0, length: .max, queue: queue) { isDone, bytes, error in
                    if let bytes { reply.append(contentsOf: bytes) }
                    if isDone { continuation.resume(returning: (reply, error)) }
                }
            }
        } onCancel: {
            channel.close(flags: .stop)
        }
        try Task.checkCancellation()
        guard error == 0, reply.last == newline else {
            throw Unreachable(description: "the connection to \(path) was lost")
        }
        return reply
    }
}
