// Trees of collections, in which an element moves below what was an element of it.

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
        /// What the closure has read for an element that has left is not evaluated: it reads the view itself by now.
        @Test(arguments: [false, true]) func aViewCanBeReadByWhatHasLeftIt(isObserved: Bool) {
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
