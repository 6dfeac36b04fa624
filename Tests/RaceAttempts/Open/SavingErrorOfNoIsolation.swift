// The error closure of an autosave created on no actor runs on a thread of the autosave.

import Foundation
import ReactiveCodable

private struct Document: Codable { @Observable var title = "" }

private final class Box {
    var count = 0
}

func countErrorsOfSaving(to url: URL) {
    let box = Box()
    let document = Document()
    autosave(document, to: url) { _ in box.count += 1 }
    document.title = "Essay"
    box.count += 1
}
