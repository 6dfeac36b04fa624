// Trees of collections in which an element moves below one of its own elements.

import ReactiveCollections
import Testing

private struct Folder: Sendable {
    let folders = ObservableArray<Folder>()
    let count: Computed<Int>

    init() {
        count = folders.live.sum(isolation: nil) { $0.count.value + 1 }
    }
}

extension ReactiveCollectionsTests {
    @Suite struct MovedBelowTests {
        /// Reads of the closure for a removed element are not evaluated, since they now read the view itself.
        @Test(arguments: [false, true]) func anElementThatHasLeftAViewMayReadIt(isObserved: Bool) {
            let (root, a, b) = (Folder(), Folder(), Folder())
            root.folders.append(a)
            a.folders.append(b)
            let reaction = isObserved ? autorun { _ = root.count.value } : nil
            #expect(root.count.value == 2)
            inTransaction {
                a.folders.removeLast()
                root.folders[0] = b
                b.folders.append(a)
            }
            #expect(root.count.value == 2 && b.count.value == 1 && a.count.value == 0)
            inTransaction {
                b.folders.removeLast()
                root.folders[0] = a
                a.folders.append(b)
            }
            #expect(root.count.value == 2 && a.count.value == 1 && b.count.value == 0)
            reaction?.cancel()
        }
    }
}
