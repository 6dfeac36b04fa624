// Closures of views that read the collection of the view.

import ReactiveCollections
import TestSupport
import Testing

private struct Row: Identifiable, Equatable {
    let id: Int
    var parentID: Int?
    var isOpen: Bool
}

extension ReactiveCollectionsTests {
    @Suite struct OwnCollectionTests {
        /// Rows are visible whose parents are open, as in an outline. The model computes them anew.
        @Test(arguments: seeds(10)) func aFilterFollowsOtherElementsOfItsCollection(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let rows: ObservableArray<Row> = []
            let visible = rows.live.filter { row in
                row.parentID.map { rows[id: $0]?.isOpen ?? false } ?? true
            }
            let observer = autorun { _ = visible.elements }
            for step in 0..<200 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let parent = rows.randomElement(using: &random)?.id
                    rows.insert(
                        Row(id: step, parentID: parent, isOpen: Bool.random(using: &random)),
                        at: Int.random(in: 0...rows.count, using: &random))
                case 1 where !rows.isEmpty:
                    rows.remove(at: Int.random(in: 0..<rows.count, using: &random))
                case 2 where !rows.isEmpty:
                    rows[Int.random(in: 0..<rows.count, using: &random)].isOpen.toggle()
                case 3 where rows.count > 1:
                    rows.swapAt(0, rows.count - 1)
                default: break
                }
                let all = Array(rows)
                let expected = all.filter { row in
                    row.parentID.map { id in all.contains { $0.id == id && $0.isOpen } } ?? true
                }
                #expect(visible.elements == expected, "step \(step)")
            }
            observer.cancel()
        }
    }
}
