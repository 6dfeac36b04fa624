// The contents of the file: whole lines survive, incomplete ones do not count, and unnecessary ones are removed.

import FileLog
import Foundation
import ReactiveSync
import SyncTestSupport
import Testing

extension ReplicasTests {
    @Suite struct LogFileTests {
        private let workspace: Workspace
        private var url: URL { workspace.file }

        init() throws { workspace = try Workspace() }

        /// Opens the file. A process that a different test starts has this process's files and their locks until it
        /// executes its own program; so this function tries again.
        private func open(smallestPruned: Int = 1 << 20) throws -> LogFile {
            while true {
                do {
                    return try LogFile(at: url, smallestPruned: smallestPruned)
                } catch LogFileError.inUse {
                    sched_yield()
                }
            }
        }

        @Test func wholeLinesOfATornFileAreKept() throws {
            let (one, other) = (UUID(), UUID())
            let batches = [numberedEntries(one, 1...3), numberedEntries(other, 1...1), numberedEntries(one, 4...5)]
            // The size of the file after each line.
            var sizes = [0]
            for batch in batches {
                try open().append(batch)
                sizes.append(try Data(contentsOf: url).count)
            }
            let whole = try Data(contentsOf: url)
            for size in 0...whole.count {
                try whole.prefix(size).write(to: url)
                let kept = batches.prefix(sizes.lastIndex { $0 <= size } ?? 0).flatMap { $0 }
                try #expect(open().entries(after: 0, limit: 100) == kept, "cut at \(size)")
                // All batches are sent again.
                try batches.forEach(open().append)
                try #expect(open().entries(after: 0, limit: 100) == batches.flatMap { $0 }, "cut at \(size)")
            }
        }

        @Test func aLineThatIsCutOffIsOverwritten() throws {
            try open().append(numberedEntries(UUID(), 1...1))
            let line = try Data(contentsOf: url)
            let longer = Data(repeating: UInt8(ascii: "x"), count: 1_000)
            try (line + longer).write(to: url)
            let replica = UUID()
            try open().append(numberedEntries(replica, 1...1))
            try #expect(open().start(of: replica) == LogStart(snapshot: nil, end: 2, lastNumber: 1))
            #expect(try Data(contentsOf: url).count == 2 * line.count)
        }

        @Test(arguments: ["hello", "hello\n", "{}\n", "[]\n{", "\n"]) func otherFilesAreRefusedUnchanged(text: String)
            throws
        {
            try Data(text.utf8).write(to: url)
            let error = #expect(throws: LogFileError.self) { try open() }
            #expect(error?.description == "line 1 of \(url.path) is not a valid line of a log")
            #expect(try String(contentsOf: url, encoding: .utf8) == text)
        }

        @Test func aDamagedLineIsReported() throws {
            let replica = UUID()
            for number in 1...3 { try open().append(numberedEntries(replica, number...number)) }
            var bytes = try Data(contentsOf: url)
            bytes[bytes.count / 2] = 0
            try bytes.write(to: url)
            let error = #expect(throws: LogFileError.self) { try open() }
            #expect(error?.description == "line 2 of \(url.path) is not a valid line of a log")
            #expect(try Data(contentsOf: url) == bytes)
        }

        @Test func oneLogAtATimeUsesAFile() throws {
            let log = try open()
            #expect(throws: LogFileError.self) { try LogFile(at: url) }
            // Also after the file was written again.
            try prune(log)
            #expect(throws: LogFileError.self) { try LogFile(at: url) }
        }

        @Test func aFolderIsNoLog() {
            #expect(throws: POSIXError.self) { try LogFile(at: url.deletingLastPathComponent()) }
        }

        @Test func aSnapshotMakesTheFileSmaller() throws {
            let replica = UUID()
            let log = try open(smallestPruned: 10_000)
            try log.append(numberedEntries(replica, 1...200))
            let size = try Data(contentsOf: url).count
            let snapshot = LogSnapshot(position: 150, version: 1, content: "{}")
            try log.save(snapshot)
            #expect(try Data(contentsOf: url).count < size / 2)
            for log in [log, nil] {
                let log = try log ?? LogFile(at: workspace.copy(url))
                #expect(log.prunedCount == 150)
                #expect(log.start(of: replica) == LogStart(snapshot: snapshot, end: 200, lastNumber: 200))
                #expect(throws: LogError.pruned) { try log.entries(after: 149, limit: 1) }
                #expect(try log.entries(after: 150, limit: 100) == numberedEntries(replica, 151...200))
                // Pruned entries still count as appended.
                try log.append(numberedEntries(replica, 1...3))
                #expect(log.start(of: replica).end == 200)
            }
        }

