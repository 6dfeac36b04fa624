// The end of a renderer.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct DisposalTests {
        let log = Log()

        private func body() -> Binding<Int> {
            let count = useState(0)
            useEffect(.once) { { log("end 1") } }
            HookScope { useEffect(.once) { { log("end inner") } } }
            useLayoutEffect(.once) { { log("end 2") } }
            return count
        }

        @Test func unmountDisposesInReverseOrderOnce() {
            let renderer = HookRenderer { body() }
            renderer.unmount()
            renderer.unmount()
            #expect(log.take() == ["end inner", "end 2", "end 1"])
        }

        @Test func aRendererThatIsReleasedUnmounts() {
            var renderer: HookRenderer<Binding<Int>>? = HookRenderer { body() }
            #expect(renderer != nil)
            renderer = nil
            #expect(log.take() == ["end inner", "end 2", "end 1"])
        }

        @Test func aLateWriteIsIgnored() {
            let renderer = HookRenderer {
                body()
            } onRender: {
                log("\($0.wrappedValue)")
            }
            let count = renderer.output
            count.wrappedValue = 1
            renderer.unmount()
            _ = log.take()
            count.wrappedValue = 2
            #expect(count.wrappedValue == 1)
            #expect(log.take().isEmpty)
        }

        @Test func unmountInAnEffectSkipsTheRemainingEffects() {
            var renderer: HookRenderer<Void>?
            let count = Observable(0)
            renderer = HookRenderer {
                let seen = count.value
                useEffect {
                    log("effect \(seen)")
                    if seen == 1 { renderer?.unmount() }
                    return { log("undo \(seen)") }
                }
                useEffect {
                    log("second \(seen)")
                    return nil
                }
            }
            count.value = 1
            count.value = 2
            #expect(log.take() == ["effect 0", "second 0", "undo 0", "effect 1", "undo 1"])
            #expect(renderer != nil)
        }

        @Test func unmountInARenderReportsNoOutput() {
            var renderer: HookRenderer<Void>?
            let count = Observable(0)
            renderer = HookRenderer {
                if count.value == 1 { renderer?.unmount() }
                useEffect(.once) { { log("end") } }
            } onRender: {
                log("shown")
            }
            count.value = 1
            #expect(log.take() == ["shown", "end"])
            #expect(renderer != nil)
        }

        @Test func unmountInATransactionHappensWhenItEnds() {
            let renderer = HookRenderer { body() }
            inTransaction {
                renderer.unmount()
                log("end of transaction")
            }
            #expect(log.take().first == "end of transaction")
        }

        @Test func aRenderAfterUnmountStartsAgain() {
            let renderer = HookRenderer { body() }
            renderer.output.wrappedValue = 5
            renderer.unmount()
            _ = log.take()
            #expect(renderer.render().wrappedValue == 0)
            renderer.unmount()
            #expect(log.take() == ["end inner", "end 2", "end 1"])
        }

        @Test func anUnmountedRendererLeavesNoReaction() {
            var renderer: HookRenderer<Int>? = HookRenderer(named: "short-lived") { 1 }
            renderer?.unmount()
            renderer = nil
            #expect(!Diagnostics.liveReactions.contains { $0.name == "short-lived" })
        }
    }
}
