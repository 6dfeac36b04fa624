// Random bodies, rendered by the runtime and by a plain model of the rules.
//
// A body is a list of hooks of three types and of scopes with and without ids. From one render to the next it changes
// randomly, within the rules or not. Each hook slot has a number, so the test sees which slots were kept, and records
// their end.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RandomBodyTests {
        private indirect enum Item {
            case hook(Int)
            case scope(id: Int?, [Item])
            case failure
        }

        // MARK: - The runtime

        private final class Life {
            var created = 0
            var ended: [Int] = []
        }

        private enum A {}
        private enum B {}
        private enum C {}

        private struct NumberHook<Tag>: Hook {
            let life: Life
            var updateStrategy: HookUpdateStrategy? { .once }

            func makeState() -> Int {
                life.created += 1
                return life.created
            }
            func value(coordinator: HookCoordinator<Self>) -> Int { coordinator.state }
            func dispose(state: Int) { life.ended.append(state) }
        }

        private struct Failed: Error {}

        private func run(_ items: [Item], _ life: Life) throws(Failed) -> [Int] {
            var numbers: [Int] = []
            for item in items {
                switch item {
                case .hook(0): numbers.append(useHook(NumberHook<A>(life: life)))
                case .hook(1): numbers.append(useHook(NumberHook<B>(life: life)))
                case .hook: numbers.append(useHook(NumberHook<C>(life: life)))
                case .scope(let id, let items):
                    // A scope that throws shows nothing; the enclosing scope continues.
                    do throws(Failed) {
                        if let id {
                            numbers += try HookScope(id: id) { () throws(Failed) in try run(items, life) }
                        } else {
                            numbers += try HookScope { () throws(Failed) in try run(items, life) }
                        }
                    } catch {
                        numbers.append(-1)
                    }
                case .failure: throw Failed()
                }
            }
            return numbers
        }

        // MARK: - The model

        private final class Model {
            var slots: [(kind: Int, number: Int)] = []
            var byID: [Int: Model] = [:]
            var byPosition: [Model] = []

            /// All hooks that live in it.
            var numbers: [Int] {
                slots.map(\.number) + byID.values.flatMap(\.numbers) + byPosition.flatMap(\.numbers)
            }

            /// Returns the result of the body, or `nil` if it throws.
            func render(_ items: [Item], _ created: inout Int) -> [Int]? {
                var numbers: [Int] = []
                var index = 0
                var position = 0
                var seen: Set<Int> = []
                for item in items {
                    switch item {
                    case .hook(let kind):
                        if index < slots.count, slots[index].kind != kind { slots.removeSubrange(index...) }
                        if index == slots.count {
                            created += 1
                            slots.append((kind, created))
                        }
                        numbers.append(slots[index].number)
                        index += 1
                    case .scope(let id?, let items):
                        seen.insert(id)
                        let child = byID[id] ?? Model()
                        byID[id] = child
                        numbers += child.render(items, &created) ?? [-1]
                    case .scope(nil, let items):
                        if position == byPosition.count { byPosition.append(Model()) }
                        numbers += byPosition[position].render(items, &created) ?? [-1]
                        position += 1
                    case .failure: return nil
                    }
                }
                slots.removeSubrange(index...)
                byID = byID.filter { seen.contains($0.key) }
                byPosition.removeSubrange(position...)
                return numbers
            }
        }

        // MARK: - Random bodies

        private func body(depth: Int, _ random: inout SplitMix64) -> [Item] {
            var ids = Array(0..<4)
            return (0..<random.below(6)).map { _ in
                switch random.below(depth == 0 ? 3 : 6) {
                case 0...2: return .hook(random.below(3))
                case 3 where !ids.isEmpty:
                    return .scope(id: ids.remove(at: random.below(ids.count)), body(depth: depth - 1, &random))
                case 4 where random.below(4) == 0: return .scope(id: nil, [.hook(0), .failure, .hook(1)])
                default: return .scope(id: nil, body(depth: depth - 1, &random))
                }
            }
        }

        /// Returns the body with one item removed, inserted or replaced, or with its items in a different order.
        private func changed(_ items: [Item], _ random: inout SplitMix64) -> [Item] {
            var items = items
            let fresh = body(depth: 0, &random).first ?? .hook(0)
            switch random.below(6) {
            case 0 where !items.isEmpty: items.remove(at: random.below(items.count))
            case 1: items.insert(fresh, at: random.below(items.count + 1))
            case 2 where !items.isEmpty: items[random.below(items.count)] = fresh
            case 3: items.shuffle(using: &random)
            default: break
            }
            return items.map { item in
                guard case .scope(let id, let inner) = item else { return item }
                return .scope(id: id, random.below(3) == 0 ? changed(inner, &random) : inner)
            }
        }

        @Test(.alone) func randomBodiesFollowTheRules() {
            for seed in UInt64(0)..<60 {
                var random = SplitMix64(seed: seed)
                let life = Life()
                let model = Model()
                var created = 0
                var items = body(depth: 3, &random)
                _ = violations {
                    let renderer = HookRenderer { (try? run(items, life)) ?? [-1] }
                    for step in 0..<40 {
                        if step > 0 {
                            items = changed(items, &random)
                            renderer.render()
                        }
                        let expected = model.render(items, &created)
                        let ended = Set((0..<created).map { $0 + 1 }).subtracting(model.numbers)
                        guard renderer.output == expected, Set(life.ended) == ended else {
                            Issue.record("seed \(seed), step \(step): \(renderer.output), not \(expected ?? [])")
                            return
                        }
                    }
                    renderer.unmount()
                }
                #expect(life.ended.sorted() == (0..<life.created).map { $0 + 1 }, "seed \(seed)")
            }
        }
    }
}
