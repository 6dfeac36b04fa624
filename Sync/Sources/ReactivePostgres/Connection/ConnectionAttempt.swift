// One attempt to connect, on its own queue, where libpq may block to resolve a host's name.
//
//     PQconnectStart ──▶ PQconnectPoll ──reading/writing──▶ wait for the socket ──▶ PQconnectPoll …
//                              ├──ok──────▶ completion(connection)
//                              └──failed──▶ completion(error)

import CPostgres
import Dispatch

/// A connection of libpq that moves from one queue to another. Only its owner uses it.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// One attempt to connect.
///
/// Everything but `init` and `cancel` runs on `queue`.
final class ConnectionAttempt: @unchecked Sendable {
    typealias Completion = @Sendable (Result<ConnectionHandle, PostgresError>) -> Void

    private let queue = DispatchQueue(label: "ReactivePostgres.ConnectionAttempt")
    private var connection: OpaquePointer?
    private var watcher: SocketWatcher?
    private var completion: Completion?

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - parameters: Where to connect.
    ///   - completion: Called once, on the queue of the attempt, if the attempt is not cancelled before. It owns the
    ///     connection.
    init(_ parameters: ConnectionParameters, completion: @escaping Completion) {
        self.completion = completion
        queue.async { self.start(parameters) }
    }

    /// Closes the connection, if the attempt has not succeeded yet.
    func cancel() {
        queue.async {
            self.completion = nil
            self.end()
        }
    }

    private func start(_ parameters: ConnectionParameters) {
        guard completion != nil else { return }
        guard let connection = parameters.begin() else {
            return fail(PostgresError(sqlState: nil, message: "out of memory"))
        }
        self.connection = connection
        guard PQstatus(connection) != CONNECTION_BAD else { return fail(PostgresError(connecting: connection)) }
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)  // with the SQLSTATE in messages
        ignoreNotices(of: connection)
        wait(for: .writing)
    }

    private func poll() {
        guard let connection else { return }
        watcher = nil
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_OK:
            PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
            self.connection = nil
            let completion = completion
            self.completion = nil
            completion?(.success(ConnectionHandle(pointer: connection)))
        case PGRES_POLLING_READING: wait(for: .reading)
        case PGRES_POLLING_WRITING: wait(for: .writing)
        default: fail(PostgresError(connecting: connection))
        }
    }

    /// Watches the current socket of the connection. The watcher keeps the attempt alive.
    private func wait(for direction: SocketWatcher.Direction) {
        watcher = SocketWatcher(PQsocket(connection), for: direction, on: queue) { self.poll() }
        if watcher == nil { fail(.tooManyOpenFiles) }
    }

    private func fail(_ error: PostgresError) {
        let completion = completion
        self.completion = nil
        end()
        completion?(.failure(error))
    }

    private func end() {
        watcher = nil
        if let connection { PQfinish(connection) }
        connection = nil
    }

    /// Keeps libpq from printing what the server remarks, for instance that a table exists already.
    private func ignoreNotices(of connection: OpaquePointer) {
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }
}
