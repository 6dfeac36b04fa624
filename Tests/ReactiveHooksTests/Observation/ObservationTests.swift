// Hooks that connect a render with the core.

import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct ObservationTests {
        let log = Log()

        @Test func useObservableKeepsAnObservable() {
            let tester = HookTester { () -> (Observable<Int>, Int) in
                let count = useObservable(1)
                return (count, count.value)
            }
            let count = tester.value.0
            count.value = 2
            #expect(tester.value.0 === count)
            #expect(tester.valueHistory.map(\.1) == [1, 2])
            tester.dispose()
        }

        @Test func useObservableBindsToAnExistingObservable() {
            let count = Observable(1)
            let tester = HookTester { useObservable(count) }
            count.value = 2
            #expect(tester.valueHistory.count == 2)
            tester.value.wrappedValue = 3
            #expect(count.value == 3)
            tester.dispose()
        }

        @Test func useComputedRendersOnlyIfTheResultChanges() {
            let count = Observable(1)
            let tester = HookTester(2) { limit in
                useComputed(.preserved(by: limit)) { count.value >= limit }
            }
            count.value = 0
            count.value = 2
            count.value = 3
            #expect(tester.valueHistory == [false, true])
            tester.update(with: 10)
            #expect(tester.value == false)
            tester.dispose()
        }

        @Test func useReactionRunsWithoutRendering() {
            let count = Observable(1)
            let tester = HookTester {
                log("render")
                useReaction {
                    count.value
                } onChange: {
                    log("\($0)")
                }
            }
            count.value = 2
            tester.update()
            count.value = 3
            #expect(log.take() == ["render", "2", "render", "3"])
            tester.dispose()
            count.value = 4
            #expect(log.take().isEmpty)
        }

        @Test func useReactionMayFireImmediatelyAndBeCreatedAgain() {
            let count = Observable(1)
            let tester = HookTester("a") { name in
                useReaction(.preserved(by: name), fireImmediately: true) {
                    count.value
                } onChange: {
                    log("\(name)\($0)")
                }
            }
            tester.update(with: "b")
            count.value = 2
            #expect(log.take() == ["a1", "b1", "b2"])
            tester.dispose()
        }
    }
}
