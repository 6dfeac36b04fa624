// The cost of a view that is not read: the log is bounded, and the view keeps its contents.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

#if DEBUG
private let edits = 50_000
#else
private let edits = 1_000_000
#endif

extension ReactiveCollectionsTests {
    @Suite struct IdleViewTests {
        /// Checks that a log is not larger than its stage.
        private func expectBounded(_ log: LogBox, rows: Int, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(log.log.entries.count <= max(64, rows / 8) + 1, sourceLocation: sourceLocation)
            #expect(log.log.stamps.count <= rows, sourceLocation: sourceLocation)
        }

        @Test func theLogOfAnArrayIsBounded() {
            let array = ObservableArray(0..<1_000)
            var runs = 0
            let even = array.live.filter(isolation: nil) { number in
                runs += 1
                return number % 2 == 0
            }
            let sorted = even.sorted(isolation: nil) { -$0 }
            _ = sorted.count
            var random = SplitMix64(seed: 1)
            var written: Set<Int> = []
            runs = 0
            for step in 0..<edits {
                let index = random.below(500)
                written.insert(index)
                array[index] = step
                if step % 8 == 0 { array.move(from: 999, to: 998) }
                if step % 1_000 == 0 { expectBounded(array.stageLog, rows: 1_000) }
            }
            expectBounded(array.stageLog, rows: 1_000)
            expectBounded(even.log, rows: 1_000)
            #expect(runs == 0)
            #expect(sorted.elements == array.filter { $0 % 2 == 0 }.sorted(by: >))
            #expect(runs == written.count)
        }

        @Test func rowsAreReused() {
            let array = ObservableArray(0..<100)
            let view = array.live.map(isolation: nil) { $0 + 1 }
            _ = view.count
            for step in 0..<edits {
                array.append(step)
                array.removeFirst()
            }
            expectBounded(array.stageLog, rows: 102)
            #expect(view.elements == array.map { $0 + 1 })
        }

        @Test func theLogOfADictionaryIsBounded() {
            let prices = ObservableDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, 0) })
            let doubles = prices.live.mapValues(isolation: nil) { 2 * $0 }
            #expect(doubles.count == 1_000)
            var random = SplitMix64(seed: 2)
            for step in 0..<edits {
                let key = random.below(1_000)
                if step % 3 == 0 { prices[key] = nil } else { prices[key] = step }
            }
            expectBounded(prices.stageLog, rows: 1_000)
            let expected = prices.snapshot.reduce(into: [Int: Int]()) { $0[$1.key] = 2 * $1.value }
            #expect(doubles.elements == expected)
        }

        @Test func aViewWithIdlePartsIsBounded() {
            let flags = (0..<100).map { Observable($0 % 2 == 0) }
            let array = ObservableArray(0..<100)
            let open = array.live.filter(isolation: nil) { flags[$0].value }
            #expect(open.count == 50)
            for step in 0..<edits { flags[step % 100].value.toggle() }
            #expect(open.count == 50)
            // Rolled-back transactions leave no part behind.
            for _ in 0..<100 {
                try? inTransaction {
                    flags[3].value.toggle()
                    _ = open.count
                    throw CancellationError()
                }
            }
            #expect((open.stage.view.unsafelyUnwrapped).partCount == 100)
        }
    }
}
