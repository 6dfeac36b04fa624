// The model that the processes share.

import Reactive
import ReactiveCollections

/// Notes by their names.
struct Notes: Codable, Sendable {
    let notes: ObservableDictionary<String, Note> = [:]

    private enum CodingKeys: CodingKey {
        case notes
    }
}

/// A note.
struct Note: Codable, Sendable {
    @Observable var text: String
    @Observable var isDone = false
}
