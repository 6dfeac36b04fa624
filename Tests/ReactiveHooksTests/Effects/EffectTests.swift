// useEffect, useLayoutEffect, useValueChanged.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct EffectTests {
        let log = Log()

        private func useLogged(_ name: String, _ strategy: HookUpdateStrategy? = nil) {
            useEffect(strategy) {
                log(name)
                return { log("undo \(name)") }
            }
        }

        @Test func effectsOfChildrenRunBeforeTheirParentsAndAfterAllCleanUps() {
            let tester = HookTester(1) { value in
                useLogged("a\(value)")
                useLogged("once", .once)
                HookScope { useLogged("inner\(value)", .preserved(by: value)) }
                useLogged("b\(value)", .preserved(by: value))
            }
            #expect(log.take() == ["inner1", "a1", "once", "b1"])
            tester.update()
            #expect(log.take() == ["undo a1", "a1"])
            tester.update(with: 2)
            #expect(log.take() == ["undo inner1", "undo a1", "undo b1", "inner2", "a2", "b2"])
            tester.dispose()
            tester.dispose()
            #expect(log.take() == ["undo inner2", "undo b2", "undo once", "undo a2"])
        }

        @Test func effectsRunGrandchildrenFirstAndSiblingsInOrder() {
            let tester = HookTester(1) { value in
                useLogged("root\(value)", .preserved(by: value))
                for child in 1...2 {
                    HookScope(id: child) {
                        useLogged("child \(child)", .preserved(by: value))
                        HookScope { useLogged("inner \(child)", .preserved(by: value)) }
                        useLayoutEffect(.preserved(by: value)) {
                            log("layout \(child)")
                            return nil
                        }
                    }
                }
            }
            let expected = ["layout 1", "layout 2", "inner 1", "child 1", "inner 2", "child 2"]
            #expect(log.take() == expected + ["root1"])
            tester.update(with: 2)
            let effects = log.take().filter { !$0.hasPrefix("undo") }
            #expect(effects == expected + ["root2"])
            tester.dispose()
        }

        @Test func aCleanUpSeesWhatItsEffectCaptured() {
            let tester = HookTester("x") { value in
                useEffect(.preserved(by: value.count)) { { log("undo \(value)") } }
            }
            tester.update(with: "y")
            tester.update(with: "long")
            #expect(log.take() == ["undo x"])
            tester.dispose()
            #expect(log.take() == ["undo long"])
        }

        @Test func aLayoutEffectRunsWhereItIsCalled() {
            let tester = HookTester {
                log("before")
                useLayoutEffect {
                    log("effect")
                    return { log("undo") }
                }
                log("after")
            }
            tester.update()
            #expect(log.take() == ["before", "effect", "after", "before", "undo", "effect", "after"])
            tester.dispose()
            #expect(log.take() == ["undo"])
        }

        @Test func cleanUpsOfRemovedScopesRunBeforeEffects() {
            let isOpen = Observable(true)
            let renderer = HookRenderer {
                let open = isOpen.value
                useLogged("outer \(open)", .preserved(by: open))
                if open { HookScope { useLogged("inner") } }
            } onRender: {
                log("shown")
            }
            _ = log.take()
            isOpen.value = false
            #expect(log.take() == ["shown", "undo inner", "undo outer true", "outer false"])
            renderer.unmount()
        }

        @Test func effectsRunOutsideTheLock() {
            let count = Observable(0)
            let tester = HookTester {
                useEffect(.once) {
                    // Another thread can use the graph meanwhile.
                    onThreads(1) { _ in count.value += 1 }
                    return { onThreads(1) { _ in count.value += 1 } }
                }
            }
            tester.dispose()
            #expect(count.value == 2)
        }

        @Test func aReactionCreatedInAnEffectLivesUntilItIsCancelled() {
            let count = Observable(0)
            let tester = HookTester {
                useEffect(.once) {
                    let reaction = autorun { log("\(count.value)") }
                    return { reaction.cancel() }
                }
            }
            tester.update()
            count.value = 1
            tester.dispose()
            count.value = 2
            #expect(log.take() == ["0", "1"])
        }

        @Test func useValueChangedSkipsTheFirstValueThenGetsOldAndNew() {
            let tester = HookTester(1) { value in
                useValueChanged(value) { old, new in log("\(old) → \(new)") }
            }
            tester.update()
            #expect(log.take().isEmpty)
            tester.update(with: 2)
            tester.update(with: 2)
            tester.update(with: 5)
            #expect(log.take() == ["1 → 2", "2 → 5"])
            #expect(tester.value == 5)
            tester.dispose()
        }

        @Test func useValueChangedMaySetState() {
            let tester = HookTester(1) { value in
                let changes = useState(0)
                useValueChanged(value) { _, _ in changes.wrappedValue += 1 }
                return changes.wrappedValue
            }
            tester.update(with: 2)
            #expect(tester.valueHistory == [0, 0, 1])
            tester.dispose()
        }
    }
}
