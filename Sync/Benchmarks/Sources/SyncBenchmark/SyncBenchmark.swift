// The command.

import ArgumentParser
import Foundation
import Reactive
import ReactivePostgres
import ReactiveSync

@main struct SyncBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures what sharing a model costs.",
        subcommands: [Entries.self, Offline.self, Start.self, Memory.self, Append.self, Latency.self, Follower.self])
}

/// The time from an entry in the log to the reaction in the model, at several sizes.
struct Entries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "An incoming entry of one leaf, by the model's size.")

    @Option(parsing: .upToNextOption, help: "The model's sizes.")
    var leaves = [1_000, 10_000, 100_000, 1_000_000]
    @Option(help: "The number of entries at each size.") var count = 2_000

    func run() async throws {
        for leafCount in leaves {
            let log = FedLog(try Model(leafCount: leafCount).json)
            let model = Model(leafCount: 0)
            let replica = try await Replica(of: model, log: log, isolation: nil)
            let (author, cardCount) = (UUID(), model.cards.count)
            let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
            var samples = Samples()
            var iterator = seen.makeAsyncIterator()
            for number in 1...count {
                let id = (number &* 7_919) % cardCount
                let watching = when(isolation: nil) {
                    model.cards[id: id]?.title == "Title \(number)"
                } effect: {
                    continuation.yield()
                }
                await samples.measure {
                    await log.feed([entry(number, of: author, card: id)])
                    await iterator.next()
                }
                watching.cancel()
            }
            show("\(leafCount) leaves: \(samples.description)")
            withExtendedLifetime(replica) {}
        }
    }
}

/// The time until the log has all changes that were made while it was unreachable.
struct Offline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes made without the log, then sent and confirmed, by their number.")
    @Flag(help: "Keep a journal.") var journal = false

    func run() async throws {
        for changeCount in [12_500, 25_000, 50_000, 100_000] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "offline-\(UUID().uuidString)")
            if journal { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
            let file = folder.appending(path: "replica.json")
            let log = FedLog(try Model(leafCount: 3_000).json)
            let model = Model(leafCount: 0)
            let replica = try await Replica(of: model, log: log, journal: journal ? file : nil, isolation: nil)
            await log.setReachable(false)
            var (making, synchronising) = (Samples(), Samples())
            making.measure {
                for number in 0..<changeCount { model.cards[number % model.cards.count].title = "Title \(number)" }
            }
            await log.setReachable(true)
            try await synchronising.measure { try await replica.synchronised() }
            show(
                """
                \(changeCount) changes: made in \(formatted(making.percentile(0) / 1_000)) ms, \
                synchronised in \(formatted(synchronising.percentile(0) / 1_000)) ms
                """)
            await replica.end()
            if journal { try FileManager.default.removeItem(at: folder) }
        }
    }
}

/// The time to start a replica, compared with decoding the model.
struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Starting a replica, against decoding its model.")
    @Option var leaves = 100_000

    func run() async throws {
        let json = try Model(leafCount: leaves).json
        let data = Data(json.utf8)
        var (decoding, starting) = (Samples(), Samples())
        for _ in 0..<7 {
            let decoded = try decoding.measure { try JSONDecoder().decode(Model.self, from: data) }
            let log = FedLog(json)
            let model = Model(leafCount: 0)
            let replica = try await starting.measure { try await Replica(of: model, log: log, isolation: nil) }
            precondition(decoded.cards.count == model.cards.count)
            withExtendedLifetime(replica) {}
        }
        let (d, s) = (decoding.percentile(0.5), starting.percentile(0.5))
        print("decoding: \(decoding.description)\nstarting: \(starting.description)")
        print("ratio of the medians: \(formatted(s / d))")
    }
}

/// The memory of a replica, besides that of its model.
struct Memory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The memory of a model, alone or with its replica.")
    @Option var leaves = 100_000
    @Flag var alone = false

    func run() async throws {
        let before = try residentByteCount()
        let json = try Model(leafCount: leaves).json
        var replica: Replica<Model>?
        let model: Model
        if alone {
            model = try JSONDecoder().decode(Model.self, from: Data(json.utf8))
        } else {
            model = Model(leafCount: 0)
            replica = try await Replica(of: model, log: FedLog(json), isolation: nil)
        }
        print("\(try (residentByteCount() - before) / leaves) bytes for each leaf")
        withExtendedLifetime((model, replica)) {}
    }

    private func residentByteCount() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Int(text.split(separator: " ")[1]).map { $0 * 4_096 } ?? 0
    }
}

/// The number of entries per second that PostgreSQL appends.
struct Append: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Entries per second appended to PostgreSQL.")
    @Argument var url: String
    @Option var count = 2_000
    @Option var batch = 1

    func run() async throws {
        let log = try await PostgresLog(url, document: "append-\(UUID().uuidString)")
        let author = UUID()
        let start = ContinuousClock.now
        for first in stride(from: 1, through: count, by: batch) {
            try await log.append((first..<min(first + batch, count + 1)).map { entry($0, of: author, card: 1) })
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("batches of \(batch): \(Int(Double(count) / seconds)) entries per second")
    }
}

/// The time from a write in this process to the reaction in a different one.
struct Latency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The time from a write in one process to the reaction in a different one.")
    @Argument var url: String
    @Option var count = 300

    func run() async throws {
        let document = "latency-\(UUID().uuidString)"
        let model = Model(leafCount: 300)
        let replica = try await Replica(
            of: model, log: PostgresLog(url, document: document), isolation: nil)
        let follower = Process()
        follower.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        follower.arguments = ["follower", url, document]
        let output = Pipe()
        follower.standardOutput = output
        try follower.run()
        var lines = Self.lines(of: output).makeAsyncIterator()
        _ = await lines.next()
        // Both processes read the same clock.
        var samples = Samples()
        for number in 1...count {
            let written = now()
            model.title = "\(number)"
            while let line = await lines.next() {
                let words = line.split(separator: " ")
                guard words.count == 2, let seen = Int(words[1]), words[0] == "\(number)" else { continue }
                samples.add(.nanoseconds(seen - written))
                break
            }
        }
        print(samples.description)
        follower.terminate()
        await replica.end()
    }
}

extension Latency {
    /// The lines that a process prints.
    fileprivate static func lines(of output: Pipe) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        return lines
    }
}

/// The other process. It prints the changes that it sees, with the time.
struct Follower: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var url: String
    @Argument var document: String

    func run() async throws {
        let model = Model(leafCount: 0)
        let replica = try await Replica(of: model, log: PostgresLog(url, document: document), isolation: nil)
        let watching = reaction(isolation: nil) {
            model.title
        } onChange: { title in
            FileHandle.standardOutput.write(Data("\(title) \(now())\n".utf8))
        }
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        try await Task.sleep(for: .seconds(3_600))
        withExtendedLifetime((replica, watching)) {}
    }
}

/// The monotonic clock of the machine, in nanoseconds.
private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
