// A log that can be switched off, to try a broken network on command.

import Foundation
import ReactiveSync

/// A log that fails while it is switched off.
actor SwitchedLog: ReplicaLog {
    /// The log is switched off.
    struct SwitchedOff: Error {}

    private let log: any ReplicaLog
    private var isOn = true
    private var wait: Task<Void, any Error>?

    init(_ log: any ReplicaLog) { self.log = log }

    /// Switches the log on or off. Switching it off also ends the current wait.
    func turn(on isOn: Bool) {
        self.isOn = isOn
        if !isOn { wait?.cancel() }
    }

    private var connected: any ReplicaLog {
        get throws {
            guard isOn else { throw SwitchedOff() }
            return log
        }
    }

    func start(of replica: UUID) async throws -> LogStart { try await connected.start(of: replica) }

    func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        try await connected.entries(after: position, limit: limit)
    }

    func append(_ entries: [LogEntry]) async throws { try await connected.append(entries) }

    func save(_ snapshot: LogSnapshot) async throws { try await connected.save(snapshot) }

    func waitForEntries(after position: Int) async throws {
        let log = try connected
        let wait = Task { try await log.waitForEntries(after: position) }
        self.wait = wait
        let result = await withTaskCancellationHandler {
            await wait.result
        } onCancel: {
            wait.cancel()
        }
        _ = try connected
        try result.get()
    }
}
