// A sign of life for pages that have nothing to be told, so that both ends and everything in between notice when the other one is gone.

import BoardCore
import ServiceLifecycle

/// Makes all open boards show a sign of life now and then.
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
