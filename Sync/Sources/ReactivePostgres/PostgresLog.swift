// A log in PostgreSQL: five functions, each of which is one statement, and one connection to be woken.
//
//     append, entries, start, save ──▶ connection for commands ──┐
//                                                                ├──▶ server: functions and tables of SQL.swift
//     waitForEntries ──▶ connection that LISTENs ────────────────┘
//
// No wake-up is lost: a wait compares the log's end after LISTEN, and then waits for the notifications that arrived
// since it asked. What a lost connection swallows is found by polling, or by the wait after the next one begins.

import Foundation
import ReactiveSync

/// A log of one document in a PostgreSQL database.
///
/// ```swift
/// let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
/// let shared = try await Replica(of: board, log: log)
/// ```
///
/// Each log has two connections: one for commands, one that waits for notifications. They are opened when they are
/// needed, opened again after they were lost, and closed when the log is released. A log may be used by several
/// replicas and tasks; their commands are executed one after the other.
///
/// A function that cannot reach the server throws a ``PostgresError``, after ``Options/connectTimeout`` or
/// ``Options/responseTimeout`` at the latest. What the server refuses is a `LogError`.
///
/// The pages about operating a database list the roles and their rights.
public final class PostgresLog: ReplicaLog {
    /// The name of the document.
    public let document: String

    private let options: Options
    private let sql: SQL
    private let commands: PostgresConnection
    private let listener: PostgresConnection
    private let tables = TableState()

    /// Creates the log of a document, and the tables if they are not there.
    ///
    /// If the server cannot be reached, the initializer returns all the same, after ``Options/connectTimeout`` at the
    /// latest: a replica begins offline. The first function that reaches the server then creates the tables.
    ///
    /// - Parameters:
    ///   - connectionString: Where the database is: a URI such as `postgresql://user@host/database?sslmode=verify-full`,
    ///     or keywords and values, as libpq understands them. What it leaves out is taken from the environment and from
    ///     the password file, as libpq does.
    ///   - document: The document's name, of 1 to 200 bytes. Documents of different names have nothing in common.
    ///   - options: Limits and times.
    /// - Throws: `LogError.refused` if the connection string, the name or an option is invalid, or if the role may
    ///   not read or create the tables; ``PostgresError`` if the server does not accept the role, the password or the
    ///   database; `CancellationError` if the task is cancelled.
    public init(_ connectionString: String, document: String, options: Options = Options()) async throws {
        try options.check()
        guard 1...200 ~= document.utf8.count, !document.utf8.contains(0) else {
            throw LogError.refused("the name of a document must have 1 to 200 bytes, without NUL")
        }
        let parameters = try ConnectionParameters(
            connectionString, connectTimeout: options.connectTimeout, responseTimeout: options.responseTimeout)
        let sql = SQL(schema: options.schema)
        let session = sql.session(lockTimeout: options.responseTimeout)
        self.document = document
        self.options = options
        self.sql = sql
        commands = PostgresConnection(parameters, setup: [session])
        listener = PostgresConnection(
            parameters, setup: [session, sql.listen], countingNotificationsOf: document)
        do {
            try await prepareTables()
        } catch let error as PostgresError where !error.isAboutIdentity {
            // Not now, then: the replica begins offline.
        }
    }

    /// The SQL script that creates the tables, for an owner who does not leave that to a program.
    ///
    /// The script is one transaction, and changes nothing if the tables are there.
    ///
    /// - Parameter schema: The schema, as in ``Options/schema``.
    /// - Returns: The script, for `psql` and for tools that migrate databases.
    /// - Throws: `LogError.refused` if the name of the schema is invalid.
    public static func tables(schema: String = "reactive") throws -> String {
        try Options(schema: schema).check()
        return "BEGIN;\n\(SQL(schema: schema).tables)\nCOMMIT;\n"
    }

    // MARK: The log

