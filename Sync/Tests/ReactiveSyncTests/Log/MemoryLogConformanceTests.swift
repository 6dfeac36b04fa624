// The log in memory keeps the promises of `ReplicaLog`, so tests may rely on it.

import ReactiveSync
import SyncTestSupport
import Testing

@Suite struct MemoryLogConformanceTests {
    @Test func theLogInMemoryIsALog() async throws {
        try await checkConformance { MemoryLog().link() }
    }
}
