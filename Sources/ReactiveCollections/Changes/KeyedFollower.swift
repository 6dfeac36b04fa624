// The state of a reaction to a view by key: the entries by row, as they were delivered last. See ArrayFollower.swift.

import Reactive

/// A follower that delivers the changes of a keyed stage.
final class KeyedFollower<Key: Hashable, Value>: ReactionFollower {
    private typealias Entry = (key: Key, value: Value)

    /// The previous and the current entry of a row.
    private struct Change {
        let old: Entry?
        let new: Entry?
        /// Whether the row may belong to a different key than before.
        let isRenewed: Bool
    }

    private let stage: StageNode
    private let log: LogBox
    private let source: KeyedEntries<Key, Value>
    private let onChange: ([KeyedChange<Key, Value>]) -> Void
    // All of this is guarded by the graph's lock, but for `delivery`, which one thread at a time has. Unchecked
    // exclusivity: no access lasts while user code runs.
    /// The cursor in the log; `nil` before the first run.
    @exclusivity(unchecked) private var cursor: Int?
    /// The entries by row, as read last.
    @exclusivity(unchecked) private var entries = Chunked<Entry?>()
    /// The rows that changed since the last delivery, each once.
    @exclusivity(unchecked) private var changed: [Change] = []
    @exclusivity(unchecked) private var delivery: [Change] = []

    init(
        _ stage: StageNode, _ log: LogBox, _ source: KeyedEntries<Key, Value>,
        _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
    ) {
        self.stage = stage
        self.log = log
        self.source = source
        self.onChange = onChange
    }

    convenience init(
        _ view: LiveDictionary<Key, Value>, _ onChange: @escaping ([KeyedChange<Key, Value>]) -> Void
    ) {
        self.init(view.stage, view.log, view.entries, onChange)
    }

    /// The graph of the stage.
    var graph: GraphHandle { stage.graph }

    func follow() -> Bool {
        stage.refresh()
        guard let cursor else {
            begin()
            return false
        }
        if let changes = log.log.changes(since: cursor) {
            for change in changes { note(change.row, isRenewed: change.reasons.contains(.renewed)) }
        } else {
            noteAll()
        }
        self.cursor = log.log.end
        return !changed.isEmpty
    }

    private func begin() {
        log.isFollowed = true
        cursor = log.log.end
        source.forEach { row, key, value in
            store((key, value), at: row)
            return true
        }
    }

    /// Notes that a row has changed.
    private func note(_ row: Row, isRenewed: Bool) {
        let old = Int(row) < entries.count ? entries[Int(row)] : nil
        let new: Entry? = source.contains(row) ? (source.key(row), source.value(row)) : nil
        if old == nil, new == nil { return }
        store(new, at: row)
        changed.append(Change(old: old, new: new, isRenewed: isRenewed))
    }

    /// Notes that all rows have been replaced.
    private func noteAll() {
        var count = entries.count
        source.forEach { row, _, _ in
            count = max(count, Int(row) + 1)
            return true
        }
        for row in 0..<count { note(Row(row), isRenewed: true) }
    }

    private func store(_ entry: Entry?, at row: Row) {
        while entries.count <= Int(row) { entries.append(nil) }
        entries[Int(row)] = entry
    }

    func take() {
        delivery = changed
        changed = []
    }

    func deliver() {
        let rows = delivery
        delivery = []
        onChange(Self.changes(rows))
    }

    /// Returns the changes by key. A key that has moved from one row to a different one has been neither removed nor
    /// inserted.
    private static func changes(_ rows: [Change]) -> [KeyedChange<Key, Value>] {
        var changes: [KeyedChange<Key, Value>] = []
        var left: [Key: Value] = [:]
        var come: [Entry] = []
        for change in rows {
            // No test sees this never hold: it only saves to hash the key.
            if !change.isRenewed, let old = change.old, let new = change.new {
                changes.append(.update(new.value, forKey: new.key, was: old.value))
            } else {
                if let old = change.old { left[old.key] = old.value }
                if let new = change.new { come.append(new) }
            }
        }
        for (key, value) in come {
            // No test sees this always hold: it only saves to hash the key.
            if !left.isEmpty, let old = left.removeValue(forKey: key) {
                changes.append(.update(value, forKey: key, was: old))
            } else {
                changes.append(.insert(value, forKey: key))
            }
        }
        for (key, value) in left { changes.append(.remove(value, forKey: key)) }
        return changes
    }

    func startOver() {
        stage.node.release(later: entries)
        cursor = nil
        entries = Chunked()
    }
}
