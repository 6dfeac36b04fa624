// Support for all tests: a database for each, logs in it, and entries.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

/// All tests of this target need a server.
@Suite(
    "PostgreSQL", .enabled(if: PostgresServer.isAvailable, "there is no PostgreSQL here"),
    .timeLimit(.minutes(15)))
enum PostgresTests {}

/// A database that one test uses.
struct TestDatabase: Sendable {
    let server: PostgresServer
    let name: String

    /// Creates an empty database, in the shared server by default.
    init(in server: PostgresServer? = nil) async throws {
        if let server {
            self.server = server
        } else {
            self.server = try await PostgresServer.shared()
        }
        name = try await self.server.createDatabase()
    }

    /// Returns the database's connection string.
    func connectionString(user: String = "postgres", through proxy: FaultyProxy? = nil) -> String {
        server.connectionString(database: name, user: user, through: proxy?.folder)
    }

    /// Creates a log.
    func log(
        _ document: String = "document", user: String = "postgres", through proxy: FaultyProxy? = nil,
        options: PostgresLog.Options = PostgresLog.Options()
    ) async throws -> PostgresLog {
        try await PostgresLog(
            connectionString(user: user, through: proxy), document: document, options: options)
    }

    /// Executes SQL and returns what `psql` prints.
    @discardableResult
    func sql(_ text: String, user: String = "postgres") async throws -> String {
        try await server.sql(text, database: name, user: user)
    }
}

/// Creates entries of a replica.
func makeEntries(_ replica: UUID, _ numbers: ClosedRange<Int>, version: Int = 1) -> [LogEntry] {
    numbers.map { LogEntry(replica: replica, number: $0, version: version, content: #"{"number":\#($0)}"#) }
}

extension PostgresLog {
    /// Reads all entries after a position.
    func allEntries(after position: Int = 0, pageSize: Int = 1000) async throws -> [LogEntry] {
        var entries: [LogEntry] = []
        while true {
            let page = try await self.entries(after: position + entries.count, limit: pageSize)
            guard !page.isEmpty else { return entries }
            entries += page
        }
    }
}

/// Checks that entries are those of some replicas, each once and in the order of their numbers.
func expectExactlyOnce(
    _ entries: [LogEntry], _ replicas: [UUID: Int], sourceLocation: SourceLocation = #_sourceLocation
) {
    let numbers = Dictionary(grouping: entries, by: \.replica).mapValues { $0.map(\.number) }
    #expect(Set(numbers.keys) == Set(replicas.keys), sourceLocation: sourceLocation)
    for (replica, last) in replicas {
        #expect(numbers[replica] == Array(1...last), sourceLocation: sourceLocation)
    }
}

/// Repeats a call as a replica does: until it is answered, with a pause so that the server can restart.
func untilAnswered<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
    while true {
        do {
            return try await call()
        } catch is PostgresError {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Returns the error that a call throws, and records an issue if it throws none.
@discardableResult
func errorOf<E: Error>(
    _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async -> E? {
    await #expect(throws: type, sourceLocation: sourceLocation) { try await call() }
}

/// Waits until a condition of the server or of other tasks is true.
func eventually(_ condition: () async throws -> Bool) async throws {
    while !(try await condition()) {
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension LogError {
    /// The reason of a refusal.
    var reason: String {
        if case .refused(let reason) = self { reason } else { "" }
    }
}
