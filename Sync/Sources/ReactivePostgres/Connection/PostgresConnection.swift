// A connection that repairs itself: it connects when there is a command to execute, and again after it was lost.
//
//     run ──▶ commands that wait ──▶ the session executes one at a time ──▶ result
//                  │
//        closed ──▶ connecting ──▶ setting up ──▶ open ──┐
//          ▲────────────┴── failed: all that wait fail ──┴── lost: the one that runs fails
//
// All state belongs to one serial queue. No thread of Swift's pool ever waits: callers suspend, and libpq runs on the
// queue, or on the queue of an attempt, where it may block.
//
// A command whose task is cancelled returns immediately. If the server is executing it, the server finishes it, and the
// result is discarded. So the connection stays usable for other commands.

import CPostgres
import Dispatch
import Foundation

/// A connection to a server, shared by all tasks that call it.
///
/// It is closed when it is released.
final class PostgresConnection: @unchecked Sendable {
    private enum State {
        case closed
        case connecting(ConnectionAttempt)
        case settingUp(Session)
        case open(Session)
    }

    private let parameters: ConnectionParameters
    private let setup: [Statement]
    private let payload: String?
    private let queue = DispatchQueue(label: "ReactivePostgres.PostgresConnection")

    private var state = State.closed
    private var waiting: [Request<PostgresResult>] = []
    private var isExecuting = false
    private var listeners: [NotificationWait] = []
    /// The number of sessions so far, and of the notifications in the last one.
    private var ticket = NotificationTicket(session: 0, count: 0)

    /// Creates a connection that is closed.
    ///
    /// - Parameters:
    ///   - parameters: Where to connect.
    ///   - setup: The statements that begin each session.
    ///   - payload: The payload of the notifications to count; all others are ignored.
    init(_ parameters: ConnectionParameters, setup: [Statement], countingNotificationsOf payload: String? = nil) {
        self.parameters = parameters
        self.setup = setup
        self.payload = payload
    }

    deinit {
        switch state {
        case .closed: break
        case .connecting(let attempt): attempt.cancel()
        case .settingUp(let session), .open(let session): session.close()
        }
    }

