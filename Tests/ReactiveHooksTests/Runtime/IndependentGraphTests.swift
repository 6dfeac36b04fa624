// Renderers in graphs of their own.

import Foundation
import ReactiveHooks
import Testing
import TestSupport

extension HooksTests {
    @Suite(.inDefaultGraph) struct IndependentGraphTests {
        let log = Log()

        @Test func aRendererBelongsToTheGraphThatItWasCreatedIn() {
            let graph = IndependentGraph(named: "session")
            let total = Observable(0)
            let renderer = graph.run {
                HookRenderer {
                    let count = useState(0)
                    let (sum, add) = useReducer({ (sum: Int, amount: Int) in sum + amount }, initialState: 0)
                    let seen = count.wrappedValue
                    useEffect(.preserved(by: seen)) {
                        // Created in the session's graph; an effect connects it with a different graph.
                        let double = Observable(2 * seen)
                        let reaction = autorun { log("double \(double.value)") }
                        total.value += seen
                        return { reaction.cancel() }
                    }
                    return (count: count, sum: sum, add: add)
                } onRender: {
                    log("\($0.count.wrappedValue) \($0.sum)")
                }
            }
            // Outside the graph's scope.
            renderer.output.count.wrappedValue = 1
            renderer.output.add(5)
            #expect(log.take() == ["0 0", "double 0", "1 0", "double 2", "1 5"])
            #expect(total.value == 1)
            renderer.unmount()
            renderer.output.count.wrappedValue = 7
            #expect(log.take().isEmpty)
        }

        @Test func asynchronousHooksWorkInAGraphOfItsOwn() async {
            let graph = IndependentGraph()
            let answers = Answers<String>()
            let tester = graph.run { HookTester { useAsync(.once) { try! await answers.ask("a") } } }
            await answers.isAsked("a")
            answers.answer("a", "hello")
            #expect(await tester.value { $0.isSuccess } == .success("hello"))
            tester.dispose()
        }

        @Test func renderersInSeveralGraphsRunInParallel() {
            let failures = Shared<[String]>([])
            onThreads(4) { thread in
                let graph = IndependentGraph(named: "session \(thread)")
                let renderer = graph.run {
                    HookRenderer {
                        let count = useState(0)
                        let name = HookScope(id: thread) { useMemo(.once) { "thread \(thread)" } }
                        return (text: "\(name): \(count.wrappedValue)", count: count)
                    }
                }
                for value in 1...200 {
                    renderer.output.count.wrappedValue = value
                    let text = renderer.output.text
                    if text != "thread \(thread): \(value)" { failures.withLock { $0.append(text) } }
                }
                renderer.unmount()
            }
            #expect(failures.value.isEmpty)
        }
    }
}
