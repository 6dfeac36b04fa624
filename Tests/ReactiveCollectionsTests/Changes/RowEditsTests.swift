// Edits between two orders of rows: random ones, compared with arrays.

import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct RowEditsTests {
        /// A random change of an order, as a follower describes it.
        private struct Case {
            var before: [Row] = []
            var after: [Row] = []
            var old: [Row: Int] = [:]
            var edits: RowEdits<Int>
            var moved = 0

            init(_ random: inout SplitMix64) {
                let count = random.below(20)
                before = (0..<Row(count)).shuffled(using: &random)
                for row in before { old[row] = random.below(1000) }
                var new = old
                var reasons: [Row: RowChange.Reasons] = [:]
                after = before
                for _ in 0..<random.below(6) {
                    let row = Row(random.below(count + 4))
                    let index = after.firstIndex(of: row)
                    switch random.below(4) {
                    case 0:
                        if let index { after.remove(at: index) }
                        new[row] = nil
                        reasons[row, default: []].formUnion([])
                    case 1:
                        if let index { after.remove(at: index) }
                        after.insert(row, at: random.below(after.count + 1))
                        new[row] = random.below(1000)
                        // A row that was not there before needs no other reason.
                        let isNew = old[row] == nil && random.oneIn(2)
                        reasons[row, default: []].formUnion(isNew ? .updated : .renewed)
                    case 2:
                        guard let index else { continue }
                        after.remove(at: index)
                        after.insert(row, at: random.below(after.count + 1))
                        moved += 1
                        reasons[row, default: []].formUnion(.moved)
                    default:
                        guard index != nil else { continue }
                        new[row] = random.below(1000)
                        reasons[row, default: []].formUnion(.updated)
                    }
                }
                let isReordered = random.oneIn(4)
                if isReordered {
                    after.shuffle(using: &random)
                    moved = .max
                }
                var elements = Chunked<Int?>()
                for row in 0..<Row(count + 4) { elements.append(new[row]) }
                let old = old
                edits = RowEdits(
                    before: RowOrder(before), after: RowOrder(after),
                    rows: reasons.map { ChangedRow(row: $0, reasons: $1, old: old[$0], new: new[$0]) },
                    reordered: isReordered ? elements : nil)
            }
        }

        @Test(arguments: seeds(100)) func leadFromBeforeToAfter(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            for _ in 0..<20 {
                let test = Case(&random)
                let changes = CollectionChanges(test.edits)
                let old = test.before.compactMap { test.old[$0] }
                let new = test.after.compactMap { row in
                    test.edits.rows.first { $0.row == row }.map { $0.new } ?? test.old[row]
                }
                var array = old
                for change in changes {
                    // The element that an edit removes, moves or updates is the one there.
                    switch change {
                    case .insert: break
                    case .remove(let element, let offset), .move(let element, let offset, _),
                        .update(_, let offset, let element):
                        #expect(array[offset] == element, "seed \(seed): \(change)")
                    }
                    array.apply(change)
                }
                #expect(array == new, "seed \(seed)")
                #expect(old.applying(changes.difference) == new, "seed \(seed)")
                let moves = changes.count { if case .move = $0 { true } else { false } }
                #expect(moves <= test.moved, "seed \(seed): \(moves) moves for \(test.moved)")
            }
        }

        @Test func aReorderingMovesAsFewAsPossible() {
            let elements = Chunked<Int?>((0..<6).map { Optional($0) })
            let edits = RowEdits<Int>(
                before: RowOrder(0..<6), after: RowOrder([3, 4, 0, 1, 2, 5] as [Row]), rows: [], reordered: elements)
            #expect(edits.edits().edits == [.move(3, from: 3, to: 0), .move(4, from: 4, to: 1)])
        }

        @Test func increasingSubsequences() {
            #expect(longestIncreasingSubsequence(of: []) == [])
            #expect(longestIncreasingSubsequence(of: [4, 0, 1, 3, 2, 5]).count == 4)
        }
    }
}
