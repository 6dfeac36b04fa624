// Heartbeats for pages without updates, so that both ends, and proxies between them, notice when the peer has gone.

import BoardCore
import ServiceLifecycle

/// Sends heartbeats to the pages of all open boards at intervals.
struct Heartbeat: Service {
    let boards: Boards
    var interval: Duration = .seconds(20)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: interval)
                for session in await boards.openSessions() { await session.beat() }
            }
        }
    }
}
