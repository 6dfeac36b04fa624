// The log of a world, and the connections to it, which delay, lose and repeat messages.
//
//     a call      ──▶ arrives later, arrives twice, or is lost              the replica learns nothing about it
//     the answer  ◀── arrives later, or is lost                             the call has had its effect
//     afterwards      a call that counts as lost may still arrive           for example because the server was slow
//
// Two calls of one replica can overtake each other. A connection can be cut for some time. The log itself loses
// nothing: a log that does would break its promise to the replicas.

#if DEBUG
import Foundation
import ReactiveSync
import SyncTestSupport

/// The log that the replicas of a world share.
final class Server: @unchecked Sendable {
    // Sendable because a world has one thread.
    private(set) var table = LogTable()
    /// The document at the beginning.
    private(set) var first: LogSnapshot?
    private var waiters: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var waiterCount = 0

    /// Changes the log, and resumes those who wait for entries if there are new ones.
    func change<Result>(_ body: (inout LogTable) throws -> Result) rethrows -> Result {
        let before = table.end
        defer {
            if table.end != before { wake() }
            first = first ?? table.snapshots.first
        }
        return try body(&table)
    }

    func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Waits until there may be an entry after a position.
    func wait(after position: Int) async throws {
        waiterCount += 1
        let number = waiterCount
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                if table.end > position { return continuation.resume() }
                waiters.append((number, continuation))
            }
        } onCancel: {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
            waiters.remove(at: index).continuation.resume(throwing: CancellationError())
        }
    }
}

/// The connection of one life of a machine to the log.
final class Connection: ReplicaLog, @unchecked Sendable {
    // Sendable because a world has one thread.

    /// The log cannot be reached.
    struct Disconnected: Error {}

    private let server: Server
    private let world: World
    private let name: String
    /// Whether the network between the machine and the log is interrupted.
    var isCut = false { didSet { server.wake() } }
    /// Whether the life has ended: nothing arrives any more.
    var isDead = false { didSet { server.wake() } }

    init(to server: Server, of world: World, named name: String) {
        (self.server, self.world, self.name) = (server, world, name)
    }

    func start(of replica: UUID) async throws -> LogStart { try await call("start") { $0.start(of: replica) } }

    func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        let limit = world.isNetworkFaulty && world.oneIn(3) ? min(limit, 1 + world.below(4)) : limit
        var entries = try await call("entries after \(position)") { try $0.entries(after: position, limit: limit) }
        if world.fault == .logReordersEntries, entries.count > 1, entries[0].replica != entries[1].replica {
            entries.swapAt(0, 1)
        }
        return entries
    }

    func append(_ entries: [LogEntry]) async throws {
        let numbers = "\(entries.first?.number ?? 0)…\(entries.last?.number ?? 0)"
        for entry in entries { world.note("network \(name): \(entry.number) is \(entry.content)") }
        try await call("append \(numbers)") { [world] table in
            if world.fault == .logLosesEntries, world.oneIn(8) { return }
            if world.fault == .logAppendsTwice, let last = entries.last,
                table.start(of: last.replica).lastNumber >= last.number
            {
                let copy = LogEntry(replica: UUID(), number: 1, version: last.version, content: last.content)
                return try table.append([copy])
            }
            try table.append(entries)
        }
    }

    func save(_ snapshot: LogSnapshot) async throws {
        try await call("save at \(snapshot.position)") { $0.save(snapshot) }
    }

    func waitForEntries(after position: Int) async throws {
        try await server.wait(after: position)
        if isCut || isDead { throw Disconnected() }
        try await delay()
    }

    private func delay() async throws {
        guard world.isNetworkFaulty, world.oneIn(2) else { return }
        try await world.clock.sleep(for: .milliseconds(1 + world.below(200)))
    }

    private func call<Result: Sendable>(
        _ call: String, _ body: @escaping @Sendable (inout LogTable) throws -> Result
    ) async throws -> Result {
        try await delay()
        if isCut || isDead { throw Disconnected() }
        switch world.isNetworkFaulty ? world.below(16) : 16 {
        case 0:
            world.note("network \(name): \(call) is lost")
            throw Disconnected()
        case 1:
            world.note("network \(name): \(call) arrives late")
            let (server, world) = (server, world)
            Task {
                try? await world.clock.sleep(for: .milliseconds(1 + world.below(3_000)))
                _ = try? server.change(body)
            }
            throw Disconnected()
        case 2:
            world.note("network \(name): \(call) arrives, and its answer is lost")
            _ = try server.change(body)
            throw Disconnected()
        case 3:
            world.note("network \(name): \(call) arrives twice")
            _ = try server.change(body)
        default: world.note("network \(name): \(call)")
        }
        let result = try server.change(body)
        try await delay()
        if isCut || isDead { throw Disconnected() }
        return result
    }
}
#endif
