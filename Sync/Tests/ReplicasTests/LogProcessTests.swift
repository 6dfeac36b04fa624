// The log as a process: killed and restarted, and with invalid clients.

@testable import FileLog
import Foundation
import ReactiveSync
import SyncTestSupport
import Testing

extension ReplicasTests {
    @Suite(.timeLimit(.minutes(15))) struct LogProcessTests {
        private let workspace: Workspace

        init() throws { workspace = try Workspace() }

        /// Writers repeat unacknowledged entries, while the log is killed repeatedly.
        @Test func aKilledLogLosesAndRepeatsNothing() async throws {
            try workspace.startLog()
            let log = try LogClient(at: workspace.socket)
            let replicas = (0..<3).map { _ in UUID() }
            let count = 60
            try await withThrowingTaskGroup { group in
                for replica in replicas {
                    group.addTask {
                        for number in stride(from: 1, through: count, by: 3) {
                            try await repeating { try await log.append(numberedEntries(replica, number...number + 2)) }
                            try await #expect(repeating { try await log.start(of: replica).lastNumber } == number + 2)
                        }
                    }
                }
                // Each time after some more entries.
                for round in 1...6 {
                    while try await repeating({ try await log.start(of: UUID()).end }) < 20 * round {}
                    workspace.killLog()
                    try workspace.startLog()
                }
                try await group.waitForAll()
            }
            let all = try await log.entries(after: 0, limit: 1_000)
            #expect(all.count == replicas.count * count)
            for replica in replicas {
                #expect(all.filter { $0.replica == replica } == numberedEntries(replica, 1...count))
            }
        }

        @Test func aWaitEndsWhenTheLogIsKilled() async throws {
            try workspace.startLog()
            let log = try LogClient(at: workspace.socket)
            let waiting = Task { while true { try await log.waitForEntries(after: 0) } }
            _ = try await log.start(of: UUID())
            workspace.killLog()
            await #expect(throws: LogClient.Unreachable.self) { try await waiting.value }
        }

        @Test func withoutALogCallsFailTemporarily() async throws {
            let log = try LogClient(at: workspace.socket)
            await #expect(throws: LogClient.Unreachable.self) { try await log.start(of: UUID()) }
        }

        @Test func invalidRequestsHaveNoEffect() async throws {
            try workspace.startLog()
            let log = try LogClient(at: workspace.socket)
            try await log.append(numberedEntries(UUID(), 1...1))
            let requests = [
                "junk\n", "\n", "{}\n", "[[[[\n", "{\"append\":{}}\n", "{\"entries\":{\"after\":1e400,\"limit\":1}}\n",
                "{\"append\":{\"entries\":[{\"replica\":\"x\",\"number\":1,\"version\":1,\"content\":\"\"}]}}\n",
                String(repeating: "[", count: 100_000) + "\n", "no end", "\0\n", "\u{1F9F6}\n",
            ]
            for request in requests { #expect(try exchange(request) == "", "\(request.prefix(40))") }
            #expect(try exchange("{\"entries\":{\"after\":-9223372036854775808,\"limit\":1}}\n") == "{\"pruned\":{}}\n")
            #expect(try exchange("{\"entries\":{\"after\":0,\"limit\":-1}}\n") == "{\"entries\":{\"_0\":[]}}\n")
            let largest = "{\"append\":{\"entries\":[{\"replica\":\"\(UUID())\",\"number\":9223372036854775807,"
            #expect(try exchange(largest + "\"version\":1,\"content\":\"\"}]}}\n").hasPrefix("{\"refused\""))
            #expect(try await log.start(of: UUID()).end == 1)
        }

        /// Sends text of an invalid client, and returns the answer.
        private func exchange(_ text: String) throws -> String {
            let descriptor = try LocalSocket.connectWithoutWaiting(to: workspace.socket)
            _ = fcntl(descriptor, F_SETFL, 0)
            let socket = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            // A connection that the log has closed cannot be written.
            try? socket.write(contentsOf: Data(text.utf8))
            shutdown(descriptor, Int32(SHUT_WR))
            return try String(decoding: socket.readToEnd() ?? Data(), as: UTF8.self)
        }

        @Test func aLogOverwritesNoOtherFiles() throws {
            let (text, log) = (workspace.path("text"), workspace.path("new"))
            try Data("one\n".utf8).write(to: URL(fileURLWithPath: text))
            // The arguments in the wrong order; a text file; a path that is too long for a socket.
            let long = workspace.path(String(repeating: "x", count: 200))
            for arguments in [[text, log], [workspace.socket, text], [long, log]] {
                let outcome = try Program(["log"] + arguments).end()
                #expect(outcome.exitCode == 1)
                #expect(outcome.output.first?.hasPrefix("Replicas: ") == true)
            }
            #expect(try String(contentsOfFile: text, encoding: .utf8) == "one\n")
        }

        @Test func oneLogListensAtAPath() throws {
            try workspace.startLog()
            let outcome = try Program(["log", workspace.socket, workspace.path("other")]).end()
            #expect(outcome.exitCode == 1)
        }

        @Test func wrongArgumentsShowTheUsage() throws {
            for arguments in [[], ["log"], ["peer"], ["peer", "a", "--file", "b"], ["log", "a", "b", "c"]] {
                let outcome = try Program(arguments).end()
                #expect(outcome.exitCode == 64)
                #expect(outcome.output.first?.hasPrefix("usage: Replicas log SOCKET FILE") == true)
            }
        }
    }
}

/// Repeats a call until the log answers.
private func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
    while true {
        do {
            return try await body()
        } catch is LogClient.Unreachable {
            await Task.yield()
        }
    }
}
