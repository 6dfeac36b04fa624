// Support for the tests of the outline.

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

/// Returns the program's replies to lines about a file, without the line about the file.
func replies(to lines: [String], on path: String) throws -> [String] {
    let outcome = try PipedProgram("Outline", [path]).run(lines)
    #expect(outcome.errors == [] && outcome.exitCode == 0, "\(outcome.errors) \(outcome.exitCode)")
    return Array(outcome.output.dropFirst())
}

/// Returns the program's replies to lines about an outline of a few items.
func replies(to lines: String..., on outline: String = small) throws -> [String] {
    let folder = try TemporaryFolder()
    return try replies(to: lines, on: folder.file("outline.json", outline))
}

/// An empty file.
let empty = "{\"items\": []}"

/// Three items, two of them below the first.
let small = """
    {"items": [{"title": "a", "items": [{"title": "b"}, {"title": "c", "isDone": true}]}, {"title": "d"}]}
    """
