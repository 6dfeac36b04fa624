// The entries of a history and its cursor: a state machine without a root and without a lock.
//
//     first            cursor          end
//       │ done … done    │ undone …     │       numbers never change while entries come and go:
//       ▼                ▼              ▼       undo and redo move the cursor,
//     ──●────●────●────●────●────●────●──       a new entry drops the undone ones,
//                                               the limit drops the oldest.

struct Timeline {
    /// The content of an entry.
    enum Content {
        /// Observables and their values.
        case transaction(RecordedTransaction)
        /// A patch from a log, until the entry is undone or redone for the first time. It has an inverse.
        case patch(JSONPatch)

        var byteCount: Int {
            switch self {
            case .transaction(let transaction): transaction.byteCount
            case .patch(let patch): patch.json.data.count + JSONPatch(patch.undoing ?? []).json.data.count
            }
        }
    }

    struct Entry {
        var content: Content
        var byteCount: Int
        /// The time of the last change; `nil` if later changes must not be merged into the entry.
        var time: Duration?

        init(_ content: Content, at time: Duration? = nil) {
            self.content = content
            self.time = time
            byteCount = content.byteCount
        }
    }

    /// The range of the entries and the cursor.
    struct Position: Equatable {
        var first = 0
        var cursor = 0
        var end = 0
        /// The number of changes of entries.
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

    /// The entries that can be undone, the oldest first.
    var done: [Content] { (position.first..<position.cursor).compactMap { entries[$0]?.content } }

    /// The entries that can be redone, the next one first.
    var undone: [Content] { (position.cursor..<position.end).compactMap { entries[$0]?.content } }

    /// The entry that the next undo reverts.
    var nextToUndo: Content? { entries[position.cursor - 1]?.content }

    /// The entry that the next redo applies.
    var nextToRedo: Content? { entries[position.cursor]?.content }

    // MARK: - Recording, undoing and redoing

    /// Adds changes, or merges them into the last entry.
    ///
    /// - Parameters:
    ///   - record: The changes.
    ///   - time: The time of the changes.
    /// - Returns: Whether anything has changed.
    mutating func record(_ record: ChangeRecord, at time: Duration?) -> Bool {
        // Paths are searched only when an entry begins.
        if let last = openEntry(at: time), case .transaction(var transaction) = last.content {
            // No test sees this: it only saves a search for paths, which are not used.
            let next = RecordedTransaction(record, withPaths: false)
            if transaction.merge(next) {
                beginEntry()
                dropLast()
                if !transaction.changesNothing { append(Entry(.transaction(transaction), at: time)) }
                position.cursor = position.end
                return true
            }
        }
        let transaction = RecordedTransaction(record)
        if transaction.isEmpty { return false }
        beginEntry()
        append(Entry(.transaction(transaction), at: time))
        position.cursor = position.end
        keepLimit()
        return true
    }

    /// Discards the entries that could be redone.
    private mutating func beginEntry() {
        position.version += 1
        while position.redoCount > 0 { dropLast() }
    }

    /// Records that the last entry was undone.
    ///
    /// - Parameter content: The new content of the entry.
    mutating func didUndo(_ content: Content) {
        position.cursor -= 1
        seal()
        replace(position.cursor, by: content)
    }

    /// Records that the next entry was redone.
    ///
    /// - Parameter content: The new content of the entry.
    mutating func didRedo(_ content: Content) {
        replace(position.cursor, by: content)
        position.cursor += 1
    }

    /// Prevents later changes from being merged into the last entry.
    mutating func seal() {
        entries[position.cursor - 1]?.time = nil
    }

    mutating func removeAll() {
        let version = position.version + 1
        self = Timeline(limit: limit, mergeWindow: mergeWindow)
        position.version = version
    }

    /// Restores entries that were recorded earlier. Precondition: there are no entries.
    mutating func restore(done: [JSONPatch], undone: [JSONPatch]) {
        for patch in done { append(Entry(.patch(patch))) }
        position.cursor = position.end
        for patch in undone { append(Entry(.patch(patch))) }
        keepLimit()
    }

    // MARK: - Changes that are not recorded

    /// Adapts the entries to changes that are not recorded, so that undo leaves these in place.
    mutating func makeRoom(for change: RecordedTransaction) {
        guard !change.isEmpty else { return }
        position.version += 1
        for moved in change.changes {
            let identity = moved.identity
            for splice in moved.splices {
                var rest = splice
                for number in (position.first..<position.cursor).reversed() {
                    forEachChange(of: identity, in: number) { change in
                        var splices = change.splices
                        for index in splices.indices.reversed() { rest = splices[index].makeRoom(for: rest) }
                        change.splices = splices
                    }
                }
                rest = splice
                for number in position.cursor..<position.end {
                    forEachChange(of: identity, in: number) { change in
                        change.splices = change.splices.map {
                            var back = $0.inverse
                            rest = back.makeRoom(for: rest)
                            return back.inverse
                        }
                    }
                }
            }
        }
        guard change.movesSomething else { return }
        for number in position.first..<position.end {
            guard case .transaction(var transaction) = entries[number]?.content else { continue }
            transaction.forgetPaths()
            entries[number]?.content = .transaction(transaction)
        }
    }

    /// Calls `body` with the changes of one array or collection in an entry.
    private func forEachChange(of identity: Identity, in number: Int, _ body: (RecordedChange) -> Void) {
        guard case .transaction(let transaction) = entries[number]?.content else { return }
        for change in transaction.changes where change.identity == identity { body(change) }
    }

    // MARK: - Entries

    /// The last entry, if changes may be merged into it now.
    private func openEntry(at time: Duration?) -> Entry? {
        guard let mergeWindow, let time, let last = entries[position.end - 1], let before = last.time,
            time - before < mergeWindow
        else { return nil }
        return last
    }

    private mutating func append(_ entry: Entry) {
        entries[position.end] = entry
        byteCount += entry.byteCount
        position.end += 1
    }

    private mutating func replace(_ number: Int, by content: Content) {
        let entry = Entry(content)
        byteCount += entry.byteCount - (entries[number]?.byteCount ?? 0)
        entries[number] = entry
    }

    private mutating func dropLast() {
        position.end -= 1
        byteCount -= entries.removeValue(forKey: position.end)?.byteCount ?? 0
    }

    /// Removes the oldest entries beyond the limit. If none is left to undo, removes those that would be redone last.
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
