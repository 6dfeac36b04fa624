// One session of the server. It executes one statement at a time, and delivers notifications.
//
//     execute ──▶ [PQsendPrepare ──▶ results] ──▶ PQsendQueryPrepared ──▶ results ──▶ completion
//                       │                               │
//                       └── PQflush; while bytes are left, a watcher for writing ──┘
//
// A watcher for reading lives as long as the session, so that it notices a lost connection even if it executes nothing.
// Words: a *session* ends with its connection and is never repaired. A *statement* is executed in a session.

import CPostgres
import Dispatch
import Foundation

/// A session: an open connection of libpq. All functions are called on its queue.
final class Session: @unchecked Sendable {
    typealias Completion = (Result<PostgresResult, PostgresError>) -> Void

    /// A statement that is being executed.
    private struct Execution {
        let statement: Statement
        let parameters: [Parameter]
        let ticket: NotificationTicket
        let completion: Completion
        var isPreparing: Bool
        /// The first error; if there is none, the last result.
        var outcome: Result<PostgresResult, PostgresError>?
    }

    private let queue: DispatchQueue
    private let timeout: Duration
    private var connection: OpaquePointer?
    private var reader: SocketWatcher?
    private var writer: SocketWatcher?
    private var prepared: Set<String> = []
    private var execution: Execution?
    private var deadline = DispatchTime.distantFuture
    private var isTimed = false

    /// Called for each notification, with its payload.
    var onNotification: ((String) -> Void)?

    /// Called once when the connection is lost, before the completion of the statement that was being executed.
    var onLoss: ((PostgresError) -> Void)?

    /// Creates the session of a connection.
    ///
    /// - Parameters:
    ///   - handle: The connection. The session closes it.
    ///   - queue: The queue of all functions and closures of the session.
    ///   - timeout: The maximum time without progress while a statement is executed.
    init(_ handle: ConnectionHandle, queue: DispatchQueue, timeout: Duration) {
        self.queue = queue
        self.timeout = timeout
        connection = handle.pointer
        PQsetnonblocking(handle.pointer, 1)
        reader = SocketWatcher(PQsocket(handle.pointer), for: .reading, on: queue) { [weak self] in self?.read() }
    }

    deinit {
        close()
    }

    /// Closes the connection. No closure is called after that.
    func close() {
        reader = nil
        writer = nil
        execution = nil
        guard let connection else { return }
        self.connection = nil
        // The last user of a session may be a thread that must not wait, and closing takes a system call.
        let handle = ConnectionHandle(pointer: connection)
        queue.async { PQfinish(handle.pointer) }
    }

    /// Executes a statement.
    ///
    /// - Precondition: The previous statement has ended.
    func execute(
        _ statement: Statement, _ parameters: [Parameter], ticket: NotificationTicket,
        completion: @escaping Completion
    ) {
        precondition(execution == nil, "internal inconsistency: a session executes one statement at a time")
        let isPreparing = statement.name.map { !prepared.contains($0) } ?? false
        execution = Execution(
            statement: statement, parameters: parameters, ticket: ticket, completion: completion,
            isPreparing: isPreparing)
        guard reader != nil else {
            return lose(.tooManyOpenFiles)
        }
        send()
    }

    // MARK: Sending

    private func send() {
        guard let execution else { return }
        let statement = execution.statement
        let isSent =
            if execution.isPreparing {
                PQsendPrepare(connection, statement.name, statement.sql, 0, nil) == 1
            } else if let name = statement.name {
                sendPrepared(name, execution.parameters)
            } else {
                PQsendQuery(connection, statement.sql) == 1
            }
        guard isSent else { return lose(PostgresError(of: connection)) }
        noteProgress()
        watchTime()
        flush()
    }

    private func sendPrepared(_ name: String, _ parameters: [Parameter]) -> Bool {
        let bytes = parameters.map(\.bytes)
        let lengths = bytes.map { Int32($0.count) }
        let formats = parameters.map { Int32($0.isBinary ? 1 : 0) }
        return withPointers(to: bytes) { values in
            PQsendQueryPrepared(connection, name, Int32(values.count), values, lengths, formats, 0) == 1
        }
    }

    /// Sends the buffered bytes that the socket accepts, and the rest when the socket is ready.
    private func flush() {
        guard connection != nil else { return }
        switch PQflush(connection) {
        case 0: writer = nil
        case 1:
            guard writer == nil else { return }
            writer = SocketWatcher(PQsocket(connection), for: .writing, on: queue) { [weak self] in self?.write() }
            if writer == nil { lose(.tooManyOpenFiles) }
        default: lose(PostgresError(of: connection))
        }
    }

    private func write() {
        noteProgress()
        flush()
    }

    // MARK: Receiving

    /// Reads until no bytes are left, because Dispatch reports only once that the other end has closed the socket.
    private func read() {
        guard connection != nil else { return }
        repeat {
            noteProgress()
            let isAlive = PQconsumeInput(connection) == 1
            // Read the message of the failure now: the next call replaces it.
            let loss = isAlive ? nil : PostgresError(of: connection)
            while let notification = PQnotifies(connection) {
                let payload = String(cString: notification.pointee.extra)
                PQfreemem(notification)
                onNotification?(payload)
            }
            if let loss { return lose(loss) }
            if writer != nil { flush() }
            receive()
        } while isReadable
    }

    /// Whether the socket has bytes to read, or its end.
    private var isReadable: Bool {
        guard let connection else { return false }
        var request = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Processes the results that have arrived.
    private func receive() {
        while connection != nil, let running = execution, PQisBusy(connection) == 0 {
            guard let result = PQgetResult(connection) else {
                finish(running)
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                let rows = PostgresResult(result, ticket: running.ticket)
                if case .failure = running.outcome { break }
                execution?.outcome = .success(rows)
            default:
                let error = PostgresError(result: result, of: connection)
                PQclear(result)
                if case .failure = running.outcome { break }
                execution?.outcome = .failure(error)
            }
        }
    }

    /// Ends a statement; after its preparation, executes it.
    private func finish(_ running: Execution) {
        if running.isPreparing, case .success = running.outcome, let name = running.statement.name {
            prepared.insert(name)
            execution?.isPreparing = false
            execution?.outcome = nil
            return send()
        }
        execution = nil
        let nothing = PostgresError(sqlState: nil, message: "the server sent no result")
        running.completion(running.outcome ?? .failure(nothing))
    }

    // MARK: Losing the connection

    private func lose(_ error: PostgresError) {
        let running = execution
        let onLoss = onLoss
        self.onLoss = nil
        close()
        onLoss?(error)
        running?.completion(.failure(error))
    }

    private func noteProgress() {
        deadline = .now() + timeout.dispatchInterval
    }

    /// Checks the deadline, with one timer for all statements.
    private func watchTime() {
        guard !isTimed else { return }
        isTimed = true
        queue.asyncAfter(deadline: deadline) { [weak self] in
            guard let self else { return }
            isTimed = false
            guard execution != nil else { return }
            guard DispatchTime.now() >= deadline else { return watchTime() }
            lose(PostgresError(sqlState: nil, message: "the server did not answer within \(timeout)"))
        }
    }
}

/// Calls a closure with pointers to several arrays of bytes, as libpq expects parameters.
private func withPointers<Result>(
    to arrays: [[UInt8]], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        guard index < arrays.count else { return body(pointers) }
        return arrays[index].withUnsafeBytes { bytes in
            next(index + 1, pointers + [bytes.baseAddress?.assumingMemoryBound(to: CChar.self)])
        }
    }
    return next(0, [])
}
