// The entries of a history and where in them it stands: a state machine that knows neither the root nor a lock.
//
//     first            cursor          end
//       │ done … done    │ undone …     │       numbers never change while entries come and go:
//       ▼                ▼              ▼       undo and redo move the cursor,
//     ──●────●────●────●────●────●────●──       a new entry drops the undone ones,
//                                               the limit drops the oldest.

struct Timeline {
    struct Entry {
        /// What leads from the state before to the state after. It knows its inverse.
        var patch: JSONPatch
        var byteCount: Int
        /// When it changed last.
        var time: Duration?
        /// Whether what follows may be merged into it.
        var isOpen: Bool

        init(_ patch: JSONPatch, at time: Duration? = nil, isOpen: Bool) {
            self.patch = patch
            self.time = time
            self.isOpen = isOpen
            byteCount = patch.byteCount
        }
    }

    /// Where the entries begin and end.
    struct Position: Equatable {
        var first = 0
        var cursor = 0
        var end = 0
        /// Counts the changes of entries.
        var version = 0

        var undoCount: Int { cursor - first }
        var redoCount: Int { end - cursor }
    }

    let limit: HistoryLimit
    let mergeWindow: Duration?
    private(set) var position = Position()
    private var entries: [Int: Entry] = [:]
    private var byteCount = 0

    init(limit: HistoryLimit, mergeWindow: Duration?) {
        self.limit = limit
        self.mergeWindow = mergeWindow
    }

    /// What can be undone, the oldest first.
    var done: [JSONPatch] { (position.first..<position.cursor).compactMap { entries[$0]?.patch } }

    /// What can be redone, the next one first.
    var undone: [JSONPatch] { (position.cursor..<position.end).compactMap { entries[$0]?.patch } }

    /// The patch that undo is about to take back.
    var nextToUndo: JSONPatch? { position.undoCount > 0 ? entries[position.cursor - 1]?.patch : nil }

    /// The patch that redo is about to apply.
    var nextToRedo: JSONPatch? { entries[position.cursor]?.patch }

    // MARK: - Steps

    /// Adds a change, or merges it into the last one.
    mutating func record(_ patch: JSONPatch, at time: Duration?) {
        guard !patch.isEmpty else { return }
        position.version += 1
        while position.redoCount > 0 { dropLast() }
        if let merged = mergedIntoLast(patch, at: time) {
            dropLast()
            position.cursor = position.end
            if merged.isEmpty { return }
            append(Entry(merged, at: time, isOpen: true))
        } else {
            append(Entry(patch, at: time, isOpen: true))
        }
        position.cursor = position.end
        keepLimit()
    }

    mutating func didUndo() {
        position.cursor -= 1
        seal()
        entries[position.cursor]?.isOpen = false
    }

    mutating func didRedo() {
        entries[position.cursor]?.isOpen = false
        position.cursor += 1
    }

    /// Keeps what follows from being merged into the last entry.
    mutating func seal() {
        entries[position.cursor - 1]?.isOpen = false
    }

    mutating func removeAll() {
        let version = position.version + 1
        self = Timeline(limit: limit, mergeWindow: mergeWindow)
        position.version = version
    }

    /// Takes over entries that were recorded earlier.
    mutating func restore(done: [JSONPatch], undone: [JSONPatch]) {
        removeAll()
        for patch in done { append(Entry(patch, isOpen: false)) }
        position.cursor = position.end
        for patch in undone { append(Entry(patch, isOpen: false)) }
        keepLimit()
    }

    // MARK: - Entries

    private func mergedIntoLast(_ patch: JSONPatch, at time: Duration?) -> JSONPatch? {
        guard let mergeWindow, let time, let last = entries[position.end - 1], last.isOpen, let before = last.time,
            time - before < mergeWindow
        else { return nil }
        return last.patch.merged(with: patch)
    }

    private mutating func append(_ entry: Entry) {
        entries[position.end] = entry
        byteCount += entry.byteCount
        position.end += 1
    }

    private mutating func dropLast() {
        position.end -= 1
        byteCount -= entries.removeValue(forKey: position.end)?.byteCount ?? 0
    }

    /// Drops the oldest entries that are too many; once there are none to undo, those that would be redone last.
    private mutating func keepLimit() {
        while entries.count > max(limit.entries, 1) || (byteCount > limit.bytes && entries.count > 1) {
            if position.undoCount > 0 {
                byteCount -= entries.removeValue(forKey: position.first)?.byteCount ?? 0
                position.first += 1
            } else {
                dropLast()
            }
        }
    }
}

extension JSONPatch {
    /// How long both directions are as JSON text.
    fileprivate var byteCount: Int {
        json.data.count + JSONPatch(undoing ?? []).json.data.count
    }
}
