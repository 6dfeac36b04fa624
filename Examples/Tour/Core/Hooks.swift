// The module ReactiveHooks, part one: rendering, state and effects.
//
// The formatter would spread `HookRenderer { … } onRender: { … }` over five lines; in a tour it reads better on one
// line.
// swift-format-ignore-file

import ReactiveHooks

extension Chapter {
    static let hooks = Chapter(
        "Hooks",
        [
            Sample("State and effects of a render closure") {
                func show(_ text: String) { print(text) }

                let renderer = HookRenderer {
                    let count = useState(0)
                    useEffect(.preserved(by: count.wrappedValue)) {
                        print("shown:", count.wrappedValue)
                        return nil
                    }
                    return (text: "Count: \(count.wrappedValue)", increment: { count.wrappedValue += 1 })
                } onRender: { show($0.text) }  // prints "Count: 0", "shown: 0"
                renderer.output.increment()  // prints "Count: 1", "shown: 1"
                renderer.unmount()
            },
            Sample("Whatever a body reads renders it again") {
                @Observable var user = "Ann"
                let page = HookRenderer {
                    let greeting = useState("Hello")
                    return "\(greeting.wrappedValue), \(user)!"
                } onRender: { print($0) }  // prints "Hello, Ann!"
                user = "Bob"  // prints "Hello, Bob!"
                page.unmount()
            },
            Sample("An effect, and undoing it") {
                let channel = Observable("news")
                let renderer = HookRenderer {
                    let channel = channel.value
                    useEffect(.preserved(by: channel)) {
                        print("join", channel)
                        return { print("leave", channel) }
                    }
                }  // prints "join news"
                channel.value = "sport"  // prints "leave news", "join sport"
                renderer.unmount()  // prints "leave sport"
            },
            Sample("A change knows what was before") {
                let points = Observable(0)
                let renderer = HookRenderer {
                    let score = points.value
                    useValueChanged(score) { old, new in print("from", old, "to", new) }
                }
                points.value = 3  // prints "from 0 to 3"
                renderer.unmount()
            },
            Sample("State that changes by actions") {
                let counter = HookRenderer {
                    enum Action { case increment, decrement }

                    func reducer(state: Int, action: Action) -> Int {
                        switch action {
                        case .increment: state + 1
                        case .decrement: state - 1
                        }
                    }

                    let (count, dispatch) = useReducer(reducer, initialState: 0)
                    return ("\(count)", increment: { dispatch(.increment) }, decrement: { dispatch(.decrement) })
                } onRender: { show($0.0) }  // prints "0"
                counter.output.increment()  // prints "1"
                counter.output.increment()  // prints "2"
                counter.output.decrement()  // prints "1"
                counter.unmount()
            },
            Sample("Values that are kept: memo, ref, count") {
                let list = Observable(["b", "a"])
                let renderer = HookRenderer {
                    let names = list.value
                    let sorted = useMemo(.preserved(by: names)) { names.sorted() }
                    let first = useRef(names[0])
                    let (width, setWidth) = useSetState(80)
                    print(sorted, first.current, width, useCount(nil))
                    return setWidth
                }
                // prints:
                // ["a", "b"] b 80 1
                list.value = ["c", "a"]
                // prints:
                // ["a", "c"] b 80 2
                renderer.output(100)
                // prints:
                // ["a", "c"] b 100 3
                renderer.unmount()
            },
            Sample("Values that lag behind, states that are loaded, ids") {
                func search(_ text: String) -> [String] { ["apple", "banana"].filter { $0.contains(text) } }
                func loadCart() -> [String] { ["milk"] }
                func reducer(cart: [String], item: String) -> [String] { cart + [item] }

                let query = Observable("a")
                let page = HookRenderer {
                    let query = query.value
                    let shown = useDeferredValue(query)
                    let results = useMemo(.preserved(by: shown)) { search(shown) }
                    print(query, results)
                }
                // prints:
                // a ["apple", "banana"]
                query.value = "b"
                // prints:
                // b ["apple", "banana"]
                // b ["banana"]
                page.unmount()

                let shop = HookRenderer {
                    let (cart, dispatch) = useReducer(reducer) { loadCart() }
                    return (cart, add: dispatch)
                }
                shop.output.add("bread")
                print(shop.output.0)
                // prints:
                // ["milk", "bread"]
                shop.unmount()

                func field() -> HTML {
                    let id = useId()
                    return "<label for=\"\(id)\">Name</label><input id=\"\(id)\">"
                }
                print(renderToString { field() })
                // prints:
                // <label for="r-h1">Name</label><input id="r-h1">

                let counter = HookRenderer { useSetState(1) }
                counter.output.1 { $0 + 1 }
                print(counter.output.0)  // prints "2"
                counter.unmount()
            },
            Sample("Hooks as property wrappers") {
                let toggle = HookRenderer {
                    @HState var isOn = false
                    return (isOn, flip: { isOn.toggle() })
                }
                toggle.output.flip()
                print(toggle.output.0)  // prints "true"

                let names = ["b", "a"]
                let renderer = HookRenderer {
                    UserContext.provide("Ann") {
                        @HMemo(.preserved(by: names)) var sorted = names.sorted()
                        @HRef var renders = 0
                        @HEnvironment(\.accent) var accent
                        @HContext(UserContext.self) var user
                        renders += 1
                        return "\(sorted) \(renders) \(accent) \(user)"
                    }
                }
                print(renderer.render())
                // prints:
                // ["a", "b"] 2 blue Ann
                renderer.unmount()
                toggle.unmount()
            },
            Sample("Lists and conditions have scopes of their own") {
                let numbers = Numbers()
                let todos = Observable(["milk", "bread"])
                let list = HookRenderer {
                    todos.value.map { todo in
                        hookScope(id: todo) {
                            let number = useState { numbers.next() }
                            return "\(number.wrappedValue) \(todo)"
                        }
                    }
                } onRender: { print($0.joined(separator: ", ")) }  // prints "1 milk, 2 bread"
                todos.value = ["bread", "milk", "eggs"]  // prints "2 bread, 1 milk, 3 eggs"
                list.unmount()
            },
            Sample("A component as a type") {
                struct Counter: HookView {
                    var title: String

                    var hookBody: String {
                        let count = useState(1)
                        return "\(title): \(count.wrappedValue)"
                    }
                }
                let page = HookRenderer { [Counter(title: "a").body, Counter(title: "b").body] }
                print(page.output.joined(separator: ", "))  // prints "a: 1, b: 1"
                page.unmount()
            },
            Sample("A value for everything inside") {
                typealias UserContext = Context<String>

                let page = HookRenderer {
                    UserContext.provide("Ann") {
                        UserContext.consume { user in "Hello, \(user)!" }
                    }
                }
                print(page.output)  // prints "Hello, Ann!"
                page.unmount()
            },
            Sample("The environment") {
                let page = HookRenderer {
                    let accent = useEnvironment(\.accent)
                    return withEnvironment(\.accent, "dark \(accent)") {
                        [accent, useEnvironment(\.accent), useContextIfPresent(UserContext.self) ?? "nobody"]
                    }
                } environment: { $0.accent = "green" } onRender: { show($0.joined(separator: ", ")) }
                // prints:
                // green, dark green, nobody
                page.environment.accent = "red"  // prints "red, dark red, nobody"
                page.unmount()
            },
            Sample("Hooks and the core") {
                @Observable var items = 1
                let page = HookRenderer {
                    let isFull = useComputed { items >= 3 }
                    let discount = useObservable(0)
                    useReaction { items } onChange: { print("items:", $0) }
                    return (isFull ? "full, \(discount.value) % off" : "room for more", discount)
                } onRender: { show($0.0) }  // prints "room for more"
                items = 2  // prints "items: 2"
                items = 3  // prints "full, 0 % off", "items: 3"
                page.output.1.value = 10  // prints "full, 10 % off"
                page.unmount()
            },
        ])
}

private func show(_ text: String) { print(text) }

enum AccentKey: EnvironmentKey {
    static var defaultValue: String { "blue" }
}

extension EnvironmentValues {
    var accent: String {
        get { self[AccentKey.self] }
        set { self[AccentKey.self] = newValue }
    }
}

private typealias UserContext = Context<String>

/// 1, 2, 3, …
private final class Numbers {
    private var last = 0

    func next() -> Int {
        last += 1
        return last
    }
}
