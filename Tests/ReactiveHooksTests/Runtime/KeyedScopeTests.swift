// Scopes with an id render by themselves.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct KeyedScopeTests {
        let log = Log()

        @Test func aStateOfOneAmongTenThousandRowsRunsOneBody() {
            var bodies = 0
            var states: [Binding<Int>] = []
            let renderer = HookRenderer {
                bodies += 1
                for row in 0..<10_000 {
                    HookScope(id: row) {
                        bodies += 1
                        let state = useState(0)
                        if states.count == row { states.append(state) }
                        _ = state.wrappedValue
                    }
                }
            }
            #expect(bodies == 10_001)
            bodies = 0
            states[7_777].wrappedValue = 1
            #expect(bodies == 1)
            inTransaction { for row in [9, 3, 5] { states[row].wrappedValue = 1 } }
            #expect(bodies == 4)
            renderer.unmount()
        }

        @Test func anEqualOutputStopsPropagation() {
            var bodies = 0
            let renderer = HookRenderer {
                bodies += 1
                return (0..<100).map { row in
                    HookScope(id: row) {
                        bodies += 1
                        let state = useState(0)
                        return (isEven: state.wrappedValue.isMultiple(of: 2), state: state)
                    }
                }
            }
            bodies = 0
            renderer.output[50].state.wrappedValue = 2
            #expect(bodies == 1)
            renderer.unmount()
        }

        @Test func aNewOutputRunsTheEnclosingBodiesAndNoSiblings() {
            let renderer = HookRenderer {
                log("page")
                let rows = HookScope(id: "list") {
                    log("list")
                    return (0..<100).map { row in
                        HookScope(id: row) {
                            log("row \(row)")
                            let state = useState("\(row)")
                            return (text: state.wrappedValue, state: state)
                        }
                    }
                }
                HookScope(id: "other") { log("other") }
                return rows
            }
            _ = log.take()
            renderer.output[50].state.wrappedValue = "new"
            // Scopes that are called elsewhere and later may use the new output.
            #expect(log.take() == ["row 50", "list", "page", "other"])
            #expect(renderer.output.map(\.text) == (0..<100).map { $0 == 50 ? "new" : "\($0)" })
            renderer.unmount()
        }

        @Test func aScopeThatUsesTheOutputOfASiblingIsNotStale() {
            let renderer = HookRenderer {
                let filter = HookScope(id: "filter") {
                    let text = useState("a")
                    return (text: text.wrappedValue, set: text)
                }
                let rows = ["apple", "banana", "cherry"].map { name in
                    HookScope(id: name) { name.contains(filter.text) ? name : "-" }
                }
                return (rows: rows, filter: filter.set)
            }
            #expect(renderer.output.rows == ["apple", "banana", "-"])
            renderer.output.filter.wrappedValue = "rr"
            #expect(renderer.output.rows == ["-", "-", "cherry"])
            renderer.unmount()
        }

        @Test func aChangeOfTheEnclosingBodyRendersAllOfIt() {
            let prefix = Observable("a")
            let renderer = HookRenderer {
                let prefix = prefix.value
                return (0..<3).map { row in HookScope(id: row) { "\(prefix)\(row)" } }
            }
            prefix.value = "b"
            #expect(renderer.output == ["b0", "b1", "b2"])
            renderer.unmount()
        }

        @Test func aSharedObservableRendersEachReaderOnceInTheOrderOfTheTree() {
            let shared = Observable(0)
            let order = Observable([3, 1, 2])
            let renderer = HookRenderer {
                for row in order.value {
                    HookScope(id: row) {
                        HookScope { log("\(row): \(shared.value)") }
                    }
                }
            }
            #expect(log.take() == ["3: 0", "1: 0", "2: 0"])
            shared.value = 1
            #expect(log.take() == ["3: 1", "1: 1", "2: 1"])
            order.value = [2, 3, 1]
            _ = log.take()
            shared.value = 2
            #expect(log.take() == ["2: 2", "3: 2", "1: 2"])
            renderer.unmount()
        }

        @Test func aScopeInsideAnotherRendersWithItOnce() {
            let shared = Observable(0)
            let renderer = HookRenderer {
                HookScope(id: "outer") {
                    log("outer \(shared.value)")
                    HookScope(id: "inner") { log("inner \(shared.value)") }
                }
            }
            _ = log.take()
            shared.value = 1
            #expect(log.take() == ["outer 1", "inner 1"])
            renderer.unmount()
        }

        @Test func aRemovedScopeRendersNoMore() {
            let shared = Observable(0)
            let isOpen = Observable(true)
            let renderer = HookRenderer {
                if isOpen.value { HookScope(id: "details") { log("\(shared.value)") } }
            }
            inTransaction {
                shared.value = 1
                isOpen.value = false
            }
            shared.value = 2
            #expect(log.take() == ["0"])
            isOpen.value = true
            #expect(log.take() == ["2"])
            renderer.unmount()
            shared.value = 3
            #expect(log.take().isEmpty)
        }

        @Test func theEffectsOfAScopeThatRendersAloneRunAlone() {
            var states: [Binding<Int>] = []
            let renderer = HookRenderer {
                useEffect {
                    log("page"); return nil
                }
                for row in 0..<3 {
                    HookScope(id: row) {
                        let state = useState(0)
                        if states.count == row { states.append(state) }
                        useEffect(.preserved(by: state.wrappedValue)) {
                            log("effect \(row)")
                            return { log("undo \(row)") }
                        }
                    }
                }
            }
            #expect(log.take() == ["effect 0", "effect 1", "effect 2", "page"])
            states[1].wrappedValue = 1
            #expect(log.take() == ["undo 1", "effect 1"])
            renderer.unmount()
        }

        @Test func anErrorOfAScopeThatRendersAloneReachesTheEnclosingBody() {
            struct Failed: Error {}
            let fails = Observable(false)
            let renderer = HookRenderer {
                do {
                    return try HookScope(id: 1) {
                        if fails.value { throw Failed() }
                        return "fine"
                    }
                } catch {
                    return "failed"
                }
            }
            fails.value = true
            #expect(renderer.output == "failed")
            fails.value = false
            #expect(renderer.output == "fine")
            renderer.unmount()
        }

        @Test func aScopeThatRendersAloneFindsItsContextAndItsEnvironment() {
            typealias Name = Context<String>
            let trigger = Observable(0)
            let renderer = HookRenderer {
                Name.Provider(value: "Ann") {
                    withEnvironment(\.hooksRulesAssertionDisabled, true) {
                        HookScope(id: 1) {
                            "\(useContext(Name.self)) \(trigger.value) \(useEnvironment(\.hooksRulesAssertionDisabled))"
                        }
                    }
                }
            }
            trigger.value = 1
            #expect(renderer.output == "Ann 1 true")
            renderer.unmount()
        }

        @Test func scopesOfDifferentKindsDoNotShareState() {
            typealias Name = Context<String>
            struct A: HookView { var hookBody: String { useState("a").wrappedValue } }
            struct B: HookView { var hookBody: String { useState("b").wrappedValue } }
            let isFirst = Observable(true)
            let renderer = HookRenderer {
                let view = isFirst.value ? A().body : B().body
                let state =
                    isFirst.value
                    ? Name.Provider(value: "Ann") { useState(1).wrappedValue } : HookScope { useState(2).wrappedValue }
                return "\(view)\(state)"
            }
            #expect(renderer.output == "a1")
            isFirst.value = false
            #expect(renderer.output == "b2")
            renderer.unmount()
        }

        @Test func aScopeInsideAProviderMayHaveTheIdOfOneOutside() {
            typealias Name = Context<String>
            let reported = issues {
                let renderer = HookRenderer {
                    let outer = HookScope(id: 1) { useState("outer").wrappedValue }
                    let inner = Name.Provider(value: "Ann") {
                        HookScope(id: 1) { useState("inner").wrappedValue }
                    }
                    return [outer, inner]
                }
                #expect(renderer.output == ["outer", "inner"])
                renderer.unmount()
            }
            #expect(reported.isEmpty)
        }

        @Test func aReactionOfABodyEndsBeforeItsNextRunOnly() {
            let source = Observable(0)
            var states: [Binding<Int>] = []
            let renderer = HookRenderer {
                autorun { log("page \(source.value)") }
                for row in 0..<2 {
                    HookScope(id: row) {
                        let state = useState(0)
                        if states.count == row { states.append(state) }
                        let value = state.wrappedValue
                        autorun { log("row \(row) \(value) \(source.value)") }
                        onCleanup { log("end \(row) \(value)") }
                    }
                }
            }
            #expect(log.take() == ["page 0", "row 0 0 0", "row 1 0 0"])
            states[1].wrappedValue = 5
            #expect(log.take() == ["end 1 0", "row 1 5 0"])
            source.value = 1
            #expect(log.take() == ["page 1", "row 0 0 1", "row 1 5 1"])
            renderer.unmount()
            #expect(Set(log.take()) == ["end 0 0", "end 1 5"])
            source.value = 2
            #expect(log.take().isEmpty)
        }

        @Test func anUnmountedRendererLeavesNothingBehind() {
            let shared = Observable(0)
            weak var kept: RefObject<Int>?
            do {
                let object = RefObject(0)
                kept = object
                let renderer = HookRenderer {
                    for row in 0..<5 { HookScope(id: row) { _ = (shared.value, object, useId(), useState(object)) } }
                }
                shared.value += 1
                renderer.render()
                renderer.unmount()
                #expect(renderer.render() == ())
            }
            #expect(kept == nil)
        }

        /// Random trees of scopes with ids that return numbers computed from their state and inner scopes. They are
        /// rendered incrementally and, for comparison, completely.
        @Test func randomTreesEqualACompleteRender() {
            final class Item {
                let id: Int
                let value = Observable(0)
                let children: Observable<[Item]>
                init(_ id: Int, _ children: [Item]) {
                    self.id = id
                    self.children = Observable(children, equals: .never)
                }
            }
            for seed in UInt64(0)..<30 {
                var random = SplitMix64(seed: seed)
                var items: [Item] = []
                func make(depth: Int) -> Item {
                    let item = Item(
                        items.count, depth == 0 ? [] : (0..<random.below(4)).map { _ in make(depth: depth - 1) })
                    items.append(item)
                    return item
                }
                let root = make(depth: 4)
                func render(_ item: Item) -> [Int] {
                    let own = item.value.value % 3
                    let children = item.children.value.flatMap { child in HookScope(id: child.id) { render(child) } }
                    // Uses the outputs of the others.
                    let sum = HookScope(id: "sum") { children.reduce(own, +) % 5 }
                    return [item.id, own, sum] + children
                }
                func expected(_ item: Item) -> [Int] {
                    let own = item.value.value % 3
                    let children = item.children.value.flatMap(expected)
                    return [item.id, own, children.reduce(own, +) % 5] + children
                }
                let renderer = HookRenderer { render(root) }
                for step in 0..<60 {
                    inTransaction {
                        for _ in 0...random.below(2) {
                            let item = items[random.below(items.count)]
                            switch random.below(4) {
                            case 0: item.children.value = item.children.value.reversed()
                            case 1: item.children.value = Array(item.children.value.dropLast())
                            default: item.value.value += 1
                            }
                        }
                    }
                    guard renderer.output == expected(root) else {
                        Issue.record("seed \(seed), step \(step): \(renderer.output), not \(expected(root))")
                        return
                    }
                }
                renderer.unmount()
            }
        }
    }
}
