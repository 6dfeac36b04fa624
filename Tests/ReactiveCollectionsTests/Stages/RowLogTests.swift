// The log of a stage: which rows a follower must examine again, from entries and from stamps.

#if DEBUG
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct RowLogTests {
        private typealias Reasons = RowChange.Reasons

        /// The rows that changed since a cursor, with the bits of their reasons; `nil` if all rows were replaced.
        private func changes(_ log: RowLog, since cursor: Int) -> [[UInt32]]? {
            log.changes(since: cursor).map { changes in changes.map { [$0.row, UInt32($0.reasons.rawValue)] } }
        }

        private func pair(_ row: Row, _ reasons: Reasons) -> [UInt32] { [row, UInt32(reasons.rawValue)] }

        /// A log with one entry for each reason.
        private var log: RowLog {
            var log = RowLog()
            log.append(0, .updated, count: 8)
            log.append(1, .renewed, count: 8)
            log.append(2, .moved, count: 8)
            return log
        }

        // MARK: - Entries and stamps

        @Test func entriesAndStampsSayTheSame() {
            var stamped = log
            stamped.stampEntries()
            #expect(stamped.entries.isEmpty && stamped.end == log.end && stamped.stamps.count == 3)
            #expect(log.changes(since: 1)?.isReordered == false && stamped.changes(since: 1)?.isReordered == false)
            let expected = [pair(0, .updated), pair(1, .renewed), pair(2, .moved)]
            for cursor in 1...4 {
                #expect(changes(log, since: cursor) == Array(expected.dropFirst(cursor - 1)))
                #expect(changes(stamped, since: cursor) == Array(expected.dropFirst(cursor - 1)))
            }
        }

        @Test func aFollowerGetsEachRowOnceWithAllReasons() {
            var log = RowLog()
            for (row, reasons) in [(7, Reasons.moved), (5, .renewed), (7, .updated), (5, .moved), (7, .moved)] {
                log.append(Row(row), reasons, count: 8)
            }
            let expected = [pair(5, [.renewed, .moved]), pair(7, [.updated, .moved])]
            #expect(changes(log, since: 1) == expected)
            #expect(changes(log, since: 4) == [pair(5, .moved), pair(7, .moved)])
            log.stampEntries()
            #expect(changes(log, since: 1) == expected)
            #expect(changes(log, since: 4) == [pair(5, .moved), pair(7, .moved)])
        }

        @Test func aFollowerThatIsBehindTheEntriesReadsStampsAndEntries() {
            var log = log
            log.stampEntries()
            log.append(1, .moved, count: 8)
            log.append(9, .updated, count: 8)
            #expect(changes(log, since: 2) == [pair(1, [.renewed, .moved]), pair(2, .moved), pair(9, .updated)])
            #expect(changes(log, since: 4) == [pair(1, .moved), pair(9, .updated)])
            #expect(changes(log, since: 5) == [pair(9, .updated)])
            #expect(changes(log, since: 6) == [])
        }

        @Test(arguments: [(rows: 1, limit: 64), (rows: 519, limit: 64), (rows: 1_024, limit: 128)])
        func aLogHasAsManyEntriesAsAnEighthOfTheRows(rows: Int, limit: Int) {
            var log = RowLog()
            for _ in 0..<limit { log.append(0, .updated, count: rows) }
            #expect(log.entries.count == limit)
            log.append(0, .updated, count: rows)
            #expect(log.entries.count == 1)
            #expect(changes(log, since: 1) == [pair(0, .updated)])
        }

        // MARK: - Resets and new orders

        @Test func aResetReplacesAllRows() {
            var log = log
            let cursor = log.end
            log.reset()
            #expect(log.entries.isEmpty && log.stamps.isEmpty)
            #expect(changes(log, since: cursor) == nil)
            let next = log.end
            #expect(changes(log, since: next) == [])
            log.append(4, .updated, count: 8)
            log.append(3, .moved, count: 8)
            log.stampEntries()
            #expect(changes(log, since: cursor) == nil)
            #expect(changes(log, since: next) == [pair(3, .moved), pair(4, .updated)])
            #expect(changes(log, since: next + 1) == [pair(3, .moved)])
        }

        @Test func aNewOrderIsReadByEachFollowerOnce() {
            var log = log
            let cursor = log.end - 1
            log.reorder()
            #expect(log.changes(since: cursor)?.isReordered == true)
            #expect(changes(log, since: cursor) == [pair(2, .moved)])
            #expect(log.changes(since: cursor + 1)?.isReordered == true)
            #expect(log.changes(since: cursor + 1)?.isNothing == false)
            let next = log.end
            #expect(log.changes(since: next)?.isNothing == true)
            log.append(0, .updated, count: 8)
            #expect(log.changes(since: cursor)?.isReordered == true)
            #expect(log.changes(since: next)?.isReordered == false)
            log.stampEntries()
            #expect(log.changes(since: cursor)?.isReordered == true)
            #expect(log.changes(since: next)?.isReordered == false)
            #expect(changes(log, since: next) == [pair(0, .updated)])
        }

        /// Stamps have 32 bits.
        @Test func afterFourThousandMillionChangesFollowersStartAgainOnce() {
            var log = RowLog()
            log.start = Int(UInt32.max) - 1
            let first = log.end
            log.append(6, .updated, count: 8)
            log.stampEntries()
            #expect(changes(log, since: first) == [pair(6, .updated)])
            log.append(7, .updated, count: 8)
            log.stampEntries()
            #expect(changes(log, since: first) == nil && log.entries.isEmpty)
            let second = log.end
            log.append(8, .updated, count: 8)
            log.stampEntries()
            #expect(changes(log, since: second) == [pair(8, .updated)])
        }

        @Test func aFollowerThatHasReadEntriesThatWereRolledBackStartsAgain() {
            let log = log
            #expect(changes(log, since: log.end + 1) == nil)
            #expect(changes(log, since: log.end + 2) == nil)
        }

        @Test func aStageWithoutFollowersLogsNothing() {
            let box = LogBox()
            box.note(3, .updated, count: 8)
            box.noteReordered()
            box.noteAll()
            #expect(box.log.end == 1)
            box.isFollowed = true
            box.note(3, .updated, count: 8)
            #expect(changes(box.log, since: 1) == [pair(3, .updated)])
            let cursor = box.log.end
            box.noteReordered()
            #expect(box.log.changes(since: cursor)?.isReordered == true)
            box.noteAll()
            #expect(changes(box.log, since: cursor) == nil)
        }

        // MARK: - Rows in a list of changes

        @Test func aRowIsRenewedUnlessItHasOnlyMoved() {
            let entries = [
                RowChange(2, .updated), RowChange(4, .moved), RowChange(6, [.moved, .updated]), RowChange(8, .renewed),
            ]
            let changes = RowChanges(merging: entries, isReordered: false)
            #expect((0..<12).filter { changes.renews(Row($0)) } == [2, 6, 8])
            #expect((0..<4).filter { RowChanges(RowChange(2, .updated)).renews(Row($0)) } == [2])
            #expect(!RowChanges().renews(0))
        }

        @Test func changesThatAreAddedAreMerged() {
            let order = RowChanges(merging: [RowChange(3, .moved)], isReordered: true)
            let changes = order.adding([RowChange(1, .flipped), RowChange(3, .flipped)])
            #expect(changes.isReordered)
            #expect(changes.map(\.row) == [1, 3] && changes.map(\.reasons) == [.flipped, [.moved, .flipped]])
        }

        // MARK: - Marks of followers that are not rolled back

        @Test func aMarkBehindALaterCutIsInvalid() {
            var cuts = LogCuts()
            let marks = (4...6).map { cuts.mark($0) }
            #expect(marks.map(cuts.isValid) == [true, true, true])
            cuts.note(end: 5)
            #expect(marks.map(cuts.isValid) == [true, true, false])
            let later = cuts.mark(9)
            #expect(cuts.isValid(later))
            cuts.note(end: 8)
            #expect(marks.map(cuts.isValid) == [true, true, false] && !cuts.isValid(later))
        }

        @Test func aCutIsNotForgottenForALaterOne() {
            var cuts = LogCuts()
            let mark = cuts.mark(7)
            cuts.note(end: 9)
            let second = cuts.mark(4)
            #expect(cuts.isValid(mark))
            cuts.note(end: 5)
            #expect(!cuts.isValid(mark) && cuts.isValid(second))
        }

        @Test func marksBeforeManyCutsAreInvalid() {
            var cuts = LogCuts()
            let (first, same) = (cuts.mark(1), cuts.mark(100))
            for _ in 0..<100 { cuts.note(end: 100) }
            #expect(cuts.isValid(first) && cuts.isValid(same))
            let later = cuts.mark(1)
            for end in 101..<132 { cuts.note(end: end) }
            #expect(cuts.isValid(first) && cuts.isValid(later))
            let last = cuts.mark(1)
            cuts.note(end: 132)
            #expect(!cuts.isValid(first) && cuts.isValid(later) && cuts.isValid(last))
        }
    }
}
#endif
