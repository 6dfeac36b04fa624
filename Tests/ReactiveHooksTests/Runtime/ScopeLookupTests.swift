// A render finds the scopes of the previous render, wherever they have moved.

import Reactive
import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct ScopeLookupTests {
        /// A scope is identified by its id, the type of the id, and the number of scopes with an equal id before it.
        private struct Key: Hashable {
            let id: Int
            let isText: Bool
            let repetition: Int
        }

        @Test(.alone) func randomListsWithEqualIdsKeepTheStateOfEachScope() {
            for seed in UInt64(0)..<40 {
                var random = SplitMix64(seed: seed)
                var created = 0
                var disposed: Set<Int> = []
                var list: [(id: Int, isText: Bool)] = []
                var numbers: [Key: Int] = [:]
                _ = issues {
                    let renderer = HookRenderer {
                        list.map { item in
                            func body() -> Int {
                                let number = useMemo(.once) { () -> Int in
                                    created += 1
                                    return created
                                }
                                useEffect(.once) { { disposed.insert(number) } }
                                return number
                            }
                            return item.isText ? hookScope(id: "\(item.id)", body) : hookScope(id: item.id, body)
                        }
                    }
                    for step in 0..<40 {
                        switch random.below(5) {
                        case 0 where !list.isEmpty: list.remove(at: random.below(list.count))
                        case 1 where !list.isEmpty: list.swapAt(random.below(list.count), random.below(list.count))
                        case 2: list.reverse()
                        case 3: list.shuffle(using: &random)
                        default: list.insert((random.below(8), random.below(3) == 0), at: random.below(list.count + 1))
                        }
                        var expectedCount = created
                        let output = renderer.render()
                        var seen: [Key: Int] = [:]
                        var expected: [Int] = []
                        for item in list {
                            var key = Key(id: item.id, isText: item.isText, repetition: 0)
                            while seen[key] != nil {
                                key = Key(id: item.id, isText: item.isText, repetition: key.repetition + 1)
                            }
                            if let known = numbers[key] {
                                seen[key] = known
                            } else {
                                expectedCount += 1
                                seen[key] = expectedCount
                            }
                            expected.append(seen[key] ?? 0)
                        }
                        numbers = seen
                        let gone = Set((0..<created).map { $0 + 1 }).subtracting(numbers.values)
                        guard output == expected, disposed == gone else {
                            Issue.record("seed \(seed), step \(step): \(output), not \(expected)")
                            return
                        }
                    }
                    renderer.unmount()
                }
                #expect(disposed.count == created)
            }
        }

        @Test func aScopeThatReturnsADifferentTypeKeepsItsState() {
            let isText = Observable(true)
            let trigger = Observable(0)
            let renderer = HookRenderer {
                func number() -> Int { trigger.value + useState(7).wrappedValue }
                return isText.value
                    ? HookScope(id: 1) { "\(number())" } : "number \(HookScope(id: 1) { number() })"
            }
            let old = renderer.output
            isText.value = false
            #expect((old, renderer.output) == ("7", "number 7"))
            trigger.value = 1
            #expect(renderer.output == "number 8")
            isText.value = true
            trigger.value = 2
            #expect(renderer.output == "9")
            renderer.unmount()
        }

        @Test func replacedOutputsAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let source = Observable(0)
            var wereFree: [Bool] = []
            func token() -> LifetimeTracker.Token { tracker.token { wereFree.append(GraphHandle.held == nil) } }
            let renderer = HookRenderer {
                for row in 0..<3 {
                    HookScope(id: row) {
                        _ = source.value
                        return token()
                    }
                }
            }
            source.value = 1
            renderer.render()
            #expect(tracker.alive == 3)
            renderer.unmount()
            #expect(tracker.alive == 0)
            #expect(wereFree.count == 9 && wereFree.allSatisfy { $0 })
        }
    }
}
