// When elements are released, and that no lock is held then.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

@Suite(.ownGraph, .timeLimit) struct ArrayLifetimeTests {
    @Test func elementsAreReleasedWhenTheyLeave() throws {
        let tracker = LifetimeTracker()
        do {
            let array = ObservableArray((0..<500).map { _ in tracker.token() })
            array.remove(at: 3)
            array[0] = tracker.token()
            array.removeSubrange(100..<200)
            array.removeAll { $0.number % 2 == 0 }
            #expect(tracker.alive == array.count)
            let view = array.live.filter { $0.number % 3 == 0 }
            let reaction = autorun { _ = view.count }
            array.replaceSubrange(0..<5, with: (0..<7).map { _ in tracker.token() })
            try? inTransaction {
                array.reverse()
                array.removeFirst(90)
                array.append(tracker.token())
                throw Refusal()
            }
            inTransaction {
                let last = array.removeLast()
                array.append(last)
            }
            array.shuffle()
            #expect(tracker.alive == array.count)
            array.removeAll()
            #expect(tracker.alive == 0)
            array.append(tracker.token())
            reaction.cancel()
        }
        #expect(tracker.alive == 0)
    }

    @Test func elementsThatObserversOfIDsWereComparedWithAreReleased() {
        struct Item {
            let id: Int
            let token: LifetimeTracker.Token
        }
        let tracker = LifetimeTracker()
        do {
            let array = ObservableArray([Item(id: 1, token: tracker.token())], id: \.id)
            let observed = Computed { array[id: 1]?.token.number ?? 0 }
            _ = observed.value
            array[id: 1] = Item(id: 1, token: tracker.token())
            #expect(tracker.alive == 1)
            _ = observed.value
            inTransaction { array[id: 1] = Item(id: 1, token: tracker.token()) }
            #expect(tracker.alive == 1)
            _ = observed.value
            try? inTransaction {
                array[id: 1] = Item(id: 1, token: tracker.token())
                throw Refusal()
            }
            #expect(tracker.alive == 1)
        }
        #expect(tracker.alive == 0)
    }

    /// Each mutation that releases an element does so when nothing is locked and the array is consistent.
    @Test func deinitialisersMayUseTheArray() {
        let tracker = LifetimeTracker()
        let array = ObservableArray<LifetimeTracker.Token>()
        var counts: [Int] = []
        var isLocked = false
        func tokens(_ count: Int) -> [LifetimeTracker.Token] {
            (0..<count).map { _ in
                tracker.token {
                    if GraphHandle.held != nil { isLocked = true }
                    counts.append(array.count)
                }
            }
        }
        let view = array.live.filter { _ in true }
        let reaction = autorun { _ = view.count }
        defer { reaction.cancel() }
        func check(_ expected: [Int], _ change: () -> Void) {
            counts = []
            change()
            #expect(counts == expected)
        }
        check([]) { array += tokens(40) }
        check([40]) { array[3] = tokens(1)[0] }
        check([39]) { array.remove(at: 3) }
        check([37, 37]) { array.removeSubrange(0..<2) }
        check([37, 37]) { array.replaceSubrange(4..<6, with: tokens(2)) }
        check([36]) {
            let number = array[7].number
            array.removeAll { $0.number == number }
        }
        check([34, 34]) { array.remove(atOffsets: [1, 9]) }
        check([4, 4]) {
            inTransaction {
                array.removeFirst()
                array.removeLast()
                array.removeSubrange(0..<28)
            }
            counts = counts.suffix(2)
        }
        check([0, 0, 0, 0]) { array.removeAll() }
        #expect(!isLocked && tracker.alive == 0)
    }

    @Test func anArrayThatIsReleasedReleasesItsElements() {
        let tracker = LifetimeTracker()
        let graph = IndependentGraph()
        graph.run {
            let array = ObservableArray((0..<300).map { _ in tracker.token() })
            let computed = Computed { array.count }
            _ = computed.value
            #expect(tracker.alive == 300)
        }
        #expect(tracker.alive == 0)
    }

    @Test func mutatingInPlaceCopiesNothing() {
        // Not literals: the optimiser makes them constants, which a mutation copies.
        let array = ObservableArray((1...2).map { Array($0...$0 + 1) })
        let before = array[0].withUnsafeBufferPointer { $0.baseAddress }
        array[0][1] = 5
        let after = array[0].withUnsafeBufferPointer { $0.baseAddress }
        #expect(before == after && array[0] == [1, 5])
    }
}
