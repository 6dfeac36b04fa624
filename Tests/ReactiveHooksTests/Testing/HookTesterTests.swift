// Testing a hook by itself.

import Reactive
import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct HookTesterTests {
        @Test func theHistoryHasEachValue() {
            let tester = HookTester(0) { value in useMemo(.preserved(by: value)) { value } }
            for value in 1...3 { tester.update(with: value) }
            #expect(tester.valueHistory == [0, 1, 2, 3])
            #expect(tester.value == 3)
            tester.dispose()
        }

        @Test func updateKeepsTheParameter() {
            var external = 0
            let tester = HookTester(1) { parameter in parameter + external }
            tester.update(with: 10)
            external = 5
            tester.update()
            #expect(tester.valueHistory == [1, 10, 15])
            tester.dispose()
        }

        @Test func theBodyGetsTheEnvironment() {
            let tester = HookTester {
                useContext(Context<String>.self)
            } environment: {
                $0[Context<String>.self] = "Ann"
            }
            #expect(tester.value == "Ann")
            tester.dispose()
        }

        @Test func waitingReturnsTheFirstValueThatMeetsTheCondition() async {
            let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
            let tester = HookTester { useAsyncSequence(.once) { numbers } }
            async let first = tester.value { ($0.value ?? 0) > 1 }
            for number in 1...4 { continuation.yield(number) }
            // Waits that begin before the values or while they arrive: they return the newest value then, or the first
            // that follows.
            #expect(await (first.value ?? 0) > 1)
            #expect(await tester.value { $0 == .success(4) } == .success(4))
            tester.dispose()
        }

        @Test func aValueOfAnotherThreadIsWaitedForUntilItsEffectsHaveRun() async {
            for round in 1...5000 {
                let source = Observable(0)
                let effects = Guarded(0)
                let tester = HookTester {
                    let number = source.value
                    useEffect(.preserved(by: number)) {
                        effects.withLock { $0 += 1 }
                        return nil
                    }
                    return number
                }
                let writer = Task.detached {
                    // At a different moment of the wait each time.
                    for _ in 0..<round % 100 { effects.withLock { _ in } }
                    source.value = 1
                }
                _ = await tester.value { $0 == 1 }
                #expect(effects.withLock { $0 } == 2)
                await writer.value
                tester.dispose()
            }
        }

        @Test(.alone) func aWaitEndsIfTheHookRendersInALoop() async {
            let isRestless = Observable(false)
            let tester = HookTester {
                let count = useState(0)
                if isRestless.value { count.wrappedValue += 1 }
                return count.wrappedValue
            }
            let reported = Shared<[Diagnostics.Issue]>([])
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { issue in reported.withLock { $0.append(issue) } }
            defer { Diagnostics.onIssue = before }
            let found = await tester.value { number in
                // The wait begins under the lock, and the task changes the value after that.
                if number == 0 { Task { isRestless.value = true } }
                return number >= 10
            }
            #expect(found == 10)
            #expect(reported.value.map(\.kind) == [.loop])
            tester.dispose()
        }

        @Test func disposeCleansUpOnceAndAnUpdateStartsAgain() {
            var cleanUps = 0
            let tester = HookTester { useEffect(.once) { { cleanUps += 1 } } }
            tester.dispose()
            tester.dispose()
            #expect(cleanUps == 1)
            tester.update()
            tester.dispose()
            #expect(cleanUps == 2)
        }
    }
}
