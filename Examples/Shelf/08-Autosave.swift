// A file that follows the state, and loading the state from it at the next start.
//
//     swift run --package-path Examples Autosave

import Foundation
import Reactive
import ReactiveCodable

struct Note: Codable {
    @Observable var text = ""
    @Observable var tags: [String] = []
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent("Note-\(UUID().uuidString).json")

let note = Note()
let saving = autosave(note, to: file)
note.text = "Buy milk"
note.tags.append("shop")

// Both changes are saved a moment later in the background. `flush` saves them now, for example before the program ends.
try saving.flush()
saving.cancel()

let contents = try JSONValue(parsing: Data(contentsOf: file))
print(contents["text"] ?? .null, contents["tags"] ?? .null)
// prints:
// "Buy milk" ["shop"]

let loaded = try load(Note.self, from: file)
print(loaded.text, loaded.tags.count)  // prints "Buy milk 1"

// A file from an earlier version, without tags, can be loaded too.
try Data(#"{"text": "Buy milk"}"#.utf8).write(to: file)
print(try load(Note.self, from: file).tags.isEmpty)  // prints "true"

// The error for an invalid file has the position and the reason.
try Data(#"{"text": "Buy milk", "tags": "shop"}"#.utf8).write(to: file)
do throws(LoadingError) {
    _ = try load(Note.self, from: file)
} catch {
    print(error.description.replacingOccurrences(of: file.path, with: "FILE"))
}
// prints:
// FILE could not be loaded: at /tags: Expected to decode Array<Any> but found a string instead.
try FileManager.default.removeItem(at: file)
