// Closures and computeds that write sources of views. That is reported, and observers see only the final state.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct ViewWritingTests {
        /// A computed writes, inside other evaluations, before its reader reads a computed of a key at the same point
        /// as the last time.
        @Test(arguments: [0, 1, 5]) func aComputedOfAKeyIsCurrentAfterANestedWrite(depth: Int) {
            let flag = Observable(1)
            let prices: ObservableDictionary = ["a": 1, "b": 1]
            let doubles = prices.live.mapValues(isolation: nil) { 2 * $0 }
            let key = Computed { doubles["a"] ?? 0 }
            var writer = Computed {
                prices["a"] = flag.value
                return flag.value
            }
            for _ in 0..<depth {
                let inner = writer
                writer = Computed { inner.value }
            }
            let outer = writer
            let log = Log()
            _ = issues {
                let reaction = autorun { log("\(outer.value) \(key.value)") }
                for value in 2...5 { flag.value = value }
                reaction.cancel()
                #expect(log.take() == (1...5).map { "\($0) \(2 * $0)" })
                // They are unobserved now.
                for value in 6...9 {
                    flag.value = value
                    let sum = Computed { outer.value + key.value }
                    #expect(sum.value == 3 * value)
                    flag.value = value + 10
                    #expect(sum.value == 3 * (value + 10))
                }
            }
        }

        /// A computed writes while two views that read it are updated. The older view reads a key of the newer one. The
        /// older one is evaluated a second time before any observer runs.
        @Test func anOlderViewReadsAKeyOfANewerOneAfterANestedWrite() {
            let flag = Observable(1)
            let rows: ObservableDictionary = ["r": 0]
            let prices: ObservableDictionary = ["a": 1]
            let log = Log()
            _ = issues {
                let writer = Computed {
                    prices["a"] = flag.value
                    return flag.value
                }
                let key = Shared<Computed<Int>?>(nil)
                let older = rows.live.mapValues(isolation: nil) { $0 + writer.value + (key.value?.value ?? 0) }
                let newer = prices.live.mapValues(isolation: nil) { 2 * $0 + 0 * writer.value }
                let current = Computed { newer["a"] ?? 0 }
                key.value = current
                let reaction = autorun { log("\(older["r"] ?? 0) \(current.value)") }
                #expect(log.take() == ["3 2"])
                for value in 2...5 {
                    flag.value = value
                    #expect(log.take() == ["\(3 * value) \(2 * value)"])
                }
                reaction.cancel()
            }
        }

        /// A closure of a view writes the source of a newer view, and reads a key of that view.
        @Test func aClosureThatWritesReadsItsOwnWriteInTheEnd() {
            let rows: ObservableArray = [1, 2]
            let prices: ObservableDictionary = ["a": 0]
            let log = Log()
            _ = issues {
                let key = Shared<Computed<Int>?>(nil)
                let sums = rows.live.indexed(isolation: nil) { $0 }.mapValues(isolation: nil) { row in
                    if row > 2 { prices["a"] = row }
                    return row + (key.value?.value ?? 0)
                }
                let doubles = prices.live.mapValues(isolation: nil) { 2 * $0 }
                key.value = Computed { doubles["a"] ?? 0 }
                let reaction = autorun { log("\(sums[1] ?? -1) \(sums[7] ?? -1) \(key.value?.value ?? -1)") }
                rows.append(7)
                #expect(log.take() == ["1 -1 0", "15 21 14"])
                reaction.cancel()
            }
        }

        /// The first write of the transaction is inside the evaluation, which has therefore logged no state.
        @Test func aViewForgetsAnElementThatItsOwnClosureAddedInARollBack() {
            let array: ObservableArray = [1]
            let factor = Observable(1)
            var mayWrite = false
            let view = array.live.map(isolation: nil) { number in
                if mayWrite { array.append(9) }
                mayWrite = false
                return factor.value * number
            }
            #expect(view.elements == [1])
            factor.value = 10
            mayWrite = true
            _ = issues {
                try? inTransaction {
                    #expect(view.elements == [10, 90])
                    throw Refused.once
                }
            }
            #expect(array.elements == [1])
            array.append(7)
            #expect(view.elements == [10, 70])
        }

        #if DEBUG
        @Test func aClosureOfAnElementThatWritesIsReported() {
            let (array, factor, copy) = (ObservableArray([1]), Observable(1), Observable(1))
            let view = array.live.map(named: "products", isolation: nil) { number in
                let factor = factor.value
                copy.value = factor
                return factor * number
            }
            let reaction = autorun { _ = view.elements }
            let found = issues { factor.value = 2 }
            #expect(!found.isEmpty && found.allSatisfy { $0.kind == .writeInComputed })
            reaction.cancel()
        }
        #endif

        @Test func aViewThatAlwaysWritesWhatItReadsIsReported() {
            let (array, count) = (ObservableArray([1]), Observable(0))
            func next(_ number: Int) -> Int {
                count.value += 1
                return count.value
            }
            let views = [
                array.live.map(isolation: nil, next),
                array.live.joined(with: array.live, on: next, equals: next, isolation: nil).map(isolation: nil) {
                    $0.0
                },
            ]
            for view in views {
                let found = issues { _ = view.count }
                #expect(found.contains { $0.kind == .loop && $0.message.contains("A view updates in a loop") })
            }
        }

        /// Closures with parts write observables that other closures of the view have read.
        @Test(arguments: seeds(20)) func partsThatWriteAgreeInTheEnd(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let levels = (0..<8).map { _ in Observable(random.below(5)) }
            let rows = ObservableArray((0..<20).map { _ in random.below(8) })
            let isObserved = random.oneIn(2)
            _ = issues {
                // Each closure raises the level of its left neighbour to half its own.
                let view = rows.live.map(isolation: nil) { row in
                    let level = levels[row].value
                    if row > 0, levels[row - 1].value < level / 2 { levels[row - 1].value = level / 2 }
                    return 100 * row + level
                }
                let groups = view.grouped(isolation: nil) { $0 / 100 }
                var seen: [Int] = []
                let reaction = isObserved ? autorun { seen = view.elements + [groups[3]?.count ?? 0] } : nil
                for step in 0..<60 {
                    try? inTransaction {
                        for _ in 0..<random.below(3) { levels[random.below(8)].value = random.below(40) }
                        if random.oneIn(3) { rows[random.below(rows.count)] = random.below(8) }
                        if random.oneIn(4) { rows.append(random.below(8)) }
                        if random.oneIn(4) { rows.remove(at: random.below(rows.count)) }
                        if random.oneIn(4) { _ = view.count }
                        if random.oneIn(5) { throw CancellationError() }
                    }
                    let elements = view.elements
                    let expected = rows.map { 100 * $0 + levels[$0].value }
                    #expect(elements == expected, "seed \(seed), step \(step)")
                    let sizes = Dictionary(grouping: expected) { $0 / 100 }.mapValues(\.count)
                    #expect(groups.elements.mapValues(\.count) == sizes, "seed \(seed), step \(step)")
                    if isObserved { #expect(seen == expected + [sizes[3] ?? 0], "seed \(seed), step \(step)") }
                }
                reaction?.cancel()
            }
        }
    }
}
