// Renderers on several threads.

import Foundation
import ReactiveHooks
import Testing

extension HooksTests {
    @Suite struct ThreadTests {
        @Test func twoRuntimesOnTwoThreadsDoNotInterfere() {
            let failures = Shared<[String]>([])
            onThreads(2) { thread in
                let log = Log()
                let renderer = HookRenderer {
                    let count = useState(0)
                    let name = HookScope { useState("thread \(thread)").wrappedValue }
                    useEffect(.preserved(by: count.wrappedValue)) {
                        log("\(name): \(count.wrappedValue)")
                        return nil
                    }
                    return count
                }
                for value in 1...200 { renderer.output.wrappedValue = value }
                while renderer.output.wrappedValue != 200 {}
                renderer.unmount()
                let entries = log.take()
                let foreign = entries.filter { !$0.hasPrefix("thread \(thread): ") }
                if !foreign.isEmpty || entries.last != "thread \(thread): 200" {
                    failures.withLock { $0.append("\(thread): \(foreign) \(entries.last ?? "nothing")") }
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
            onThreads(4) { _ in for _ in 0..<100 { dispatch(1) } }
            // A thread that found the renderer busy has left the last render to the one that was.
            #expect(renderer.render().count == 400)
            renderer.unmount()
        }

        @MainActor @Test func aRendererMadeOnTheMainActorStaysThere() async {
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
