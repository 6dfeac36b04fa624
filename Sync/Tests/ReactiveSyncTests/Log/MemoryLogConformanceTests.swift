// The log in memory keeps the promises of logs, so that tests that use it stand on firm ground.

import ReactiveSync
import SyncTestSupport
import Testing

@Suite struct MemoryLogConformanceTests {
    @Test func theLogInMemoryIsALog() async throws {
        try await checkConformance { MemoryLog().link() }
    }
}
