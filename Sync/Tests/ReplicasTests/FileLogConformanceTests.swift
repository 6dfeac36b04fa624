// The log of the example keeps the promises of `ReplicaLog`, through a socket and with a process of its own.

import FileLog
import ReactiveSync
import SyncTestSupport
import Testing

extension ReplicasTests {
    @Suite struct FileLogConformanceTests {
        @Test(.timeLimit(.minutes(15))) func theLogInAFileIsALog() async throws {
            var workspaces: [Workspace] = []
            try await checkConformance {
                let workspace = try Workspace()
                try workspace.startLog()
                workspaces.append(workspace)
                return try LogClient(at: workspace.socket)
            }
        }
    }
}
