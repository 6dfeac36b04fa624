// The headless host.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct RendererTests {
        let log = Log()

        @Test func theHostGetsTheOutputBeforeEffectsRun() {
            let renderer = HookRenderer {
                log("render")
                useLayoutEffect {
                    log("layout effect")
                    return nil
                }
                useEffect {
                    log("effect")
                    return nil
                }
            } onRender: {
                log("handed over")
            }
            #expect(log.take() == ["render", "layout effect", "handed over", "effect"])
            renderer.unmount()
        }

        @Test func renderRendersAlthoughNothingChanged() {
            var external = 1
            let renderer = HookRenderer { external }
            external = 2
            #expect(renderer.output == 1)
            #expect(renderer.render() == 2)
            #expect(renderer.output == 2)
            renderer.unmount()
        }

        @Test func onRenderMayBeSetLater() {
            let count = Observable(0)
            let renderer = HookRenderer { count.value }
            renderer.onRender = { log("\($0)") }
            count.value = 1
            #expect(log.take() == ["1"])
            renderer.unmount()
        }

        @Test func aManualRendererRendersOnDemand() {
            let count = Observable(0)
            let renderer = HookRenderer(scheduler: .manual) {
                log("render")
                return count.value
            }
            #expect(log.take().isEmpty)
            #expect(renderer.needsRender)
            #expect(renderer.output == 0)
            #expect(!renderer.needsRender)
            count.value = 1
            #expect(renderer.needsRender)
            #expect(renderer.output == 0)
            #expect(renderer.render() == 1)
            #expect(log.take() == ["render", "render"])
            renderer.unmount()
        }

        @Test func theEffectsOfAManualRendererWaitForTheHost() {
            let count = Observable(0)
            let renderer = HookRenderer(scheduler: .manual) {
                let seen = count.value
                useEffect {
                    log("effect \(seen)")
                    return { log("undo \(seen)") }
                }
            } onRender: {
                log("shown")
            }
            renderer.render()
            #expect(log.take() == ["shown"])
            renderer.runEffects()
            renderer.runEffects()
            #expect(log.take() == ["effect 0"])
            count.value = 1
            renderer.render()
            count.value = 2
            renderer.render()
            #expect(log.take() == ["shown", "undo 0", "effect 1", "shown"])
            renderer.unmount()
            #expect(log.take() == ["undo 1"])
        }

        @Test func aCustomSchedulerDecidesWhenToRender() {
            let count = Observable(0)
            let queue = Shared<[@Sendable () -> Void]>([])
            let renderer = HookRenderer(scheduler: .custom { render in queue.withLock { $0.append(render) } }) {
                count.value
            } onRender: {
                log("\($0)")
            }
            count.value = 1
            count.value = 2
            #expect(log.take() == ["0"])
            #expect(queue.value.count == 1)
            queue.value.forEach { $0() }
            #expect(log.take() == ["2"])
            count.value = 3
            #expect(queue.value.count == 2)
            #expect(renderer.render() == 3)
            queue.value.forEach { $0() }
            #expect(log.take() == ["3"])
            count.value = 4
            renderer.unmount()
            count.value = 5
            queue.value.forEach { $0() }
            #expect(log.take().isEmpty)
        }

        @Test func theEnvironmentIsSetUpAndCanBeReplaced() {
            let renderer = HookRenderer {
                useEnvironment(\.hooksRulesAssertionDisabled)
            } environment: {
                $0.hooksRulesAssertionDisabled = true
            } onRender: {
                log("\($0)")
            }
            renderer.environment.hooksRulesAssertionDisabled = false
            #expect(log.take() == ["true", "false"])
            renderer.unmount()
        }

        @Test func aRendererCreatedInATransactionReportsItsOutputAtTheEnd() {
            var renderer: HookRenderer<Int>?
            inTransaction {
                renderer = HookRenderer {
                    log("render")
                    useEffect {
                        log("effect")
                        return nil
                    }
                    return 1
                } onRender: { _ in
                    log("shown")
                }
                #expect(renderer?.output == 1)
                log("end")
            }
            #expect(log.take() == ["render", "end", "shown", "effect"])
            renderer?.unmount()
        }

        @Test func aRendererCreatedInTheBodyOfAnotherSurvivesItsNextRun() {
            let outer = Observable(0)
            let inner = Observable(0)
            let renderer = HookRenderer {
                log("outer \(outer.value)")
                return useMemo(.once) { HookRenderer { log("inner \(inner.value)") } }
            }
            outer.value = 1
            inner.value = 1
            #expect(log.take() == ["outer 0", "inner 0", "outer 1", "inner 1"])
            renderer.output.unmount()
            renderer.unmount()
        }

        @Test func aRendererCreatedInAReactionOutlivesItsRun() {
            let trigger = Observable(0)
            let count = Observable(0)
            var renderers: [HookRenderer<Void>] = []
            let reaction = autorun {
                _ = trigger.value
                if renderers.isEmpty { renderers.append(HookRenderer { log("\(count.value)") }) }
            }
            trigger.value = 1
            count.value = 1
            #expect(log.take() == ["0", "1"])
            reaction.cancel()
            renderers[0].unmount()
        }

        @Test func aScopeCatchesTheErrorOfItsBody() {
            struct Failed: Error {}
            let fails = Observable(false)
            let renderer = HookRenderer {
                Result {
                    try HookScope {
                        if fails.value { throw Failed() }
                        return 1
                    }
                }
            }
            fails.value = true
            #expect(throws: Failed.self) { try renderer.output.get() }
            fails.value = false
            #expect(try! renderer.output.get() == 1)
            renderer.unmount()
        }

        @Test func aComponentAsATypeHasAScopeOfItsOwn() {
            struct Counter: HookView {
                var title: String
                var hookBody: (text: String, count: Binding<Int>) {
                    let count = useState(1)
                    return ("\(title): \(count.wrappedValue)", count)
                }
            }
            let renderer = HookRenderer { [Counter(title: "a").body, Counter(title: "b").body] }
            renderer.output[1].count.wrappedValue = 2
            #expect(renderer.output.map(\.text) == ["a: 1", "b: 2"])
            renderer.unmount()
        }
    }
}
