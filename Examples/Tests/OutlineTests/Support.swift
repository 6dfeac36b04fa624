// What the tests of the outline share.

import Foundation
import OutlineCore
import ProgramSupport
import Testing

extension Outline {
    /// Creates an outline from the text of a file.
    init(json: String) throws {
        self = try JSONDecoder().decode(Outline.self, from: Data(json.utf8))
    }
}

/// Returns what the program says to these lines about a file, but for the line about the file itself.
func replies(to lines: [String], on path: String) throws -> [String] {
    let outcome = try PipedProgram("Outline", [path]).run(lines)
    #expect(outcome.errors == [] && outcome.exitCode == 0)
    return Array(outcome.output.dropFirst())
}

/// Returns what the program says to these lines about an outline of a few items.
func replies(to lines: String..., on outline: String = small) throws -> [String] {
    let folder = try TemporaryFolder()
    return try replies(to: lines, on: folder.file("outline.json", outline))
}

/// A file that holds nothing.
let empty = "{\"items\": []}"

/// Three items, two of them below the first.
let small = """
    {"items": [{"title": "a", "items": [{"title": "b"}, {"title": "c", "isDone": true}]}, {"title": "d"}]}
    """
