// Renderers on several threads.

import Foundation
import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite struct ThreadTests {
        @Test func twoRuntimesOnTwoThreadsDoNotInterfere() {
            let failures = Shared<[String]>([])
            onThreads(2) { thread in
                let log = Log()
                let home = Thread.current
                let renderer = HookRenderer {
                    let count = useState(0)
                    let name = HookScope { useState("thread \(thread)").wrappedValue }
                    useEffect(.preserved(by: count.wrappedValue)) {
                        log("\(name): \(count.wrappedValue)\(Thread.current == home ? "" : " elsewhere")")
                        return nil
                    }
                    return count
                }
                for value in 1...200 { renderer.output.wrappedValue = value }
                renderer.unmount()
                let entries = log.take()
                if entries != (0...200).map({ "thread \(thread): \($0)" }) {
                    failures.withLock { $0.append("\(thread): \(entries)") }
                }
            }
            #expect(failures.value.isEmpty)
        }

        @Test func writesOfManyThreadsAreNotLost() {
            let renderer = HookRenderer {
                let (count, dispatch) = useReducer({ (sum: Int, amount: Int) in sum + amount }, initialState: 0)
                return (count: count, dispatch: dispatch)
            }
            let dispatch = renderer.output.dispatch
            let reported = issues {
                onThreads(4) { _ in for _ in 0..<500 { dispatch(1) } }
            }
            // A thread that found the renderer busy left its turn to the busy thread, which has run it before it
            // continued.
            #expect(renderer.output.count == 2000)
            #expect(reported.isEmpty)
            renderer.unmount()
        }

        @Test func aRendererIsDueBeforeItsSchedulerIsCalled() {
            let count = Observable(0)
            let (isInEffect, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // The older one runs first, so the renderer's scheduler is called when its effect is over.
            let older = reaction {
                count.value
            } onChange: { _ in
                isInEffect.signal()
                mayContinue.wait()
            }
            let turns = Shared(0)
            let renderer = HookRenderer(scheduler: .custom { _ in turns.withLock { $0 += 1 } }) { count.value }
            let wait = inBackground { count.value = 1 }
            isInEffect.wait()
            #expect(turns.value == 0)
            #expect(renderer.needsRender)
            #expect(renderer.render() == 1)
            #expect(!renderer.needsRender)
            mayContinue.signal()
            wait()
            older.cancel()
            renderer.unmount()
        }

        @MainActor @Test(.inDefaultGraph) func aRendererCreatedOnTheMainActorStaysThere() async {
            let count = Observable(0)
            let tester = HookTester {
                MainActor.assertIsolated()
                useEffect {
                    MainActor.assertIsolated()
                    return { MainActor.assertIsolated() }
                }
                return count.value
            }
            await Task.detached { count.value = 1 }.value
            #expect(await tester.value { $0 == 1 } == 1)
            tester.dispose()
        }
    }
}
