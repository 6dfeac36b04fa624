// The edits that lead from one order of rows to another.

import Reactive

extension RowOrder {
    /// The edits that turn an earlier order into this one, in sequence.
    ///
    /// Removals come first, from last to first. Elements that have a new row keep their position meanwhile. Then rows
    /// that are new or have moved are inserted after their predecessor, from first to last: so the predecessor is
    /// already at its position.
    ///
    /// - Complexity: O(log N) for each row of the difference.
    func edits(from old: RowOrder, _ difference: RowDifference) -> [RowEdit] {
        var edits: [RowEdit] = []
        var order = old
        for (position, row) in difference.removed.map({ (old.position(of: $0), $0) }).sorted(by: >) {
            order.remove(row)
            edits.append(.remove(at: position, row: row))
        }
        order.renumber(difference.renumbered)
        let placed = (difference.inserted + difference.moved + difference.renumbered.map(\.new)).map {
            (position(of: $0), $0)
        }
        for (_, row) in placed.sorted(by: <) {
            let before = self.row(before: row)
            if order.contains(row) {
                let from = order.position(of: row)
                order.remove(row)
                order.insert(row, after: before)
                let to = order.position(of: row)
                if from != to { edits.append(.move(from: from, to: to)) }
            } else {
                order.insert(row, after: before)
                edits.append(.insert(at: order.position(of: row), row: row))
            }
        }
        for (position, row) in difference.replaced.map({ (position(of: $0), $0) }).sorted(by: <) {
            edits.append(.replace(at: position, row: row))
        }
        return edits
    }

    /// Replaces rows by others at the same positions. The new rows may be among the old ones.
    private mutating func renumber(_ rows: [(old: UInt32, new: UInt32)]) {
        // No test sees this boundary: the positions are different.
        let places = rows.map { (position: position(of: $0.old), rows: $0) }.sorted { $0.position < $1.position }
        for place in places { remove(place.rows.old) }
        for place in places { insert(place.rows.new, at: place.position) }
    }
}

extension RecordableElements {
    /// Applies the edits that lead to a value.
    func take(_ edits: [RowEdit], to new: Recorded) {
        var target = self
        func element(_ row: UInt32) -> Element? { new.position(of: row).map { new.element(at: $0) } }
        for edit in edits {
            switch edit {
            case .remove(let position, _): target.removeElements(position..<position + 1)
            case .insert(let position, let row):
                if let element = element(row) { target.insertElements([element], at: position) }
            case .move(let from, let to): target.moveElement(from: from, to: to)
            case .replace(let position, let row):
                if let element = element(row) { target.replaceElement(at: position, by: element) }
            }
        }
    }
}
