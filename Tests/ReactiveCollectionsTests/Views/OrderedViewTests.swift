// The operators that select and order elements: sorted, reversed, prefix, suffix, slice, uniqued.

import TestSupport
import Testing

@testable import ReactiveCollections

extension Array {
    /// Returns the elements at those positions that exist.
    fileprivate func window(from start: Int, count: Int) -> [Element] {
        indices.filter { $0 >= start && $0 < start + Swift.max(count, 0) }.map { self[$0] }
    }

    fileprivate func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}

private let subjects: [ViewOracle.Subject] = [
    .init(name: "sorted by key", create: { view, cells in view.sorted(by: { cells.key(of: $0) }) }) { items, cells in
        items.sorted { cells.key(of: $0) < cells.key(of: $1) }
    },
    .init(name: "sorted by key path", create: { view, _ in view.sorted(by: \.key) }) { items, _ in
        items.sorted { $0.key < $1.key }
    },
    .init(name: "sorted by key, descending", create: { view, cells in view.sorted(by: { cells.key(of: $0) }, >) }) {
        items, cells in
        items.sorted { cells.key(of: $0) > cells.key(of: $1) }
    },
    .init(
        name: "sorted by predicate",
        create: { view, cells in
            view.sorted { cells.start.value < 3 ? cells.key(of: $0) < cells.key(of: $1) : $0.id > $1.id }
        }
    ) { items, cells in
        items.sorted { cells.start.value < 3 ? cells.key(of: $0) < cells.key(of: $1) : $0.id > $1.id }
    },
    .init(name: "sorted", create: { view, _ in view.sorted() }) { items, _ in items.sorted() },
    .init(name: "reversed", create: { view, _ in view.reversed() }) { items, _ in items.reversed() },
    .init(name: "prefix", create: { view, _ in view.prefix(5) }) { items, _ in Array(items.prefix(5)) },
    .init(name: "suffix", create: { view, _ in view.suffix(5) }) { items, _ in Array(items.suffix(5)) },
    .init(name: "slice", create: { view, _ in view.slice(from: 3, count: 6) }) { items, _ in
        items.window(from: 3, count: 6)
    },
    .init(name: "observable prefix", create: { view, cells in view.prefix { cells.length.value } }) { items, cells in
        Array(items.prefix(max(0, cells.length.value)))
    },
    .init(name: "observable suffix", create: { view, cells in view.suffix { cells.length.value } }) { items, cells in
        Array(items.suffix(max(0, cells.length.value)))
    },
    .init(
        name: "observable slice",
        create: { view, cells in view.slice(from: { cells.start.value }, count: { cells.length.value }) }
    ) { items, cells in
        items.window(from: cells.start.value, count: cells.length.value)
    },
    .init(name: "uniqued by key", create: { view, cells in view.uniqued(by: { cells.key(of: $0) }) }) { items, cells in
        items.uniqued { cells.key(of: $0) }
    },
    .init(name: "mostly unique", create: { view, cells in view.uniqued(by: { $0.id / 3 }) }) { items, _ in
        items.uniqued { $0.id / 3 }
    },
    .init(name: "uniqued", create: { view, _ in view.uniqued() }) { items, _ in items },
    .init(
        name: "filter, sorted, prefix",
        create: { view, cells in
            view.filter { cells.key(of: $0) % 3 != 0 }.sorted(by: { cells.key(of: $0) }).prefix(5)
        }
    ) { items, cells in
        Array(
            items.filter { cells.key(of: $0) % 3 != 0 }.sorted { cells.key(of: $0) < cells.key(of: $1) }.prefix(5))
    },
    .init(
        name: "sorted, reversed, slice, sorted",
        create: { view, cells in
            view.sorted(by: \.key).reversed().slice(from: { cells.start.value }, count: { 7 }).sorted(by: \.id)
        }
    ) { items, cells in
        items.sorted { $0.key < $1.key }.reversed().window(from: cells.start.value, count: 7).sorted { $0.id < $1.id }
    },
    .init(
        name: "reversed, uniqued, suffix, filter",
        create: { view, cells in
            view.reversed().uniqued(by: { cells.key(of: $0) }).suffix(6).filter { cells.key(of: $0) % 2 == 0 }
        }
    ) { items, cells in
        items.reversed().uniqued { cells.key(of: $0) }.suffix(6).filter { cells.key(of: $0) % 2 == 0 }
    },
    .init(
        name: "map, sorted, uniqued",
        create: { view, cells in
            view.map { ViewItem(id: $0.id, key: cells.key(of: $0) / 2) }.sorted(by: \.key, >).uniqued(by: { $0.key / 2 }
            )
        }
    ) { items, cells in
        items.map { ViewItem(id: $0.id, key: cells.key(of: $0) / 2) }.sorted { $0.key > $1.key }.uniqued { $0.key / 2 }
    },
]

@Suite(.ownGraph, .timeLimit) struct OrderedViewTests {
    @Test(arguments: seeds(4), subjects.indices)
    func followsThePlainOperators(seed: UInt64, subject: Int) {
        ViewOracle.run(subjects[subject], seed: seed, steps: isUnderSanitizer ? 40 : 120)
    }
}