    /// Executes a statement, after those of earlier calls.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: Its parameters.
    ///   - sequel: The statement to execute after success, even if the task was cancelled meanwhile. The call does not
    ///     wait for it. If one is waiting in the queue already, no second one is added.
    /// - Throws: ``PostgresError``, or `CancellationError` if the task is cancelled. The statement may have had its
    ///   effect nevertheless.
    func run(
        _ statement: Statement, _ parameters: [Parameter] = [], then sequel: Sequel? = nil
    ) async throws -> PostgresResult {
        let request = Request<PostgresResult>(statement, parameters, sequel)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    guard request.begin(continuation) else { return }
                    self.waiting.append(request)
                    self.proceed()
                }
            }
        } onCancel: {
            queue.async { self.abandon(request) }
        }
    }

    /// Waits for a notification after a moment.
    ///
    /// - Parameters:
    ///   - ticket: The moment: the ticket of a result.
    ///   - timeout: The time after which the function returns without a notification.
    /// - Throws: ``PostgresError`` if the connection has been lost since then, and `CancellationError`.
    func waitForNotification(after ticket: NotificationTicket, timeout: Duration) async throws {
        let wait = NotificationWait()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    guard wait.request.begin(continuation) else { return }
                    self.listen(wait, after: ticket, timeout: timeout)
                }
            }
        } onCancel: {
            queue.async { self.end(wait, .failure(CancellationError())) }
        }
    }

    // MARK: Commands

    private func proceed() {
        guard !waiting.isEmpty else { return }
        switch state {
        case .closed: connect()
        case .connecting, .settingUp: break
        case .open(let session):
            guard !isExecuting else { return }
            isExecuting = true
            let request = waiting.removeFirst()
            // A sequel keeps the connection alive until it is done. For other commands, their callers do.
            let keptAlive = request.isSequel ? self : nil
            session.execute(request.statement, request.parameters, ticket: ticket) { [weak self] result in
                request.finish(result.mapError { $0 })
                guard let connection = keptAlive ?? self else { return }
                connection.isExecuting = false
                if case .success = result, let sequel = request.sequel { connection.enqueue(sequel) }
                connection.proceed()
            }
        }
    }

    private func enqueue(_ sequel: Sequel) {
        guard !waiting.contains(where: { $0.isSequel && $0.statement == sequel.statement }) else { return }
        waiting.append(Request(sequel.statement, sequel.parameters, isSequel: true))
    }

    private func abandon(_ request: Request<PostgresResult>) {
        waiting.removeAll { $0 === request }
        request.finish(.failure(CancellationError()))
    }

    // MARK: Notifications

    private func listen(_ wait: NotificationWait, after moment: NotificationTicket, timeout: Duration) {
        guard case .open = state, moment.session == ticket.session else {
            return wait.request.finish(.failure(PostgresError.connectionLost))
        }
        guard moment == ticket else { return wait.request.finish(.success(())) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self, weak wait] in
            if let wait { self?.end(wait, .success(())) }
        }
        timer.schedule(deadline: .now() + timeout.dispatchInterval)
        timer.activate()
        wait.timer = timer
        listeners.append(wait)
    }

    private func end(_ wait: NotificationWait, _ result: Result<Void, any Error>) {
        listeners.removeAll { $0 === wait }
        wait.end(result)
    }

    private func endAllWaits(_ result: Result<Void, any Error>) {
        let ended = listeners
        listeners = []
        for wait in ended { wait.end(result) }
    }

    private func count(_ payload: String) {
        guard payload == self.payload else { return }
        ticket = NotificationTicket(session: ticket.session, count: ticket.count + 1)
        endAllWaits(.success(()))
    }

    // MARK: Connecting

    private func connect() {
        let session = ticket.session + 1
        ticket = NotificationTicket(session: session, count: 0)
        let attempt = ConnectionAttempt(parameters) { [weak self, queue] result in
            queue.async { [weak self] in
                if let self {
                    self.connected(result, session: session)
                } else if case .success(let handle) = result {
                    PQfinish(handle.pointer)
                }
            }
        }
        state = .connecting(attempt)
        let timeout = parameters.connectTimeout
        queue.asyncAfter(deadline: .now() + timeout.dispatchInterval) { [weak self] in
            guard let self, ticket.session == session else { return }
            switch state {
            case .closed, .open: return
            case .connecting(let attempt): attempt.cancel()
            case .settingUp(let session): session.close()
            }
            fail(PostgresError(sqlState: nil, message: "the server did not accept a connection within \(timeout)"))
        }
    }

    private func connected(_ result: Result<ConnectionHandle, PostgresError>, session number: Int) {
        guard case .connecting = state, number == ticket.session else {
            // Too late.
            if case .success(let handle) = result { PQfinish(handle.pointer) }
            return
        }
        switch result {
        case .failure(let error): fail(error)
        case .success(let handle):
            let session = Session(handle, queue: queue, timeout: parameters.responseTimeout)
            session.onNotification = { [weak self] in self?.count($0) }
            session.onLoss = { [weak self] in self?.lost($0) }
            state = .settingUp(session)
            setUp(session, setup[...])
        }
    }

    /// Executes the statements that begin a session, one after the other.
    private func setUp(_ session: Session, _ statements: ArraySlice<Statement>) {
        guard let statement = statements.first else {
            state = .open(session)
            return proceed()
        }
        session.execute(statement, [], ticket: ticket) { [weak self, weak session] result in
            guard let self, let session, case .settingUp = state else { return }
            switch result {
            case .success: setUp(session, statements.dropFirst())
            case .failure(let error):
                session.onLoss = nil
                session.close()
                fail(error)
            }
        }
    }

    /// Ends an attempt to connect: all waiting commands fail.
    private func fail(_ error: PostgresError) {
        state = .closed
        isExecuting = false
        let failed = waiting
        waiting = []
        for request in failed { request.finish(.failure(error)) }
        endAllWaits(.failure(error))
    }

    /// Ends a session. Commands that were not sent yet wait for the next session.
    private func lost(_ error: PostgresError) {
        guard case .open = state else { return }
        state = .closed
        isExecuting = false
        endAllWaits(.failure(error))
        proceed()
    }
}

/// A statement to execute after a different one. Sequels with the same statement are interchangeable.
struct Sequel: Sendable {
    let statement: Statement
    let parameters: [Parameter]
}

/// A statement, and the task that waits for its result. A sequel has no such task. Belongs to the connection's queue.
private final class Request<Value: Sendable>: @unchecked Sendable {
    let statement: Statement
    let parameters: [Parameter]
    let sequel: Sequel?
    let isSequel: Bool
    private var continuation: CheckedContinuation<Value, any Error>?
    private var isCancelled = false

    init(
        _ statement: Statement = Statement(script: ""), _ parameters: [Parameter] = [], _ sequel: Sequel? = nil,
        isSequel: Bool = false
    ) {
        self.statement = statement
        self.parameters = parameters
        self.sequel = sequel
        self.isSequel = isSequel
    }

    /// Stores the waiting task. Returns whether it still waits: it may have been cancelled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        guard !isCancelled else {
            continuation.resume(throwing: CancellationError())
            return false
        }
        self.continuation = continuation
        return true
    }

    /// Resumes the task, on the first call only.
    func finish(_ result: Result<Value, any Error>) {
        isCancelled = true
        continuation?.resume(with: result)
        continuation = nil
    }
}

/// A task that waits for a notification. Belongs to the connection's queue.
private final class NotificationWait: @unchecked Sendable {
    let request = Request<Void>()
    var timer: (any DispatchSourceTimer)?

    func end(_ result: Result<Void, any Error>) {
        timer?.cancel()
        timer = nil
        request.finish(result)
    }
}
