// Renders that call different hooks than the previous render.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite(.alone) struct HookOrderTests {
        let log = Log()

        /// A hook that counts its updates and logs its creation and end.
        private struct CountingHook: Hook {
            let name: String
            let log: Log
            var updateStrategy: HookUpdateStrategy? { nil }

            func makeState() -> RefObject<Int> {
                log("make \(name)")
                return RefObject(0)
            }
            func updateState(coordinator: Coordinator) { coordinator.state.current += 1 }
            func value(coordinator: Coordinator) -> String { "\(name)\(coordinator.state.current)" }
            func dispose(state: RefObject<Int>) { log("dispose \(name)") }
        }

        /// As `CountingHook`, with the same type of state.
        private struct OtherHook: Hook {
            let name: String
            let log: Log
            var updateStrategy: HookUpdateStrategy? { nil }

            func makeState() -> RefObject<Int> { RefObject(100) }
            func updateState(coordinator: Coordinator) { coordinator.state.current += 1 }
            func value(coordinator: Coordinator) -> String { "\(name)\(coordinator.state.current)" }
            func dispose(state: RefObject<Int>) { log("dispose \(name)") }
        }

        private func counting(_ name: String) -> String { useHook(CountingHook(name: name, log: log)) }
        private func other(_ name: String) -> String { useHook(OtherHook(name: name, log: log)) }

        @Test func aDifferentHookResetsTheFollowingOnesAndTheNextRenderIsStable() {
            var isOther = false
            let tester = HookTester {
                [counting("a"), isOther ? other("x") : counting("b"), counting("c"), counting("d")]
            }
            tester.update()
            #expect(tester.value == ["a2", "b2", "c2", "d2"])
            _ = log.take()

            isOther = true
            let reported = violations { tester.update() }
            #expect(tester.value == ["a3", "x101", "c1", "d1"])
            #expect(log.take() == ["dispose d", "dispose c", "dispose b", "make c", "make d"])
            #expect(reported.count == 1)
            #expect(reported[0].kind == .changed)
            #expect(reported[0].index == 1)
            #expect(reported[0].previous == "CountingHook")
            #expect(reported[0].current == "OtherHook")
            #expect(reported[0].description.contains("CountingHook"))
            #expect(reported[0].description.contains("OtherHook"))

            #expect(violations { tester.update() }.isEmpty)
            #expect(tester.value == ["a4", "x102", "c2", "d2"])
            tester.dispose()
        }

        @Test func missingHooksAreDisposedOf() {
            var isShort = false
            let tester = HookTester {
                isShort ? [counting("a")] : [counting("a"), counting("b"), counting("c")]
            }
            _ = log.take()
            isShort = true
            let reported = violations { tester.update() }
            #expect(log.take() == ["dispose c", "dispose b"])
            #expect(reported.map(\.kind) == [.missing])
            #expect(reported[0].index == 1)
            #expect((reported[0].previous, reported[0].current) == ("CountingHook", nil))
            #expect(violations { tester.update() }.isEmpty)
            #expect(tester.value == ["a3"])
            tester.dispose()
        }

        @Test func additionalHooksAreAppended() {
            var isLong = false
            let tester = HookTester {
                isLong ? [counting("a"), other("x")] : [counting("a")]
            }
            isLong = true
            let reported = violations { tester.update() }
            #expect(tester.value == ["a2", "x101"])
            #expect(reported.map(\.kind) == [.additional])
            #expect(reported[0].index == 1)
            #expect((reported[0].previous, reported[0].current) == (nil, "OtherHook"))
            #expect(violations { tester.update() }.isEmpty)
            tester.dispose()
        }

        @Test func onlyTheFirstDifferenceIsReported() {
            var isOther = false
            let tester = HookTester {
                isOther ? [other("x"), counting("b"), counting("c")] : [counting("a"), counting("b")]
            }
            isOther = true
            #expect(violations { tester.update() }.map(\.kind) == [.changed])
            tester.dispose()
        }

        @Test func aHookThatOnlyABodyThatThrewHasCalledIsNotMissing() {
            struct Failed: Error {}
            var fails = false
            let tester = HookTester {
                try? HookScope {
                    _ = counting("a")
                    if fails {
                        _ = counting("b")
                        throw Failed()
                    }
                }
            }
            fails = true
            #expect(violations { tester.update() }.map(\.kind) == [.additional])
            fails = false
            #expect(violations { tester.update() }.isEmpty)
            tester.dispose()
        }

        @Test func hooksBehindOneThatChangedInABodyThatThrewAreNotAdditional() {
            struct Failed: Error {}
            var (isOther, fails) = (false, false)
            let tester = HookTester {
                try? HookScope {
                    _ = isOther ? other("x") : counting("a")
                    if fails { throw Failed() }
                    _ = counting("b")
                }
            }
            (isOther, fails) = (true, true)
            #expect(violations { tester.update() }.map(\.kind) == [.changed])
            fails = false
            #expect(violations { tester.update() }.isEmpty)
            tester.dispose()
        }

        @Test func aManualRendererReportsInTheRender() {
            var isOther = false
            let renderer = HookRenderer(scheduler: .manual) { isOther ? other("x") : counting("a") }
            renderer.render()
            isOther = true
            #expect(violations { renderer.render() }.map(\.kind) == [.changed])
            renderer.unmount()
        }

        @Test func aBodyThatReturnsEarlyKeepsEarlierState() {
            let isLoggedIn = Observable(true)
            let reported = violations {
                let renderer = HookRenderer { () -> [Binding<Int>] in
                    let first = useState(1)
                    guard isLoggedIn.value else { return [first] }
                    return [first, useState(2)]
                }
                renderer.output[0].wrappedValue = 10
                renderer.output[1].wrappedValue = 20
                isLoggedIn.value = false
                #expect(renderer.output.map(\.wrappedValue) == [10])
                isLoggedIn.value = true
                #expect(renderer.output.map(\.wrappedValue) == [10, 2])
                renderer.unmount()
            }
            #expect(reported.map(\.kind) == [.missing, .additional])
        }

        @Test func theTypeOfTheStateCountsToo() {
            var isText = false
            let tester = HookTester { () -> String in
                isText ? useState("text").wrappedValue : "\(useState(1).wrappedValue)"
            }
            isText = true
            let reported = violations { tester.update() }
            #expect(tester.value == "text")
            #expect(reported.map(\.previous) == ["StateHook<Int>"])
            #expect(reported.map(\.current) == ["StateHook<String>"])
            tester.dispose()
        }

        @Test func theReportCanBeSilencedButNotTheRecovery() {
            var isOther = false
            let renderer = HookRenderer { isOther ? other("x") : counting("a") }.disableHooksRulesAssertion()
            isOther = true
            #expect(violations { renderer.render() }.isEmpty)
            #expect(renderer.output == "x101")
            renderer.disableHooksRulesAssertion(false)
            isOther = false
            #expect(violations { renderer.render() }.count == 1)
            renderer.unmount()
        }

        @Test func theReportCanBeSilencedInAPart() {
            var isOther = false
            let tester = HookTester {
                disableHooksRulesAssertion { isOther ? other("x") : counting("a") }
            }
            isOther = true
            #expect(violations { tester.update() }.isEmpty)
            #expect(tester.value == "x101")
            tester.dispose()
        }

        @Test func withoutAHandlerAViolationIsAnIssue() {
            var isOther = false
            let tester = HookTester { isOther ? other("x") : counting("a") }
            isOther = true
            let reported = issues { tester.update() }
            #expect(reported.map(\.kind) == [.misuse])
            let sentence = "was CountingHook in the previous render and is OtherHook in this one"
            #expect(reported[0].message.contains(sentence))
            tester.dispose()
        }

        @Test func theHandlerRunsOutsideTheLock() {
            var isOther = false
            let count = Observable(0)
            let tester = HookTester { isOther ? other("x") : counting("a") }
            let before = HooksRules.onViolation
            defer { HooksRules.onViolation = before }
            HooksRules.onViolation = { _ in
                // Another thread can use the graph meanwhile.
                onThreads(1) { _ in count.value += 1 }
            }
            isOther = true
            tester.update()
            #expect(count.value == 1)
            tester.dispose()
        }

        @Test func aReleasedHandlerMayReadOnViolation() {
            let before = HooksRules.onViolation
            defer { HooksRules.onViolation = before }
            let tracker = LifetimeTracker()
            let found = Shared<[Bool]>([])
            func handler() -> @Sendable (HooksRules.Violation) -> Void {
                let token = tracker.token { found.withLock { $0.append(HooksRules.onViolation != nil) } }
                return { _ in _ = token }
            }
            HooksRules.onViolation = handler()
            HooksRules.onViolation = handler()
            HooksRules.onViolation = nil
            #expect(found.value == [true, false])
        }

        @Test func aHookOutsideAScopeIsMisuseAndKeepsNothing() {
            var state: Binding<Int>?
            let reported = issues { state = useState(1) }
            #expect(reported.map(\.kind) == [.misuse])
            #expect(reported[0].message.contains("StateHook<Int> is called outside a HookScope"))
            #expect(reported[0].message.contains("Call it while a HookRenderer's body"))
            state?.wrappedValue = 2
            #expect(state?.wrappedValue == 1)
        }

        @Test func aHookInAnEffectOrAMemoIsMisuse() {
            let reported = issues {
                let renderer = HookRenderer {
                    useMemo(.once) { useState(1).wrappedValue }
                    useEffect(.once) {
                        _ = useState("a")
                        return nil
                    }
                }
                renderer.unmount()
            }
            #expect(reported.count == 2)
        }
    }
}