        @Test func aSmallFileIsNotPruned() throws {
            let log = try open(smallestPruned: 1 << 20)
            try log.append(numberedEntries(UUID(), 1...100))
            try log.save(LogSnapshot(position: 100, version: 1, content: "{}"))
            #expect(log.prunedCount == 0)
        }

        @Test func aSnapshotBeyondTheEndOfTheLogIsRefused() throws {
            let log = try open()
            #expect(throws: LogError.self) { try log.save(LogSnapshot(position: 1, version: 1, content: "{}")) }
            #expect(log.start(of: UUID()).snapshot == nil)
        }

        private func prune(_ log: LogFile) throws {
            let large = String(repeating: "x", count: 2 << 20)
            try log.append([LogEntry(replica: UUID(), number: 1, version: 1, content: large)])
            try log.save(LogSnapshot(position: 1, version: 1, content: "{}"))
            #expect(log.prunedCount == 1)
        }

        /// Random calls, compared with a plain log. The file is closed, torn at its end, and opened again.
        @Test(arguments: 0..<Seeds.groups) func theLogAgreesWithAPlainLog(group: Int) throws {
            for seed in Seeds.seeds(of: group, count: 80) {
                try? FileManager.default.removeItem(at: url)
                var random = SplitMix64(seed: seed)
                var (log, judge): (LogFile?, LogTable) = (nil, LogTable())
                let replicas = (0..<3).map { _ in UUID() }
                for step in 0..<60 {
                    let now = "REACTIVE_TEST_SEED=\(seed), step \(step)"
                    if log == nil || Int.random(in: 0..<8, using: &random) == 0 {
                        log = nil
                        try tear(&random)
                        log = try open(smallestPruned: Int.random(in: 500...5_000, using: &random))
                    }
                    guard let log, let replica = replicas.randomElement(using: &random) else { continue }
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0..<3:
                        let first = max(1, judge.start(of: replica).lastNumber + Int.random(in: -3...2, using: &random))
                        let batch = numberedEntries(replica, first...first + Int.random(in: 0...3, using: &random))
                        #expect(answer { try log.append(batch) } == answer { try judge.append(batch) }, "\(now)")
                    case 3:
                        let content = String(repeating: "s", count: Int.random(in: 0...500, using: &random))
                        let position = Int.random(in: 0...judge.end, using: &random)
                        let snapshot = LogSnapshot(position: position, version: 1, content: content)
                        try log.save(snapshot)
                        judge.save(snapshot)
                        if log.prunedCount > judge.prunedCount { judge.prune() }
                    default:
                        let position = Int.random(in: -1...judge.end + 2, using: &random)
                        let limit = Int.random(in: 0...10, using: &random)
                        let found = answer { try log.entries(after: position, limit: limit) }
                        #expect(found == answer { try judge.entries(after: position, limit: limit) }, "\(now)")
                    }
                    #expect(log.start(of: replica) == judge.start(of: replica), "\(now)")
                    #expect(log.prunedCount == judge.prunedCount, "\(now)")
                }
            }
        }

        /// Returns the result of a call or its error; for a refusal, only that it is one.
        private func answer<Value: Equatable>(_ body: () throws -> Value) -> [Value?] {
            do { return [try body()] } catch { return error as? LogError == .pruned ? [nil] : [nil, nil] }
        }

        private func answer(_ body: () throws -> Void) -> [Bool?] {
            answer {
                try body()
                return true
            }
        }

        /// Adds the remains of a write during which the process is killed.
        private func tear(_ random: inout SplitMix64) throws {
            guard let contents = try? Data(contentsOf: url), Bool.random(using: &random) else { return }
            let torn = Data(#"{"entries":{"of":[]}}"#.utf8).prefix(Int.random(in: 0...20, using: &random))
            try (contents + torn).write(to: url)
        }
    }
}
