// What is left of a file when the program that saves it is killed, or the disk is full.

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
            var isComplete: Bool { copies == Array(repeating: number, count: number % 1_000) }
        }

        @Test func aProgramKilledAtAnyMomentLeavesACompleteFile() throws {
            var random = RandomDocuments(seed: 1)
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                for kill in 0..<25 {
                    let victim = try Victim("edit", url.path)
                    // Reading ends with some line; how far the program has come by then is up to chance.
                    let printed = victim.read(atLeast: 1 + random.below(60)) + victim.kill()
                    let complete = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    let document = try load(Document.self, from: url)
                    #expect(document.isComplete, "kill \(kill)")
                    #expect(document.number >= complete.last.flatMap { Int($0) } ?? 0, "kill \(kill)")
                    #expect(try folder.names.count <= 2, "kill \(kill)")
                }
                // The next save removes what the last one left.
                try AtomicFile(path: url.path).replaceContents(with: Data("1".utf8))
                #expect(try folder.names == ["document.json"])
            }
        }

        @Test(arguments: ["open", "write", "sync", "replace", "syncFolder"])
        func aProgramKilledBeforeAStepLeavesTheLastSaveOrTheOneBefore(_ step: String) throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let victim = try Victim("die", url.path, step)
                _ = victim.run()
                #expect(victim.exitCode == -SIGKILL)
                let document = try load(Document.self, from: url)
                #expect(document.isComplete)
                #expect(document.number == (step == "syncFolder" ? 101 : 100))
                let isLeft = ["write", "sync", "replace"].contains(step)
                #expect(try folder.names == (isLeft ? [".document.json.saving"] : []) + ["document.json"])
            }
        }

        @Test func withoutSpaceTheLastSaveStaysAndTheNextOneWorks() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("document.json")
                let lines = try Victim("full", url.path, "65536").run().split(separator: "\n")
                #expect(lines.count == 3 && lines[0] == "saved" && lines[2] == "saved", "\(lines)")
                #expect(
                    lines[1].contains("document.json could not be saved: File too large, after 65536 of "), "\(lines)")
                #expect(lines[1].hasSuffix("The file was left as it is."))
                #expect(try load(Document.self, from: url).copies.count == 20)
                #expect(try folder.names == ["document.json"])
            }
        }
    }
}
