// Arrays on several threads.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Item: Identifiable, Equatable {
    var id: Int
    var value = 0
}

@Suite(.ownGraph, .timeLimit) struct ArrayThreadTests {
    @Test func callsAreAtomic() {
        let array = ObservableArray<Item>()
        let sums = Shared(0)
        let reaction = autorun { sums.value = array.reduce(0) { $0 + $1.value } }
        onThreads(4) { thread in
            for step in 0..<200 {
                array.append(Item(id: thread * 1_000 + step, value: 1))
                array[id: thread * 1_000 + step]?.value += 0
                if step % 4 == 3 { array.remove(id: thread * 1_000 + step - 2) }
                if step % 50 == 0 { array.sort { $0.id < $1.id } }
                // Locked, because the thread sanitizer does not know that a snapshot is released before the next
                // mutation in place: it does not observe reference counts.
                inTransaction {
                    _ = array.elements.count + array.filter { $0.value > 0 }.count
                    if array.firstIndex(of: Item(id: thread * 1_000 + step, value: 1)) == nil { Issue.record("lost") }
                }
            }
        }
        reaction.cancel()
        #expect(array.count == 600 && sums.value == 600)
        #expect(Set(array.map(\.id)).count == 600)
    }

    @Test func transactionsAreAtomic() {
        let array = ObservableArray(repeating: 10, count: 20)
        let view = array.live.filter { $0 > 10 }
        let torn = Shared(0)
        let reaction = autorun {
            if array.reduce(0, +) != 200 { torn.withLock { $0 += 1 } }
            _ = view.count
        }
        onThreads(4) { thread in
            var random = SplitMix64(seed: UInt64(thread))
            for _ in 0..<200 {
                let (from, to) = (random.below(20), random.below(20))
                try? inTransaction {
                    array[from] -= 1
                    if random.oneIn(4) { throw CancellationError() }
                    array[to] += 1
                    array.swapAt(from, to)
                }
                if inTransaction({ array.reduce(0, +) }) != 200 { torn.withLock { $0 += 1 } }
            }
        }
        #expect(view.elements == array.filter { $0 > 10 })
        reaction.cancel()
        #expect(torn.value == 0)
    }
}
