// The module ReactiveCollections, part three: views by key.

import ReactiveCollections

private struct Todo {
    let title: String
    var owner = "Anne"
}

/// Prints the entries of a view now and after each change, sorted by key.
private func show<Key: Comparable, Value>(_ view: LiveDictionary<Key, Value>) -> Reaction {
    autorun { print(view.elements.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")) }
}

extension Chapter {
    static let liveTables = Chapter(
        "Views by key",
        [
            Sample("`grouped`: an observer of one group does not run for the others") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Roof", owner: "Bob")]
                let byOwner = todos.live.grouped(by: \.owner)
                autorun { print(byOwner["Anne"]?.count ?? 0) }
                // prints:
                // 1
                todos.append(Todo(title: "Fence", owner: "Bob"))
                todos[1].owner = "Anne"
                // prints:
                // 2
            },
            Sample("A group is a view, with operators of its own") {
                let todos: ObservableArray = [Todo(title: "Roof"), Todo(title: "Milk")]
                let byOwner = todos.live.grouped(by: { $0.owner })
                autorun { print(byOwner["Anne"]?.count ?? 0) }
                // prints:
                // 2
                let titles = byOwner["Anne"]?.map(\.title).sorted()
                let observer = autorun { print(titles?.elements ?? []) }
                // prints:
                // ["Milk", "Roof"]
                todos[0].owner = "Bob"
                // prints:
                // 1
                // ["Milk"]
                observer.cancel()
            },
            Sample("`indexed`: the elements by a key that each has for itself") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Roof", owner: "Bob")]
                let byTitle = todos.live.indexed(by: \.title)
                let observer = autorun { print(byTitle["Roof"]?.owner ?? "nobody") }  // prints "Bob"
                todos[0].owner = "Bob"
                todos[1].owner = "Anne"  // prints "Anne"
                todos.removeLast()  // prints "nobody"
                observer.cancel()
            },
            Sample("`filter` of a dictionary") {
                let stock: ObservableDictionary = ["apple": 3]
                let short = stock.live.filter { $0.value < 4 }
                autorun { print(short.elements) }
                // prints:
                // ["apple": 3]
                stock["apple"] = 5
                // prints:
                // [:]
            },
            Sample("`mapValues` and `compactMapValues`") {
                let texts: ObservableDictionary = ["a": "1", "b": "two"]
                let lengths = texts.live.mapValues { $0.count }
                let numbers = texts.live.compactMapValues { Int($0) }
                let first = show(lengths)  // prints "a: 1, b: 3"
                let second = show(numbers)  // prints "a: 1"
                texts["b"] = "222"  // prints "a: 1, b: 222"
                first.cancel()
                second.cancel()
            },
            Sample("`merging`: the keys of two views") {
                let standard: ObservableDictionary = ["size": 12, "width": 80]
                let own: ObservableDictionary = ["size": 14]
                let settings = standard.live.merging(own.live) { _, own in own }
                let observer = show(settings)  // prints "size: 14, width: 80"
                own["size"] = nil  // prints "size: 12, width: 80"
                observer.cancel()
            },
            Sample("`keys` and `values` as views") {
                let points: ObservableDictionary = ["Ann": 1]
                let names = points.live.keys
                let total = points.live.values.sum()
                let observer = autorun { print(names.elements, total.value) }
                // prints:
                // ["Ann"] 1
                points["Bob"] = 4
                // prints:
                // ["Ann", "Bob"] 5
                points["Ann"] = 2
                // prints:
                // ["Ann", "Bob"] 6
                observer.cancel()
            },
            Sample("`sorted`: keys and values as an ordered view") {
                let points: ObservableDictionary = ["Ann": 1, "Bob": 4]
                let ranking = points.live.sorted(by: { -$0.value })
                let observer = autorun { print(ranking.elements.map { "\($0.key) \($0.value)" }) }
                // prints:
                // ["Bob 4", "Ann 1"]
                points["Ann"] = 9
                // prints:
                // ["Ann 9", "Bob 4"]
                observer.cancel()
            },
            Sample("A set as a view") {
                let selection: ObservableSet = [3, 1]
                let sorted = selection.live.sorted()
                let observer = autorun { print(sorted.elements) }  // prints "[1, 3]"
                selection.insert(2)  // prints "[1, 2, 3]"
                observer.cancel()
            },
        ])
}
