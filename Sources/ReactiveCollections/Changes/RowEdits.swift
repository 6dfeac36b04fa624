// The computation of edits from changed rows.
//
// Removals come first, from the back. Then follow insertions and moves, from the front: each places its row directly
// after its predecessor in the new order. All rows before it are in their final positions then, so no row moves twice.
// Updates come last. The computation uses values only, so it runs outside the graph's lock.

/// A row that changed, with its previous and its current element.
struct ChangedRow<Element> {
    let row: Row
    let reasons: RowChange.Reasons
    /// The previous element; `nil` if there was none.
    let old: Element?
    /// The current element; `nil` if there is none.
    let new: Element?
}

/// The changes between two orders of rows.
struct RowEdits<Element> {
    let before: RowOrder
    let after: RowOrder
    /// The rows that changed, each once.
    let rows: [ChangedRow<Element>]
    /// The current elements by row, if rows may have moved that are not listed.
    let reordered: Chunked<Element?>?

    /// Returns the edits, and the rows that move.
    func edits() -> (edits: [CollectionChange<Element>], moves: [(row: Row, element: Element)]) {
        var edits: [CollectionChange<Element>] = []
        for (offset, _, element) in removals { edits.append(.remove(element, at: offset)) }
        let moves = appendPlacements(to: &edits)
        for (offset, old, new) in updates { edits.append(.update(new, at: offset, was: old)) }
        return (edits, moves)
    }

    /// The removed elements, from the back.
    var removals: [(offset: Int, row: Row, element: Element)] {
        rows.compactMap { row in
            row.removed.map { (before.position(of: row.row), row.row, $0) }
            // No test sees this boundary: the offsets are distinct.
        }.sorted { $0.offset > $1.offset }
    }

    /// The inserted elements, from the front.
    var insertions: [(offset: Int, row: Row, element: Element)] {
        rows.compactMap { row in
            row.inserted.map { (after.position(of: row.row), row.row, $0) }
            // No test sees this boundary: the offsets are distinct.
        }.sorted { $0.offset < $1.offset }
    }

    /// The elements that stay with a different value, from the front.
    var updates: [(offset: Int, old: Element, new: Element)] {
        rows.compactMap { row in
            row.update.map { (after.position(of: row.row), $0.old, $0.new) }
            // No test sees this boundary: the offsets are distinct.
        }.sorted { $0.offset < $1.offset }
    }

    // MARK: - Moves

    private func appendPlacements(
        to edits: inout [CollectionChange<Element>]
    ) -> [(row: Row, element: Element)] {
        let insertions = insertions
        let leaving = Set(rows.lazy.filter { $0.removed != nil }.map(\.row))
        let candidates = candidates(without: leaving)
        var working = before
        var moving: [Row: Element] = [:]
        // No test sees this always hold: without candidates, nothing moves.
        if !candidates.isEmpty {
            for row in leaving { working.remove(row) }
            moving = moves(among: candidates, insertions: Set(insertions.map(\.row)), in: working)
        }
        if moving.isEmpty {
            // Elements are inserted from the front, so the offsets are final.
            for (offset, _, element) in insertions { edits.append(.insert(element, at: offset)) }
            return []
        }
        let moves = moving.map { (row: $0.key, element: $0.value) }
        let moved = moves.map { (offset: after.position(of: $0.row), row: $0.row, element: $0.element) }
        for (_, row, element) in (insertions + moved).sorted(by: { $0.offset < $1.offset }) {
            let predecessor = after.row(before: row)
            if moving[row] != nil {
                let from = working.position(of: row)
                working.remove(row)
                working.insert(row, after: predecessor)
                edits.append(.move(element, from: from, to: working.position(of: row)))
            } else {
                working.insert(row, after: predecessor)
                edits.append(.insert(element, at: working.position(of: row)))
            }
        }
        return moves
    }

    /// Returns the rows that stay and may have moved, with their previous elements, because updates follow later.
    private func candidates(without leaving: Set<Row>) -> [Row: Element] {
        var candidates: [Row: Element] = [:]
        for row in rows where reordered != nil || row.reasons.contains(.moved) {
            if row.removed == nil, let old = row.old { candidates[row.row] = old }
        }
        if let reordered {
            before.forEach { row -> Void in
                if candidates[row] == nil, !leaving.contains(row) { candidates[row] = reordered[Int(row)] }
            }
        }
        return candidates
    }

    /// Returns the candidates that have to move: as few as possible.
    ///
    /// The anchor of a candidate is the nearest row before it that does not move. A candidate can stay if its anchor is
    /// the same in both orders. Of these candidates, a longest sequence that has the same order in both stays.
    private func moves(
        among candidates: [Row: Element], insertions: Set<Row>, in working: RowOrder
    ) -> [Row: Element] {
        let byOld = candidates.keys.map { (position: working.position(of: $0), row: $0) }
            // No test sees this boundary: the positions are distinct.
            .sorted { $0.position < $1.position }
        var oldAnchors: [Row: (position: Int, anchor: Row?)] = [:]
        for (position, row) in byOld {
            var anchor = working.row(before: row)
            if let previous = anchor, let known = oldAnchors[previous] { anchor = known.anchor }
            oldAnchors[row] = (position, anchor)
        }
        let placed = Array(candidates.keys) + Array(insertions)
        // No test sees this boundary: the positions are distinct.
        let byNew = placed.map { (position: after.position(of: $0), row: $0) }.sorted { $0.position < $1.position }
        var newAnchors: [Row: Row?] = [:]
        var stayable: [(row: Row, position: Int)] = []
        for (_, row) in byNew {
            var anchor = after.row(before: row)
            if let previous = anchor, let known = newAnchors[previous] { anchor = known }
            newAnchors[row] = .some(anchor)
            if let old = oldAnchors[row], old.anchor == anchor { stayable.append((row, old.position)) }
        }
        var moving = candidates
        for index in longestIncreasingSubsequence(of: stayable.map(\.position)) { moving[stayable[index].row] = nil }
        return moving
    }
}

extension ChangedRow {
    /// The previous element, if it is removed.
    var removed: Element? { new == nil || reasons.contains(.renewed) ? old : nil }
    /// The current element, if it is inserted.
    var inserted: Element? { old == nil || reasons.contains(.renewed) ? new : nil }
    /// Both elements, if the element stays with a different value.
    var update: (old: Element, new: Element)? {
        guard let old, let new, reasons.contains(.updated), !reasons.contains(.renewed) else { return nil }
        return (old, new)
    }
}

/// Returns the indices of a longest increasing subsequence. The numbers must be distinct.
///
/// - Complexity: O(N log N).
func longestIncreasingSubsequence(of numbers: [Int]) -> [Int] {
    // For each length, the index of the least number that ends an increasing subsequence of that length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            // No test sees this boundary: the numbers are distinct.
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
        result.append(index)
        index = previous[index]
    }
    return result.reversed()
}