/// An order that is built when positions are first read.
@Suite(.ownGraph, .timeLimit) struct FilterOrderTests {
    private struct Cancelled: Error {}

    @Test func aViewThatIsOnlyCountedHasNoOrder() {
        let rows = ObservableArray(0..<100)
        let even = rows.live.filter { $0 & 1 == 0 }
        #expect(even.count == 50)
        rows[1] = 2
        rows.remove(at: 0)
        #expect(even.count == 50)
        // More than a quarter of all rows match: a scan of the source rows is as fast.
        #expect(even.elements.first == 2 && even.elements.count == 50)
        #expect((even.ordering as? FilterOrdering)?.rows.isEmpty == true)
        #expect(even[0] == 2 && even[1] == 2 && even[49] == 98)
        #expect((even.ordering as? FilterOrdering)?.rows.count == 50)
        rows.insert(7, at: 1)
        rows.insert(8, at: 1)
        #expect(even.count == 51 && even[0] == 2 && even[1] == 8)
    }

    @Test func anOrderBuiltInATransactionIsRolledBack() {
        let rows = ObservableArray(0..<100)
        let even = rows.live.filter { $0 & 1 == 0 }
        #expect(even.count == 50)
        #expect(throws: Cancelled.self) {
            try inTransaction {
                rows.remove(at: 0)
                rows[0] = 10
                #expect(even[0] == 10 && even[1] == 2)
                throw Cancelled()
            }
        }
        #expect(even.count == 50 && even[0] == 0 && even[49] == 98)
        #expect(throws: Cancelled.self) {
            try inTransaction {
                rows.removeAll { $0 < 50 }
                #expect(even[0] == 50)
                throw Cancelled()
            }
        }
        #expect(even.count == 50 && even[0] == 0 && even[49] == 98)
    }

    @Test func aFilterOfFewRowsHasAnOrder() {
        let rows = ObservableArray(0..<1_000)
        let few = rows.live.filter { $0 % 100 == 0 }
        #expect(few.elements == [0, 100, 200, 300, 400, 500, 600, 700, 800, 900])
        #expect((few.ordering as? FilterOrdering)?.rows.count == 10)
    }
}

/// Keys that a search finds beside the leaves of the order.
@Suite(.ownGraph, .timeLimit) struct SortedKeyTests {
    @Test func anOrderThatWasEmptyHasNoOldKeys() {
        let rows = ObservableArray((0..<1_000).map { ($0 * 7) % 1_000 })
        let sorted = rows.live.sorted(by: { $0 })
        for _ in 0..<2 {
            #expect(sorted.elements == rows.sorted())
            // One at a time, so that each is a search of its own.
            for index in 0..<1_000 {
                rows[index] = (rows[index] * 3) % 1_009 + 5_000
                _ = sorted.count
            }
            #expect(sorted.elements == rows.sorted())
            while !rows.isEmpty {
                rows.removeLast()
                _ = sorted.count
            }
            for number in 0..<1_000 {
                rows.append((number * 11) % 1_000)
                _ = sorted.count
            }
            #expect(sorted.elements == rows.sorted())
        }
    }

    @Test func aRowThatStaysInItsPositionHasItsNewKey() {
        let rows = ObservableArray((0..<1_000).map { 10 * $0 })
        let sorted = rows.live.sorted(by: { $0 })
        #expect(sorted.count == 1_000)
        for index in 0..<1_000 {
            rows[index] -= 9
            _ = sorted.count
            // Between the new and the old key.
            rows.append(10 * index - 5)
            #expect(sorted[index + 1] == 10 * index - 5)
            rows.removeLast()
            _ = sorted.count
        }
    }

    @Test(arguments: seeds(2)) func keysStayWithTheirRows(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = (0..<2_000).map { _ in random.below(1_000) }
        let rows = ObservableArray(model)
        let sorted = rows.live.sorted(by: { $0 })
        var differences = 0
        for round in 0..<(isUnderSanitizer ? 500 : 3_000) {
            let index = random.below(model.count)
            switch random.below(8) {
            case 0:
                model.remove(at: index)
                rows.remove(at: index)
            case 1:
                let value = random.below(1_000)
                model.insert(value, at: index)
                rows.insert(value, at: index)
            case 2:
                // Rolled back after the view has followed.
                try? inTransaction {
                    rows[index] = random.below(1_000)
                    _ = sorted.count
                    throw CancellationError()
                }
            case 3 where random.oneIn(10):
                // So many that the order is built anew.
                inTransaction {
                    for index in model.indices where random.oneIn(4) {
                        model[index] = random.below(1_000)
                        rows[index] = model[index]
                    }
                }
            default:
                // Near the old value, so that the row often stays where it is.
                model[index] = random.oneIn(2) ? random.below(1_000) : model[index] + random.below(3) - 1
                rows[index] = model[index]
            }
            if sorted.count != model.count { differences += 1 }
            if round % 100 == 0, sorted.elements != model.sorted() { differences += 1 }
        }
        if sorted.elements != model.sorted() { differences += 1 }
        #expect(differences == 0)
    }
}
