// A render subscribes to the state that it reads.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct TrackingTests {
        let log = Log()

        @Test func anObservableReadInARenderRendersAgain() {
            let name = Observable("Ann")
            let renderer = HookRenderer {
                "Hello, \(name.value)"
            } onRender: {
                log($0)
            }
            name.value = "Bob"
            name.value = "Bob"
            #expect(log.take() == ["Hello, Ann", "Hello, Bob"])
            renderer.unmount()
            name.value = "Cid"
            #expect(log.take().isEmpty)
        }

        @Test func aComputedRendersOnlyIfItsResultChanges() {
            let count = Observable(1)
            let isEven = Computed { count.value.isMultiple(of: 2) }
            let renderer = HookRenderer {
                "\(isEven.value)"
            } onRender: {
                log($0)
            }
            count.value = 3
            count.value = 4
            #expect(log.take() == ["false", "true"])
            renderer.unmount()
        }

        @Test func stateThatIsNoLongerReadRendersNoMore() {
            let isOn = Observable(true)
            let count = Observable(0)
            let renderer = HookRenderer {
                isOn.value ? "\(count.value)" : "off"
            } onRender: {
                log($0)
            }
            count.value = 1
            isOn.value = false
            count.value = 2
            #expect(log.take() == ["0", "1", "off"])
            renderer.unmount()
        }

        @Test func aReadInAScopeInsideRenders() {
            let count = Observable(0)
            let renderer = HookRenderer {
                HookScope { HookScope { "\(count.value)" } }
            } onRender: {
                log($0)
            }
            count.value = 1
            #expect(log.take() == ["0", "1"])
            renderer.unmount()
        }

        @Test func writesInOneTransactionGiveOneRender() {
            let a = Observable(1)
            let renderer = HookRenderer {
                let b = useState(10)
                return (text: "\(a.value) \(b.wrappedValue)", b: b)
            } onRender: {
                log($0.text)
            }
            inTransaction {
                a.value = 2
                renderer.output.b.wrappedValue = 20
                renderer.output.b.wrappedValue = 30
                log("end")
            }
            #expect(log.take() == ["1 10", "end", "2 30"])
            renderer.unmount()
        }

        @Test func aTransactionThatIsRolledBackRendersNothing() {
            struct Refused: Error {}
            let renderer = HookRenderer {
                let count = useState(1)
                log("\(count.wrappedValue)")
                return count
            }
            #expect(throws: Refused.self) {
                try inTransaction {
                    renderer.output.wrappedValue = 2
                    throw Refused()
                }
            }
            #expect(renderer.output.wrappedValue == 1)
            #expect(log.take() == ["1"])
            renderer.unmount()
        }

        @Test func aRenderInARolledBackTransactionIsRepeated() {
            struct Refused: Error {}
            let count = Observable(1)
            let renderer = HookRenderer {
                let seen = count.value
                return useMemo(.preserved(by: seen)) { seen * 10 }
            } onRender: {
                log("\($0)")
            }
            #expect(throws: Refused.self) {
                try inTransaction {
                    count.value = 2
                    #expect(renderer.render() == 20)
                    throw Refused()
                }
            }
            #expect(renderer.output == 10)
            #expect(log.take().last == "10")
            renderer.unmount()
        }

        @Test func readsInEffectsAndCleanUpsSubscribeNobody() {
            let count = Observable(0)
            let renderer = HookRenderer {
                log("render")
                useLayoutEffect {
                    _ = count.value
                    return { _ = count.value }
                }
                useEffect {
                    _ = count.value
                    return { _ = count.value }
                }
            }
            count.value = 1
            renderer.render()
            count.value = 2
            #expect(log.take() == ["render", "render"])
            renderer.unmount()
        }

        @Test func readingTheOutputSubscribesNobody() {
            let count = Observable(0)
            let renderer = HookRenderer { count.value }
            let reaction = autorun { log("\(renderer.output)") }
            count.value = 1
            #expect(log.take() == ["0"])
            reaction.cancel()
            renderer.unmount()
        }

        @Test(.alone) func aTaskStartedInARenderIsNotRendering() async {
            let result = Shared<[Diagnostics.Issue]>([])
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { issue in result.withLock { $0.append(issue) } }
            defer { Diagnostics.onIssue = before }
            let task = Shared<Task<Int, Never>?>(nil)
            let renderer = HookRenderer {
                task.withLock { $0 = Task { useState(7).wrappedValue } }
                return useState("kept").wrappedValue
            }
            #expect(await task.value?.value == 7)
            #expect(renderer.output == "kept")
            #expect(result.value.contains { $0.message.contains("StateHook<Int> is called outside a HookScope") })
            renderer.unmount()
        }

        @Test func diagnosticsKnowTheRendererByItsName() {
            let renderer = HookRenderer(named: "counter page") { 1 }
            #expect(Diagnostics.liveReactions.contains { $0.name == "counter page" })
            renderer.unmount()
        }
    }
}
