// The module ReactiveCollections, part two: views of arrays, which are updated incrementally.

import ReactiveCollections

private struct Todo {
    let title: String
    var owner = "Anne"
    var due = 1
    @Observable var isDone = false
}

/// Prints the elements of a view now and after each change.
private func show<Element>(_ view: LiveArray<Element>) -> Reaction { autorun { print(view.elements) } }

extension Chapter {
    static let liveViews = Chapter(
        "Views of arrays",
        [
            Sample("`filter`: a closure that reads an observable runs again for that element alone") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Fence")]
                let open = todos.live.filter { !$0.isDone }
                autorun { print(open.count, open.elements.map(\.title)) }
                // prints:
                // 2 ["Milk", "Fence"]
                todos[0].isDone = true
                // prints:
                // 1 ["Fence"]
            },
            Sample("A view that is not observed follows when it is read") {
                let todos: ObservableArray = [Todo(title: "Milk")]
                let open = todos.live.filter {
                    print("asking:", $0.title)
                    return !$0.isDone
                }
                print(open.count)  // prints "asking: Milk", "1"
                todos.append(Todo(title: "Fence"))
                print(open.count)  // prints "asking: Fence", "2"
            },
            Sample("An observer of the count alone") {
                let todos = ObservableArray<Todo>()
                let open = todos.live.filter { !$0.isDone }
                autorun { print(open.count) }
                todos.append(Todo(title: "Milk"))
                todos[0].due = 2
                // prints:
                // 0
                // 1
            },
            Sample("`map` keeps a result, such as an object, as long as its element stays") {
                final class Label {
                    let text: String
                    init(_ text: String) { self.text = text }
                }
                let names: ObservableArray = ["Ann", "Bob"]
                let labels = names.live.map { name in
                    print("+", name)
                    onCleanup { print("-", name) }
                    return Label(name)
                }
                let observer = autorun { print(labels.elements.map(\.text)) }
                // prints:
                // + Ann
                // + Bob
                // ["Ann", "Bob"]
                names.swapAt(0, 1)
                // prints:
                // ["Bob", "Ann"]
                names.removeLast()
                // prints:
                // ["Bob"]
                // - Ann
                observer.cancel()  // prints "- Bob"
            },
            Sample("`sorted`: an order that the user chooses") {
                enum Order { case title, due }
                let todos: ObservableArray = [Todo(title: "Milk", due: 2), Todo(title: "Roof", due: 1)]
                let order = Observable(Order.title)
                let sorted = todos.live.sorted { a, b in
                    switch order.value {
                    case .title: a.title < b.title
                    case .due: a.due < b.due
                    }
                }
                let list = autorun { print(sorted.elements.map(\.title)) }
                // prints:
                // ["Milk", "Roof"]
                order.value = .due
                // prints:
                // ["Roof", "Milk"]
                list.cancel()
            },
            Sample("A model whose view captures an observable, and not `self`, is freed") {
                final class Search {
                    @Observable var query = "i"
                    private(set) lazy var found = words.live.filter { [_query] in $0.contains(_query.value) }
                    private let words: ObservableArray = ["Milk", "Roof"]
                    deinit { print("freed") }
                }
                var search: Search? = Search()
                print(search?.found.elements ?? [])
                search = nil
                // prints:
                // ["Milk"]
                // freed
            },
            Sample("`compactMap`: the results that are not `nil`") {
                let words: ObservableArray = ["1", "two", "3"]
                let numbers = words.live.compactMap { Int($0) }
                let observer = show(numbers)  // prints "[1, 3]"
                words[1] = "2"  // prints "[1, 2, 3]"
                observer.cancel()
            },
            Sample("`flatMap` of plain collections") {
                let lines: ObservableArray = ["a b", "c"]
                let words = lines.live.flatMap { $0.split(separator: " ").map(String.init) }
                let observer = show(words)
                // prints:
                // ["a", "b", "c"]
                lines[0] = "a x b"
                // prints:
                // ["a", "x", "b", "c"]
                observer.cancel()
            },
            Sample("`flatMap` of live collections") {
                struct Project {
                    let tasks: ObservableArray<Todo>
                }
                let house = Project(tasks: [Todo(title: "Fence"), Todo(title: "Roof")])
                let garden = Project(tasks: [Todo(title: "Hedge")])
                let projects: ObservableArray = [house, garden]
                let tasks = projects.live.flatMap { $0.tasks.live.filter { !$0.isDone } }
                let observer = show(tasks.map(\.title))
                // prints:
                // ["Fence", "Roof", "Hedge"]
                house.tasks[0].isDone = true
                // prints:
                // ["Roof", "Hedge"]
                observer.cancel()
            },
            Sample("`sorted` by a key") {
                let todos: ObservableArray = [Todo(title: "Milk", due: 3), Todo(title: "Fence", due: 1)]
                let next = todos.live.sorted(by: \.due)
                let observer = show(next.map(\.title))
                // prints:
                // ["Fence", "Milk"]
                todos[0].due = 0
                // prints:
                // ["Milk", "Fence"]
                observer.cancel()
            },
            Sample("`sorted` by a key, from the greatest") {
                struct Article {
                    let title: String
                    let date: Int
                }
                let articles: ObservableArray = [Article(title: "Old", date: 1), Article(title: "New", date: 2)]
                let newest = articles.live.sorted(by: \.date, >)
                print(newest.elements.map(\.title))
                // prints:
                // ["New", "Old"]
            },
            Sample("`sorted` by a predicate") {
                let todos: ObservableArray = [Todo(title: "b", due: 1), Todo(title: "a", due: 1)]
                let next = todos.live.sorted { ($0.due, $0.title) < ($1.due, $1.title) }
                print(next.elements.map(\.title))
                // prints:
                // ["a", "b"]
            },
            Sample("`sorted` and `prefix`: changes behind the first elements run nothing") {
                let scores: ObservableArray = [30, 10, 20]
                let best = scores.live.sorted(by: >).prefix(2)
                let observer = show(best)  // prints "[30, 20]"
                scores.append(5)
                scores.append(25)  // prints "[30, 25]"
                observer.cancel()
            },
            Sample("`prefix` and `suffix` of an observable length") {
                let messages: ObservableArray = ["a", "b", "c"]
                let limit = Observable(1)
                let shown = messages.live.prefix { limit.value }
                let last = messages.live.suffix(2)
                let observer = autorun { print(shown.elements, last.elements) }
                // prints:
                // ["a"] ["b", "c"]
                limit.value = 2
                // prints:
                // ["a", "b"] ["b", "c"]
                messages.append("d")
                // prints:
                // ["a", "b"] ["c", "d"]
                observer.cancel()
            },
            Sample("`slice`: the rows on screen") {
                let rows = ObservableArray(0..<1_000)
                let offset = Observable(0)
                let visible = rows.live.slice(from: { offset.value }, count: { 20 })
                let observer = autorun { print(visible.first ?? -1, visible.last ?? -1) }  // prints "0 19"
                offset.value = 500  // prints "500 519"
                rows[600] = -1  // not on screen
                rows.remove(at: 3)  // prints "501 520"
                observer.cancel()
            },
            Sample("`reversed`") {
                let steps: ObservableArray = [1, 2]
                let observer = show(steps.live.reversed())  // prints "[2, 1]"
                steps.append(3)  // prints "[3, 2, 1]"
                observer.cancel()
            },
            Sample("`concatenated`") {
                let pinned: ObservableArray = ["a"]
                let others: ObservableArray = ["b"]
                let observer = show(pinned.live.concatenated(with: others.live))
                // prints:
                // ["a", "b"]
                pinned.append("c")
                // prints:
                // ["a", "c", "b"]
                observer.cancel()
            },
            Sample("`uniqued`: the first of equal elements") {
                let numbers: ObservableArray = [3, 1, 3]
                let observer = show(numbers.live.uniqued())  // prints "[3, 1]"
                numbers.removeFirst()  // prints "[1, 3]"
                observer.cancel()
            },
            Sample("`uniqued` by a key") {
                let todos: ObservableArray = [
                    Todo(title: "Milk"), Todo(title: "Fence"), Todo(title: "Roof", owner: "Bob"),
                ]
                let owners = todos.live.uniqued(by: \.owner)
                print(owners.elements.map(\.title))
                // prints:
                // ["Milk", "Roof"]
            },
            Sample("`joined`: pairs with equal keys") {
                struct Order { let number, customerID: Int }
                struct Customer {
                    let id: Int
                    let name: String
                }
                let orders: ObservableArray = [Order(number: 1, customerID: 7), Order(number: 2, customerID: 8)]
                let customers: ObservableArray = [Customer(id: 7, name: "Ann")]
                let lines = orders.live.joined(with: customers.live, on: \.customerID, equals: \.id)
                // LiveArray<(Order, Customer)>
                let observer = show(lines.map { "\($0.number) \($1.name)" })
                // prints:
                // ["1 Ann"]
                customers.append(Customer(id: 8, name: "Bob"))
                // prints:
                // ["1 Ann", "2 Bob"]
                observer.cancel()
            },
        ])
}
