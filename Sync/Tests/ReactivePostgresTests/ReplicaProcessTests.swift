// Replicas in three processes, on a server of their own. Processes and the server are killed, and networks are cut:
// with a proxy, and with the link of a process that has its own network.

import Foundation
import ReactiveCodable
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Replicas in processes", .serialized) struct ReplicaProcesses {
        /// A process has ended that no test killed.
        private struct HasEnded: Error {
            let name: String
        }

        /// A process that shares the board.
        private final class Peer: Sendable {
            let name: String
            private let process: Process
            private let input: Pipe
            private let lines: Locked<[String]> = Locked([])

            var acknowledged: [String] {
                lines.withLock { $0 }.filter { $0.hasPrefix("ack ") }.map { String($0.dropFirst(4)) }
            }

            init(
                _ name: String, _ connection: String, folder: URL, seed: Int, behind namespace: NetworkNamespace?
            ) throws {
                self.name = name
                (process, input) = (Process(), Pipe())
                let output = Pipe()
                let folderOfPrograms = Bundle.main.executableURL?.deletingLastPathComponent()
                var command = [
                    folderOfPrograms?.appending(path: "SyncPeer").path ?? "SyncPeer",
                    connection, "board", name, folder.appending(path: "\(name).replica").path, String(seed),
                ]
                if let namespace { command = namespace.running(command) }
                process.executableURL = URL(fileURLWithPath: command[0])
                process.arguments = Array(command.dropFirst())
                process.standardInput = input
                process.standardOutput = output
                try process.run()
                let lines = lines
                Thread.detachNewThread {
                    var rest = Data()
                    while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                        rest += data
                        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                            let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                            lines.withLock { $0.append(line) }
                            rest = Data(rest[(end + 1)...])
                        }
                    }
                }
            }

            func kill() {
                Foundation.kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }

            func nextStep() { input.fileHandleForWriting.write(Data("\n".utf8)) }

            /// Waits for a line.
            func line(_ prefix: String) async throws -> String {
                while true {
                    if let line = lines.withLock({ $0.last { $0.hasPrefix(prefix) } }) { return line }
                    if !process.isRunning { throw HasEnded(name: name) }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }

            /// Waits until this many changes of it are acknowledged.
            func acknowledge(_ count: Int) async throws {
                while acknowledged.count < count {
                    if !process.isRunning { throw HasEnded(name: name) }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }

        /// Three processes.
        private final class Crew {
            static let names = ["ann", "bob", "cid"]

            private(set) var peers: [Peer] = []
            /// The acknowledged changes of killed processes.
            private(set) var acknowledgedBefore: [String] = []
            private let database: TestDatabase
            private let proxy: FaultyProxy?
            private let namespace: NetworkNamespace?
            private let folder: URL
            private var seed = 0

            /// Starts them, the first one through a proxy or in a namespace.
            init(in database: TestDatabase, through proxy: FaultyProxy?, behind namespace: NetworkNamespace?) throws {
                (self.database, self.proxy, self.namespace) = (database, proxy, namespace)
                folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for index in 0..<3 { peers.append(try start(index)) }
            }

            private func start(_ index: Int) throws -> Peer {
                seed += 1
                let namespace = index == 0 ? namespace : nil
                let connection = database.server.connectionString(
                    database: database.name, through: namespace?.address ?? (index == 0 ? proxy?.folder : nil))
                return try Peer(Self.names[index], connection, folder: folder, seed: seed, behind: namespace)
            }

            /// Kills one of them, and starts it again with its journal.
            func restart(_ index: Int) throws {
                peers[index].kill()
                acknowledgedBefore += peers[index].acknowledged
                peers[index] = try start(index)
            }

            func end() {
                for peer in peers { peer.kill() }
                try? FileManager.default.removeItem(at: folder)
            }
        }

        /// Runs three processes, runs `body`, and checks all changes at the end.
        private func withCrew(
            in database: TestDatabase, through proxy: FaultyProxy? = nil, behind namespace: NetworkNamespace? = nil,
            _ body: (Crew) async throws -> Void
        ) async throws {
            let crew = try Crew(in: database, through: proxy, behind: namespace)
            defer { crew.end() }
            try await body(crew)
            for peer in crew.peers { peer.nextStep() }
            for peer in crew.peers { _ = try await peer.line("synchronised") }
            for peer in crew.peers { peer.nextStep() }
            var boards: [String] = []
            for peer in crew.peers { boards.append(try await peer.line("board ")) }
            #expect(Set(boards).count == 1, "the boards differ")

            let acknowledged = crew.acknowledgedBefore + crew.peers.flatMap(\.acknowledged)
            #expect(acknowledged.count > 30)
            let tags = try JSONValue(parsing: String(boards[0].dropFirst(6)))["tags"]?.decoded(as: [String].self) ?? []
            let ours = tags.filter { tag in Crew.names.contains { tag.hasPrefix($0 + " ") } }
            #expect(Set(ours).count == ours.count, "a change was applied twice")

            // Pruned entries are in the snapshot; no entry is pruned while the test runs.
            let entries = try await database.log("board").allEntries()
            #expect(Set(entries.map { "\($0.replica) \($0.number)" }).count == entries.count)
            let contents = entries.map(\.content).joined()
            #expect(acknowledged.allSatisfy { contents.contains("\"\($0)\"") }, "an acknowledged change is missing")
        }

        @Test func processesAreKilled() async throws {
            try await withCrew(in: TestDatabase()) { crew in
                for round in 0..<6 {
                    for peer in crew.peers { try await peer.acknowledge(5) }
                    try crew.restart(round % 3)
                }
            }
        }

        @Test func theServerIsKilled() async throws {
            let server = try await PostgresServer()
            try await withCrew(in: TestDatabase(in: server)) { crew in
                for round in 1...3 {
                    for peer in crew.peers { try await peer.acknowledge(5 * round) }
                    try await server.kill()
                    try await server.restart()
                }
                for peer in crew.peers { try await peer.acknowledge(25) }
            }
            try await server.stop()
        }

        @Test func aNetworkIsCutOffAndSlow() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            try await withCrew(in: database, through: proxy) { crew in
                let peers = crew.peers
                try await peers[0].acknowledge(5)
                for cut in [FaultyProxy.Cut.beforeReply, .beforeRequest, .beforeReply] {
                    proxy.cutOnce(cut)
                    try await peers[0].acknowledge(peers[0].acknowledged.count + 5)
                }
                proxy.set(.blackhole)
                // The others continue meanwhile.
                try await peers[1].acknowledge(peers[1].acknowledged.count + 20)
                proxy.set(.delaying(seconds: 0.02))
                try await peers[0].acknowledge(peers[0].acknowledged.count + 3)
                proxy.set(.passing)
            }
        }

        @Test(.enabled(if: NetworkNamespace.areAvailable, "network namespaces cannot be created here"))
        func aMachineIsCutOff() async throws {
            let namespace = try NetworkNamespace()
            defer { namespace.remove() }
            let server = try await PostgresServer(address: namespace.address)
            try await withCrew(in: TestDatabase(in: server), behind: namespace) { crew in
                let peers = crew.peers
                for _ in 0..<3 {
                    try await peers[0].acknowledge(peers[0].acknowledged.count + 5)
                    try namespace.setLink(isUp: false)
                    // Messages in transit arrive. Then the others continue alone.
                    try await peers[1].acknowledge(peers[1].acknowledged.count + 20)
                    let count = peers[0].acknowledged.count
                    try await peers[1].acknowledge(peers[1].acknowledged.count + 20)
                    #expect(peers[0].acknowledged.count == count)
                    try namespace.setLink(isUp: true)
                }
                try await peers[0].acknowledge(peers[0].acknowledged.count + 5)
            }
            try await server.stop()
        }
    }
}
