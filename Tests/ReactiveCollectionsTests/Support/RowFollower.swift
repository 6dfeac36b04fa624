// The follower that all oracles of views use: it reads only the log of a view.

import Reactive

@testable import ReactiveCollections

/// Works like a follower of a stage: holds an element for each row, and updates it only from the log.
struct RowFollower<Element> {
    private var held: [Row: Element] = [:]
    private var order: [Row] = []
    private var cursor: Int?

    /// Reads the log to its end, and returns the differences from the view.
    mutating func differences(
        from view: LiveArray<Element>, by areEqual: (Element, Element) -> Bool
    ) -> [String] {
        view.stage.withLock {
            untracked {
                view.stage.refresh()
                return update(from: view, by: areEqual)
            }
        }
    }

    private mutating func update(
        from view: LiveArray<Element>, by areEqual: (Element, Element) -> Bool
    ) -> [String] {
        var differences: [String] = []
        var rows: [Row] = []
        view.ordering.forEach {
            rows.append($0)
            return true
        }
        if rows.count != view.ordering.count { differences.append("\(rows.count) rows of \(view.ordering.count)") }
        for (position, row) in rows.enumerated() {
            if view.ordering.row(at: position) != row { differences.append("row at \(position)") }
            if view.ordering.position(of: row) != position { differences.append("position of \(row)") }
            if !view.ordering.contains(row) { differences.append("does not contain \(row)") }
            let (before, after) = (view.ordering.row(before: row), view.ordering.row(after: row))
            if before != (position > 0 ? rows[position - 1] : nil) { differences.append("row before \(row)") }
            if after != (position + 1 < rows.count ? rows[position + 1] : nil) {
                differences.append("row after \(row)")
            }
            if position > 0, !view.ordering.precedes(rows[position - 1], row) { differences.append("precedes") }
        }
        if let cursor, let changes = view.log.log.changes(since: cursor) {
            var leaving: Set<Row> = []
            for change in changes {
                let isGone = !view.ordering.contains(change.row)
                if change.reasons.isEmpty || change.reasons.contains(.flipped) {
                    differences.append("\(change.row) with the reasons \(change.reasons.rawValue)")
                }
                if isGone { held[change.row] = nil }
                if isGone || !change.reasons.isDisjoint(with: [.moved, .renewed]) { leaving.insert(change.row) }
                if !isGone, change.reasons != .moved { held[change.row] = view.element(change.row) }
            }
            order.removeAll(where: leaving.contains)
            let remaining = Set(order)
            if !changes.isReordered, rows.filter(remaining.contains) != order { differences.append("order") }
        } else {
            held = [:]
            for row in rows { held[row] = view.element(row) }
        }
        view.log.isFollowed = true
        cursor = view.log.log.end
        order = rows
        if held.count != rows.count { differences.append("holds \(held.count) of \(rows.count)") }
        var position = 0
        view.forEachRow { row, element in
            if rows[position] != row { differences.append("iterates in a different order") }
            if !(held[row].map { areEqual($0, element) } ?? false) { differences.append("row \(row) has \(element)") }
            position += 1
            return true
        }
        return differences
    }
}
