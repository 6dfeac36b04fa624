// The module ReactiveCollections, part four: views that reduce to a value.

import ReactiveCollections

private struct Todo {
    let title: String
    var due = 1
    @Observable var isDone = false
}

extension Chapter {
    static let liveValues = Chapter(
        "Values of collections",
        [
            Sample("`count(where:)`") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Roof", isDone: true)]
                let open = todos.live.count { !$0.isDone }
                autorun { print(open.value) }
                // prints:
                // 1
                todos[0].isDone = true
                // prints:
                // 0
            },
            Sample("`sum`: floating-point sums do not drift, and forget what has left") {
                let prices: ObservableArray = [0.1, 0.2]
                let total = prices.live.sum()
                let squares = prices.live.sum { $0 * $0 }
                prices.append(.infinity)
                print(total.value, squares.value)  // prints "inf inf"
                prices[2] = 1
                prices.removeFirst(2)
                print(total.value, squares.value)  // prints "1.0 1.0"
            },
            Sample("`reduce`: a closure that adds an element, and one that removes it") {
                let factors: ObservableArray = [2.0, 3.0]
                let product = factors.live.reduce(1, add: *, remove: /)
                let observer = autorun { print(product.value) }  // prints "6.0"
                factors[0] = 5  // prints "15.0"
                observer.cancel()
            },
            Sample("`reduce(into:)`: a value that is mutated in place") {
                let words: ObservableArray = ["to", "be", "to"]
                let counts = words.live.reduce(into: [String: Int]()) { counts, word in
                    counts[word, default: 0] += 1
                } remove: { counts, word in
                    counts[word, default: 0] -= 1
                }
                print(counts.value["to"] ?? 0)  // prints "2"
                words.removeFirst()
                print(counts.value["to"] ?? 0)  // prints "1"
            },
            Sample("`min(by:)` and `max(by:)`") {
                let todos: ObservableArray = [Todo(title: "Milk", due: 3), Todo(title: "Roof", due: 2)]
                let next = todos.live.min(by: \.due)
                let last = todos.live.max { $0.due < $1.due }
                print(next.value?.title ?? "-", last.value?.title ?? "-")  // prints "Roof Milk"
                todos[0].due = 1
                print(next.value?.title ?? "-", last.value?.title ?? "-")  // prints "Milk Roof"
            },
            Sample("`first(where:)`, `contains(where:)`, `allSatisfy`") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Roof")]
                let first = todos.live.first { !$0.isDone }
                let hasRoof = todos.live.contains { $0.title == "Roof" }
                let areAllDone = todos.live.allSatisfy(\.isDone)
                let observer = autorun {
                    print(first.value?.title ?? "-", hasRoof.value, areAllDone.value)
                }  // prints "Milk true false"
                todos[0].isDone = true  // prints "Roof true false"
                todos.removeLast()  // prints "- false true"
                observer.cancel()
            },
        ])
}
