// Views that follow two stages. Rows of the first have even numbers in the view, those of the second odd ones.

import Reactive

/// A state with the cursor for a second stage.
@usableFromInline
protocol FollowsTwoStages {
    /// Up to where the log of the second stage has been read; `nil` before the first evaluation.
    var secondCursor: Int? { get set }
}

/// Rows of two stages as numbers of one range.
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
    /// Follows two stages until there is nothing left to read.
    ///
    /// - Parameters:
    ///   - first: The first stage, and its log.
    ///   - second: The second stage, and its log.
    ///   - build: Builds the state from all rows.
    ///   - update: Brings the state up to date for the rows of both that changed. Parts have the numbers of
    ///     `EitherRow`.
    @inlinable
    func follow(
        _ first: (stage: StageNode, log: LogBox), _ second: (stage: StageNode, log: LogBox), build: () -> Void,
        update: (RowChanges, RowChanges) -> Void
    ) {
        for _ in 0..<100 {
            first.stage.refresh()
            second.stage.refresh()
            let before = epoch
            if let (firstChanges, secondChanges) = takeChanges(of: first.log, second.log) {
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
            if epoch == before { return }
        }
        reportEndlessWrites()
    }

    @usableFromInline
    func takeChanges(of first: LogBox, _ second: LogBox) -> (RowChanges, RowChanges)? {
        guard let cursor, let secondCursor = state.secondCursor, let changes = first.log.changes(since: cursor),
            let secondChanges = second.log.changes(since: secondCursor)
        else { return nil }
        self.cursor = first.log.end
        state.secondCursor = second.log.end
        let flipped = takeFlippedRows()
        if flipped.isEmpty { return (changes, secondChanges) }
        func flips(ofSecond isSecond: Bool) -> some Sequence<RowChange> {
            flipped.lazy.filter { EitherRow.isSecond($0.row) == isSecond }.map {
                RowChange(EitherRow.plain($0.row), .flipped)
            }
        }
        return (changes.adding(flips(ofSecond: false)), secondChanges.adding(flips(ofSecond: true)))
    }
}
