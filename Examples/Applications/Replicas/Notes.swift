// The model that the processes share.

import Reactive

/// Notes by their names: what is shared is kept by identity.
struct Notes: Codable {
    @Observable var notes: [String: Note] = [:]
}

/// A note.
struct Note: Codable {
    @Observable var text: String
    @Observable var isDone = false
}
