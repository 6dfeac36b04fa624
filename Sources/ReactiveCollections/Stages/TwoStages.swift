// Views that follow two stages. Rows of the first have even numbers in the view, those of the second odd ones.

import Reactive

/// A state with the cursor for a second stage.
@usableFromInline
protocol FollowsTwoStages {
    /// The cursor in the log of the second stage; `nil` before the first evaluation.
    var secondCursor: Int? { get set }
    /// For each stage, a number that is higher than those of all its rows that the state knows.
    var knownRows: (first: Int, second: Int) { get }
}

/// One of two stages that a view follows.
@usableFromInline
typealias Side = (stage: StageNode, log: LogBox, ordering: Ordering)

/// The rows of two stages, numbered in one range.
@usableFromInline
enum EitherRow {
    @inlinable @inline(__always)
    static func first(_ row: Row) -> Row { row << 1 }

    @inlinable @inline(__always)
    static func second(_ row: Row) -> Row { row << 1 | 1 }

    @inlinable @inline(__always)
    static func isSecond(_ row: Row) -> Bool { row & 1 != 0 }

    /// The row in its own stage.
    @inlinable @inline(__always)
    static func plain(_ row: Row) -> Row { row >> 1 }
}

extension View where State: FollowsTwoStages {
    /// Updates the state from two stages until there is nothing left to read.
    ///
    /// If the contents of one stage are replaced as a whole, closures run for the rows of that stage only.
    ///
    /// - Parameters:
    ///   - first: The first stage.
    ///   - second: The second stage.
    ///   - build: Builds the state from all rows.
    ///   - update: Updates the state for the changed rows of both stages. Parts have the numbers of `EitherRow`.
    @inlinable
    func follow(
        _ first: Side, _ second: Side, build: () -> Void, update: (RowChanges, RowChanges) -> Void
    ) {
        for _ in 0..<100 {
            first.stage.refresh()
            second.stage.refresh()
            let before = epoch
            if let (firstChanges, secondChanges) = takeChanges(of: first, second) {
                // No test sees this never hold: an update without changes has no effect.
                if firstChanges.isNothing, secondChanges.isNothing { return }
                evaluateElements { update(firstChanges, secondChanges) }
            } else {
                first.log.isFollowed = true
                second.log.isFollowed = true
                forgetRows()
                hasChanged = true
                log.noteAll()
                let cursors = (first.log.log.end, second.log.log.end)
                evaluateElements(build)
                cursor = cursors.0
                state.secondCursor = cursors.1
            }
            // If the closures have written nothing, there is nothing new to read.
            // No test sees this never hold: the next round reads nothing, and ends.
            if epoch == before { return }
        }
        reportEndlessWrites()
    }

    @usableFromInline
    func takeChanges(of first: Side, _ second: Side) -> (RowChanges, RowChanges)? {
        guard let cursor, let secondCursor = state.secondCursor else { return nil }
        var (changes, secondChanges) = (
            first.log.log.changes(since: cursor), second.log.log.changes(since: secondCursor)
        )
        // No test sees this never hold: renewing all rows of both stages gives the same state.
        if changes == nil, secondChanges == nil { return nil }
        self.cursor = first.log.log.end
        state.secondCursor = second.log.log.end
        let known = state.knownRows
        if changes == nil { changes = RowChanges(renewing: known.first, first.ordering.bound) }
        if secondChanges == nil { secondChanges = RowChanges(renewing: known.second, second.ordering.bound) }
        guard let changes, let secondChanges else { return nil }
        let flipped = takeFlippedRows()
        // No test sees this never hold: adding no rows has no effect.
        if flipped.isEmpty { return (changes, secondChanges) }
        func flips(ofSecond isSecond: Bool) -> some Sequence<RowChange> {
            flipped.lazy.filter { EitherRow.isSecond($0.row) == isSecond }.map {
                RowChange(EitherRow.plain($0.row), .flipped)
            }
        }
        return (changes.adding(flips(ofSecond: false)), secondChanges.adding(flips(ofSecond: true)))
    }
}

extension RowChanges {
    /// All rows of a stage whose contents were replaced: the rows that a follower knows, and the current ones.
    ///
    /// - Parameters:
    ///   - known: A number that is higher than those of all rows that the follower knows.
    ///   - bound: A number that is higher than those of all current rows.
    @usableFromInline
    init(renewing known: Int, _ bound: Int) {
        let rows = (0..<Row(Swift.max(known, bound))).lazy.map { RowChange($0, .renewed) }
        // No test sees this: rows that are all removed and inserted need no other order.
        self.init(merging: rows, isReordered: false)
    }
}

extension Ordering {
    /// A number that is higher than those of all rows.
    ///
    /// - Complexity: O(N).
    @usableFromInline
    var bound: Int {
        var bound = 0
        forEach { row in
            bound = Swift.max(bound, Int(row) + 1)
            return true
        }
        return bound
    }
}
