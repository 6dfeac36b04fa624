// The state of a file when the program that saves it is killed, or the disk is full.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct CrashTests {
        private struct Document: Codable {
            var number: Int
            var copies: [Int]
            var isComplete: Bool { isComplete(limit: 1_000) }

            func isComplete(limit: Int) -> Bool { copies == Array(repeating: number, count: number % limit) }
        }

        @Test func aProgramKilledAtAnyMomentLeavesACompleteFile() throws {
            var random = RandomDocuments(seed: 1)
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                for kill in 0..<25 {
                    let victim = try Victim("edit", url.path)
                    // Reading ends with some line; the progress of the program by then is random.
                    let printed = victim.read(atLeast: 1 + random.below(60)) + victim.kill()
                    let complete = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    let document = try load(Document.self, from: url)
                    #expect(document.isComplete, "kill \(kill)")
                    #expect(document.number >= complete.last.flatMap { Int($0) } ?? 0, "kill \(kill)")
                    #expect(try folder.namesWithoutLocks.count <= 2, "kill \(kill)")
                }
                // The next save removes the temporary file of the last one.
                try AtomicFile(path: url.path).replaceContents(with: Data("1".utf8))
                #expect(try folder.namesWithoutLocks == ["document.json"])
            }
        }

        @Test func aProgramWithAJournalKilledAtAnyMomentLosesNothingThatWasFlushed() throws {
            var random = RandomDocuments(seed: 2)
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                for kill in 0..<kills {
                    let victim = try Victim("journal", url.path)
                    let printed = victim.read(atLeast: 1 + random.below(200)) + victim.kill()
                    let complete = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    let document = try load(Document.self, from: url)
                    #expect(document.isComplete(limit: 30), "kill \(kill)")
                    #expect(document.number >= complete.last.flatMap { Int($0) } ?? 0, "kill \(kill)")
                    #expect(try folder.names.allSatisfy { !$0.contains("damaged") }, "kill \(kill)")
                }
            }
        }

        @Test func aProgramWithAJournalKilledBeforeEachStepLosesNothingThatWasFlushed() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                var last = 0
                for step in 1...steps {
                    let victim = try Victim("step", url.path, "\(step)")
                    let saved = victim.run().split(separator: "\n").last.flatMap { Int($0) } ?? last
                    #expect(victim.exitCode == -SIGKILL)
                    if saved == last, !FileManager.default.fileExists(atPath: url.path) { continue }
                    let document = try load(Document.self, from: url)
                    #expect(document.isComplete(limit: 30), "step \(step)")
                    #expect(document.number == saved || document.number == saved + 1, "step \(step)")
                    last = document.number
                }
                // One step later each time, so that every few times one more save succeeds.
                #expect(last > steps / 4)
            }
        }

        /// The number of times that programs are killed at random, and before a certain step. Limited, because starting
        /// programs takes long on a busy machine, and a test must end within five minutes.
        private var kills: Int { min(seeds(100).count, 200) }
        private var steps: Int { min(seeds(120).count, 200) }

        @Test(arguments: ["open", "write", "sync", "replace", "syncFolder"])
        func aProgramKilledDuringASaveLeavesTheLastSaveOrTheOneBefore(_ step: String) throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let victim = try Victim("die", url.path, step)
                _ = victim.run()
                #expect(victim.exitCode == -SIGKILL)
                let document = try load(Document.self, from: url)
                #expect(document.isComplete)
                #expect(document.number == (step == "syncFolder" ? 101 : 100))
                let isLeft = ["write", "sync", "replace"].contains(step)
                #expect(try folder.namesWithoutLocks == (isLeft ? [".document.json.saving"] : []) + ["document.json"])
            }
        }

        @Test func withoutSpaceTheLastSaveStaysAndTheNextSucceeds() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let lines = try Victim("full", url.path, "65536").run().split(separator: "\n")
                #expect(lines.count == 3 && lines[0] == "saved" && lines[2] == "saved", "\(lines)")
                #expect(
                    lines[1].contains("document.json could not be saved: File too large, after 65536 of "), "\(lines)")
                #expect(lines[1].hasSuffix("The file is unchanged."))
                #expect(try load(Document.self, from: url).copies.count == 20)
                #expect(try folder.namesWithoutLocks == ["document.json"])
            }
        }
    }
}