    /// Returns where a replica begins: one statement, at one moment.
    ///
    /// - Parameter replica: The identity of the replica.
    /// - Throws: `LogError.refused` if the role may not read the tables; ``PostgresError`` without a server.
    public func start(of replica: UUID) async throws -> LogStart {
        let result = try await run(sql.start, [.text(document), .text(replica.uuidString)])
        guard result.count == 1, let end = result.integer(0, 0), let lastNumber = result.integer(0, 1) else {
            throw PostgresError.unexpectedRows
        }
        var snapshot: LogSnapshot?
        if let position = result.integer(0, 2), let version = result.integer(0, 3), let content = result.text(0, 4) {
            snapshot = LogSnapshot(position: position, version: version, content: content)
        }
        return LogStart(snapshot: snapshot, end: end, lastNumber: lastNumber)
    }

    /// Returns the entries behind a position, in their order.
    ///
    /// A page ends after 16 MB, also if there are more entries than it has.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the replica has.
    ///   - limit: The maximum number of entries to return; at least 1.
    /// - Returns: The entries from position + 1; none if the position is that of the last entry.
    /// - Throws: `LogError.pruned`, `LogError.unknownPosition`, `LogError.refused`; ``PostgresError`` without a server.
    public func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        precondition(position >= 0 && limit > 0, "`position` must be at least 0, and `limit` at least 1")
        let result = try await run(sql.entries, [.text(document), .integer(position), .integer(limit)])
        guard result.count > 0, let end = result.integer(0, 5) else { throw PostgresError.unexpectedRows }
        if position > end { throw LogError.unknownPosition }
        if position == end { return [] }
        var entries: [LogEntry] = []
        entries.reserveCapacity(result.count)
        for row in 0..<result.count {
            // Pruning takes entries from the beginning only: if one is there, those behind it are.
            guard result.integer(row, 0) == position + row + 1 else { throw LogError.pruned }
            guard let replica = result.text(row, 1).flatMap({ UUID(uuidString: $0) }),
                let number = result.integer(row, 2), let version = result.integer(row, 3),
                let content = result.text(row, 4)
            else { throw PostgresError.unexpectedRows }
            entries.append(LogEntry(replica: replica, number: number, version: version, content: content))
        }
        return entries
    }

    /// Waits until there are entries behind a position, with `LISTEN`. Asks every ``Options/pollInterval`` besides, since
    /// a notification may be lost with the connection that sends it.
    ///
    /// - Parameter position: The position of the last entry that the replica has.
    /// - Throws: ``PostgresError`` if the connection is lost meanwhile; `CancellationError`.
    public func waitForEntries(after position: Int) async throws {
        while true {
            let result = try await run(sql.end, [.text(document)], on: listener)
            guard result.integer(0, 0) == position else { return }
            try await listener.waitForNotification(after: result.ticket, timeout: options.pollInterval)
        }
    }

    /// Appends entries of one replica, in the order of their numbers: one statement, one transaction.
    ///
    /// The notification for readers follows after the commit; the function does not wait for it.
    ///
    /// - Parameter entries: The entries, numbered without gaps.
    /// - Throws: `LogError.identityInUse` if the log stores different entries of the replica with these numbers.
    ///   `LogError.refused` if the entries leave out a number, are of several replicas, are larger than
    ///   ``Options/maximumEntrySize``, are not JSON, or the role may not write; ``PostgresError`` without a server.
    public func append(_ entries: [LogEntry]) async throws {
        guard let first = entries.first else { return }
        guard first.number > 0 else { throw LogError.refused("the entries of a replica must be numbered from 1") }
        for (index, entry) in entries.enumerated() {
            guard entry.replica == first.replica else {
                throw LogError.refused("the entries belong to several replicas")
            }
            guard entry.number == first.number + index else {
                throw LogError.refused("the entries skip number \(first.number + index)")
            }
            try check(entry.content, of: "entry \(entry.number)", maximumSize: options.maximumEntrySize)
        }
        _ = try await run(
            sql.append,
            [
                .text(document), .text(first.replica.uuidString), .integer(first.number),
                .integers(entries.map(\.version)), .texts(entries.map(\.content)),
            ],
            then: Sequel(statement: sql.notify, parameters: [.text(document)]))
    }

    /// Keeps a snapshot. Then prunes: older snapshots, and entries below the latest one that are older than
    /// ``Options/keeping``, some thousands in a transaction.
    ///
    /// A role without the right to delete saves, and prunes nothing.
    ///
    /// - Parameter snapshot: The snapshot.
    /// - Throws: `LogError.refused` if the snapshot is larger than ``Options/maximumSnapshotSize``, is not JSON, or the
    ///   role may not write; `LogError.unknownPosition` if the log ends before it; ``PostgresError`` without a server.
    public func save(_ snapshot: LogSnapshot) async throws {
        try check(snapshot.content, of: "the snapshot", maximumSize: options.maximumSnapshotSize)
        _ = try await run(
            sql.save,
            [.text(document), .integer(snapshot.position), .integer(snapshot.version), .text(snapshot.content)])
        // The snapshot is safe. What is not pruned now is pruned after the next one.
        try? await prune()
    }

    /// Removes what no replica needs, in transactions of bounded size.
    private func prune() async throws {
        for _ in 0..<100 {
            let result = try await run(
                sql.prune, [.text(document), .integer(options.keeping.milliseconds), .integer(SQL.pruneBatch)])
            guard result.integer(0, 0) == SQL.pruneBatch else { return }
        }
    }

    private func check(_ content: String, of thing: String, maximumSize: Int) throws(LogError) {
        let size = content.utf8.count
        guard size <= maximumSize else {
            throw .refused("\(thing) has \(size) bytes, and the maximum is \(maximumSize)")
        }
        guard !content.utf8.contains(0) else { throw .refused("\(thing) is not JSON: it contains a NUL character") }
    }

    // MARK: Statements

    /// Executes a statement when the tables are there, several times if the server asks for that, and turns final
    /// answers into errors of logs.
    private func run(
        _ statement: Statement, _ parameters: [Parameter], then sequel: Sequel? = nil,
        on connection: PostgresConnection? = nil
    ) async throws -> PostgresResult {
        try await prepareTables()
        var attempts = 0
        while true {
            do {
                return try await (connection ?? commands).run(statement, parameters, then: sequel)
            } catch let error as PostgresError {
                attempts += 1
                if error.isWorthRepeating, attempts < 10 { continue }
                throw error.finalAnswer ?? error
            }
        }
    }

    /// Creates the tables unless they are there. Several tasks and processes may do so together.
    private func prepareTables() async throws {
        guard !tables.areReady else { return }
        do {
            try await checkLayout()
        } catch let error as PostgresError where error.isAboutMissingTables {
            do {
                _ = try await commands.run(Statement(script: sql.tables))
            } catch let error as PostgresError where error.sqlState == "42501" {
                throw LogError.refused(
                    """
                    the schema "\(options.schema)" has no tables, and the role may not create them: \
                    let an owner run the script PostgresLog.tables (\(error.message))
                    """)
            } catch let error as PostgresError {
                throw error.finalAnswer ?? error
            }
            try await checkLayout()
        }
        tables.areReady = true
    }

    /// - Throws: ``PostgresError`` if there are no tables.
    private func checkLayout() async throws {
        let result: PostgresResult
        do {
            result = try await commands.run(sql.layout)
        } catch let error as PostgresError where !error.isAboutMissingTables {
            throw error.finalAnswer ?? error
        }
        let version = result.integer(0, 0) ?? 0
        guard version <= SQL.layoutVersion else {
            throw LogError.refused(
                "the tables have layout \(version), and this program supports layout \(SQL.layoutVersion) at most")
        }
    }
}

extension PostgresError {
    /// The server answers a statement with rows of a shape that it cannot have.
    fileprivate static var unexpectedRows: PostgresError {
        PostgresError(sqlState: nil, message: "the server sent rows of an unexpected shape")
    }
}

/// Whether a log has found its tables.
private final class TableState: @unchecked Sendable {
    private let lock = NSLock()
    private var ready = false

    var areReady: Bool {
        get { lock.withLock { ready } }
        set { lock.withLock { ready = newValue } }
    }
}
