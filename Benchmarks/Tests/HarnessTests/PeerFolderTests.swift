// Peers from a folder: programs that print lines of JSON.

import Foundation
import Testing

@testable import Harness

struct PeerFolderTests {
    private let rows = [
        Row(name: "broad", unit: .milliseconds) { { 0 } }, Row(name: "read", unit: .nanosecondsPerOperation) { { 0 } },
    ]

    @Test func everyExecutableInTheFolderIsASide() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appendingPathComponent("turtle.sh")
        let script = """
            #!/bin/sh
            echo '{"row": "broad", "min": 101.5, "median": 103.2, "unit": "ms"}'
            """
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        try Data("not a program".utf8).write(to: folder.appendingPathComponent("notes.txt"))

        let sides = try Side.peers(in: folder, rows: rows)
        #expect(sides.map(\.name) == ["turtle"])
        let broad = try Comparison(of: rows[0], on: sides, samples: 5)
        #expect(broad.summary(of: "turtle") == Summary(minimum: 101.5, median: 103.2))
        let read = try Comparison(of: rows[1], on: sides, samples: 5)
        #expect(read.summary(of: "turtle") == nil)
        #expect(read.entries[0].remark == "turtle does not report it.")
    }

    @Test(arguments: [
        ("broad: 5", "line 1: broad: 5\nis not of the form"),
        (#"{"row": "brood", "min": 1, "median": 2, "unit": "ms"}"#, "no row is named \"brood\""),
        (#"{"row": "broad", "min": 1, "median": 2, "unit": "s"}"#, "the unit of \"broad\" is ms, not s"),
        (#"{"row": "broad", "min": 3, "median": 2, "unit": "ms"}"#, "median at least min"),
        (#"{"row": "broad", "min": 0, "median": 2, "unit": "ms"}"#, "min must be more than 0"),
    ])
    func anInvalidLineIsNamedInTheError(line: String, message: String) {
        let error = #expect(throws: HarnessError.self) {
            try Side.summaries(printed: line, by: "turtle.sh", rows: rows)
        }
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.hasPrefix("turtle.sh, line 1") == true)
    }

    @Test func aFolderWithoutProgramsIsAnError() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect(throws: HarnessError.self) { try Side.peers(in: folder, rows: rows) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: HarnessError.self) { try Side.peers(in: folder, rows: rows) }
    }
}
