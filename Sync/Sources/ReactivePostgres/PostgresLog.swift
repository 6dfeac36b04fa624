// A log in PostgreSQL: five functions, each of which is one statement, and a second connection for notifications.
//
//     append, entries, start, save ──▶ connection for commands ──┐
//                                                                ├──▶ server: functions and tables of SQL.swift
//     waitForEntries ──▶ connection that LISTENs ────────────────┘
//
// No notification is missed: after LISTEN, a wait reads the end of the log, and then waits for the notifications that
// arrived since the statement was sent. If a notification is lost with its connection, polling finds the entries, or
// the wait in the next session does.

import Foundation
import ReactiveSync

/// A log of one document in a PostgreSQL database.
///
/// ```swift
/// let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
/// let shared = try await Replica(of: board, log: log)
/// ```
///
/// Each log has two connections: one for commands, and one that waits for notifications. It opens them when it needs
/// them, and again after they were lost. It closes them when it is released.
///
/// Several replicas and tasks may use one log. Their commands are executed one after the other.
///
/// A function that cannot reach the server throws a ``PostgresError``, after ``Options/connectTimeout`` or
/// ``Options/responseTimeout`` at the latest. If the server refuses the command, it throws a `LogError`.
///
/// <doc:OperatingPostgres> lists the roles and their rights.
public final class PostgresLog: ReplicaLog {
    /// The name of the document.
    public let document: String

    private let options: Options
    private let sql: SQL
    private let commands: PostgresConnection
    private let listener: PostgresConnection
    private let tables = TableState()

    /// Creates the log of a document, and the tables if they do not exist.
    ///
    /// If the server cannot be reached, the initialiser returns nevertheless, after ``Options/connectTimeout`` at the
    /// latest. So a replica with a journal can begin offline. The first function that reaches the server then creates
    /// the tables.
    ///
    /// - Parameters:
    ///   - connectionString: The address of the database: a URL such as
    ///     `postgresql://user@host/database?sslmode=verify-full`, or keywords and values, as libpq understands them.
    ///     For a socket, the host is its folder: `postgresql:///database?host=/var/run/postgresql`. Missing parts are
    ///     taken from the environment and from the password file, as libpq does.
    ///   - document: The document's name, of 1 to 200 bytes. Documents of different names are independent.
    ///   - options: The limits and times.
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
            // The server cannot be reached now: the replica begins offline.
        }
    }

    /// Returns the SQL script that creates the tables, for databases whose owner is not the program.
    ///
    /// The script is one transaction, and changes nothing if the tables exist.
    ///
    /// - Parameter schema: The schema, as in ``Options/schema``.
    /// - Returns: The script, for `psql` and for tools that migrate databases.
    /// - Throws: `LogError.refused` if the name of the schema is invalid.
    public static func tables(schema: String = "reactive") throws -> String {
        try Options(schema: schema).check()
        return "BEGIN;\n\(SQL(schema: schema).tables)\nCOMMIT;\n"
    }

    // MARK: The log

    /// Returns the information with which a replica begins, by one statement.
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

    /// Returns the entries after a position, in their order.
    ///
    /// The result ends after 16 MB, even if the log has more entries.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the replica has read.
    ///   - limit: The maximum number of entries to return; at least 1.
    /// - Returns: The entries from `position` + 1; none if the log ends at the position.
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
            // Pruning removes entries at the beginning only. If an entry is there, all entries after it are, too.
            guard result.integer(row, 0) == position + row + 1 else { throw LogError.pruned }
            guard let replica = result.text(row, 1).flatMap({ UUID(uuidString: $0) }),
                let number = result.integer(row, 2), let version = result.integer(row, 3),
                let content = result.text(row, 4)
            else { throw PostgresError.unexpectedRows }
            entries.append(LogEntry(replica: replica, number: number, version: version, content: content))
        }
        return entries
    }

    /// Waits until there are entries after a position, with `LISTEN`.
    ///
    /// It also polls every ``Options/pollInterval``, because a notification may be lost with the connection that sends
    /// it.
    ///
    /// - Parameter position: The position of the last entry that the replica has read.
    /// - Throws: ``PostgresError`` if the connection is lost meanwhile; `CancellationError` if the task is cancelled.
    public func waitForEntries(after position: Int) async throws {
        while true {
            let result = try await run(sql.end, [.text(document)], on: listener)
            guard result.integer(0, 0) == position else { return }
            try await listener.waitForNotification(after: result.ticket, timeout: options.pollInterval)
        }
    }

    /// Appends entries of one replica, in the order of their numbers, by one statement in one transaction.
    ///
    /// It notifies the readers after the commit, and does not wait for that.
    ///
    /// - Parameter entries: The entries, numbered without gaps.
    /// - Throws: `LogError.identityInUse` if the log stores different entries of the replica with these numbers.
    ///   `LogError.refused` if a number is missing, if the entries are of several replicas, larger than
    ///   ``Options/maximumEntrySize`` or not JSON, or if the role may not write. ``PostgresError`` without a server.
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

    /// Saves a snapshot. Then prunes earlier snapshots, and entries that the latest snapshot contains and that are
    /// older than ``Options/keeping``, at most 1,000 in a transaction.
    ///
    /// For a role without the right to delete, it only saves.
    ///
    /// - Parameter snapshot: The snapshot.
    /// - Throws: `LogError.refused` if the snapshot is larger than ``Options/maximumSnapshotSize``, is not JSON, or the
    ///   role may not write; `LogError.unknownPosition` if the log ends before it; ``PostgresError`` without a server.
    public func save(_ snapshot: LogSnapshot) async throws {
        try check(snapshot.content, of: "the snapshot", maximumSize: options.maximumSnapshotSize)
        _ = try await run(
            sql.save,
            [.text(document), .integer(snapshot.position), .integer(snapshot.version), .text(snapshot.content)])
        // The snapshot is durable. Entries that are not pruned now are pruned after the next snapshot.
        try? await prune()
    }

    /// Removes snapshots and entries that no replica needs, in transactions of bounded size.
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

    /// Executes a statement, after it has created the tables if necessary. Repeats it if the server asks for that.
    /// Turns final answers into errors of logs.
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

    /// Creates the tables if they do not exist. Several tasks and processes may do so at the same time.
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
    /// The error of a server that answers a statement with rows of an impossible shape.
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
