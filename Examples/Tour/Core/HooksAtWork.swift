// The module ReactiveHooks, part two: asynchronous work, rules, hosts, custom hooks and their tests.
//
// The formatter would spread `HookRenderer { … } onRender: { … }` over five lines; in a tour it reads better on one
// line.
// swift-format-ignore-file

import ReactiveHooks

extension Chapter {
    static let hooksAtWork = Chapter(
        "Hooks at work",
        [
            Sample(awaiting: "An operation that starts by itself") {
                func avatar(of user: String) async -> String { "portrait of \(user)" }
                let tester = HookTester("Ann") { user in
                    let phase = useAsync(.preserved(by: user)) { await avatar(of: user) }
                    return phase
                }
                print(await tester.value { $0.isSuccess }.value ?? "")  // prints "portrait of Ann"
                print(tester.valueHistory.map(\.isRunning))  // prints "[true, false]"
                tester.update(with: "Bob")
                print(await tester.value { $0.isSuccess }.value ?? "")  // prints "portrait of Bob"
                tester.dispose()
            },
            Sample(awaiting: "Operations that start when they are told to") {
                func save(_ draft: String) async -> Int { draft.count }
                func fetchNews() async -> String { "nothing new" }
                let tester = HookTester {
                    let draft = "Dear Ann"
                    let (phase, perform) = useAsyncPerform { await save(draft) }
                    let (news, refresh) = useAsyncRefresh { await fetchNews() }
                    return (phase, perform, news, refresh)
                }
                print(tester.value.0, tester.value.2)  // prints "pending pending"
                await tester.value.1()
                print(await tester.value { $0.0.isSuccess }.0.map { "\($0) letters" }.value ?? "")
                // prints:
                // 8 letters
                tester.value.3()
                print(await tester.value { $0.2.hasCompleted }.2.value ?? "")  // prints "nothing new"
                tester.dispose()
            },
            Sample(awaiting: "Following a sequence") {
                func ticks() -> AsyncStream<String> {
                    AsyncStream { $0.yield("tick"); $0.finish() }
                }
                let tester = HookTester {
                    let phase = useAsyncSequence(.once) { ticks() }
                    let (other, subscribe) = useAsyncSequenceSubscribe { ticks() }
                    return (phase, other, subscribe)
                }
                print(await tester.value { $0.0.isSuccess }.0.value ?? "")  // prints "tick"
                tester.value.2()
                print(await tester.value { $0.1.isSuccess }.1.value ?? "")  // prints "tick"
                tester.dispose()
            },
            Sample("A violation of the rules") {
                HooksRules.onViolation = { print($0.kind, $0.previous ?? "-", $0.current ?? "-") }
                let isMember = Observable(true)
                let page = HookRenderer {
                    let name = useState("Ann")
                    if isMember.value { _ = useState(10) }
                    return name
                }
                page.output.wrappedValue = "Bob"
                isMember.value = false  // prints "missing StateHook<Int> -"
                print(page.output.wrappedValue)  // prints "Bob"
                page.unmount()
                HooksRules.onViolation = nil
            },
            Sample("The same within the rules") {
                let isMember = Observable(true)
                let page = HookRenderer {
                    let name = useState("Ann")
                    if isMember.value {
                        hookScope { _ = useState(10) }
                    }
                    return name
                }
                isMember.value = false
                print(page.output.wrappedValue)  // prints "Ann"
                page.unmount()
            },
            Sample("A hook of one's own") {
                func useCounter(from start: Int = 0) -> (count: Int, increment: () -> Void) {
                    let count = useState(start)
                    return (count.wrappedValue, { count.wrappedValue += 1 })
                }

                let tester = HookTester { useCounter(from: 5) }
                tester.value.increment()
                print(tester.value.count)  // prints "6"
                print(tester.valueHistory.map(\.count))  // prints "[5, 6]"
                tester.dispose()
            },
            Sample("A hook that cannot be composed of others") {
                struct PreviousHook<Value>: Hook {
                    let value: Value
                    var updateStrategy: HookUpdateStrategy? { nil }

                    func makeState() -> RefObject<(old: Value?, new: Value?)> { RefObject((nil, nil)) }

                    func updateState(coordinator: Coordinator) {
                        coordinator.state.current = (coordinator.state.current.new, value)
                    }

                    func value(coordinator: Coordinator) -> Value? { coordinator.state.current.old }
                }

                func usePrevious<Value>(_ value: Value) -> Value? { useHook(PreviousHook(value: value)) }

                let tester = HookTester(1) { number in usePrevious(number) ?? 0 }
                tester.update(with: 2)
                tester.update(with: 5)
                print(tester.valueHistory)  // prints "[0, 1, 2]"
                tester.dispose()
            },
            Sample("Testing a hook by itself") {
                let tester = HookTester { useState(0) }
                tester.value.wrappedValue = 1
                print(tester.value.wrappedValue, tester.valueHistory.count)  // prints "1 2"
                tester.dispose()
            },
            Sample("Testing with a parameter, an environment and effects") {
                func useTitle(_ title: String) {
                    let accent = useEnvironment(\.accent)
                    useEffect(.preserved(by: title, accent)) {
                        print("title:", title, accent)
                        return { print("no title") }
                    }
                }

                let tester = HookTester("Home") { title in
                    useTitle(title)
                } environment: {
                    $0.accent = "red"
                }  // prints "title: Home red"
                tester.update()
                tester.update(with: "News")  // prints "no title", "title: News red"
                tester.dispose()  // prints "no title"
            },
            Sample(awaiting: "Testing a hook that awaits") {
                let tester = HookTester { useAsync(.once) { 42 } }
                print(await tester.value { $0.isSuccess })  // prints "success(42)"
                tester.dispose()
            },
            Sample("A host with a loop of its own") {
                let seconds = Observable(0)
                let screen = HookRenderer(scheduler: .manual) {
                    useEffect(.once) {
                        print("begin")
                        return { print("end") }
                    }
                    return "\(seconds.value) s"
                }
                print(screen.render())  // prints "0 s"
                screen.runEffects()  // prints "begin"
                seconds.value += 1
                seconds.value += 1
                if screen.needsRender { print(screen.render()) }  // prints "2 s"
                screen.runEffects()
                screen.unmount()  // prints "end"
            },
            Sample("A scheduler of one's own") {
                let queue = RefObject<[() -> Void]>([])
                let title = Observable("draft")
                let screen = HookRenderer(scheduler: .custom { render in queue.current.append(render) }) {
                    title.value
                } onRender: { print($0) }  // prints "draft"
                title.value = "letter"
                title.value = "final letter"
                print(queue.current.count)  // prints "1"
                queue.current[0]()  // prints "final letter"
                screen.unmount()
            },
            Sample("State that is set in a render") {
                let page = HookRenderer {
                    let count = useState(0)
                    if count.wrappedValue < 3 { count.wrappedValue += 1 }
                    print("render", useCount(nil))
                }
                // prints:
                // render 1
                // render 2
                // render 3
                // render 4
                page.unmount()
            },
            Sample("Markup and what is no markup") {
                let name = "<Ann & Bob>"
                let greeting: HTML = "<p title=\"\(name)\">Hello, \(name)!</p>"
                print(greeting)
                // prints:
                // <p title="&lt;Ann &amp; Bob&gt;">Hello, &lt;Ann &amp; Bob&gt;!</p>
            },
            Sample("A page on a server") {
                func page(user: String) -> HTML {
                    let greeting = useState("Hello")
                    useEffect { fatalError("not on a server") }
                    return "<h1>\(greeting.wrappedValue), \(user)!</h1>"
                }
                print(renderToString { page(user: "<Ann>") })  // prints "<h1>Hello, &lt;Ann&gt;!</h1>"
            },
            Sample("A list on a server") {
                struct Row: HookView {
                    let name: String
                    var hookBody: HTML {
                        let id = useMemo(.once) { name.count }
                        return "<li id=\"\(id)\">\(name)</li>"
                    }
                }
                print(renderToString { "<ul>\(["milk", "R&B"].map { Row(name: $0).body })</ul>" })
                // prints:
                // <ul><li id="4">milk</li><li id="3">R&amp;B</li></ul>
            },
        ])
}
