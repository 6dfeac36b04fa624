// The log in PostgreSQL keeps the promises of `ReplicaLog`.

import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Conformance") struct Conformance {
        @Test func theLogInPostgreSQLIsALog() async throws {
            try await checkConformance { try await TestDatabase().log() }
        }
    }
}
