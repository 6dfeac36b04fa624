// The module ReactiveCollections, part five: changes as edits.

import ReactiveCollections

private struct Todo {
    let title: String
    @Observable var isDone = false
}

/// A table on a screen, which is changed row by row.
private final class Table {
    func insert(_ todo: Todo, at row: Int) { print("insert \(todo.title) at \(row)") }
    func remove(at row: Int) { print("remove \(row)") }
    func move(from: Int, to: Int) { print("move \(from) to \(to)") }
    func update(_ todo: Todo, at row: Int) { print("update \(row): \(todo.title)") }
    func apply(_ changes: CollectionChanges<String>) { print(changes) }
}

extension Chapter {
    static let liveEdits = Chapter(
        "Edits",
        [
            Sample("A table that is changed row by row") {
                let table = Table()
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Fence"), Todo(title: "Roof")]
                reaction(to: todos.live.filter { !$0.isDone }) { changes in
                    for change in changes {
                        switch change {
                        case .insert(let todo, let row): table.insert(todo, at: row)
                        case .remove(_, let row): table.remove(at: row)
                        case .move(_, let from, let to): table.move(from: from, to: to)
                        case .update(let todo, let row, _): table.update(todo, at: row)
                        }
                    }
                }
                todos[0].isDone = true  // prints "remove 0"
                todos[0].isDone = false  // prints "insert Milk at 0"
                todos.swapAt(0, 1)  // prints "move 1 to 0"
                todos[2] = Todo(title: "Attic")  // prints "update 2: Attic"
            },
            Sample("The edits of a transaction, applied one by one, give the array of after") {
                let letters: ObservableArray = ["a", "b", "c", "d"]
                var copy = letters.elements
                let following = reaction(to: letters) { changes in
                    copy.apply(changes)
                    print(changes.count, changes.difference.count)
                }
                inTransaction {
                    letters.remove(at: 1)
                    letters.append("e")
                    letters.move(from: 0, to: 2)
                }  // prints "3 4"
                print(copy, letters == copy)
                // prints:
                // ["c", "d", "a", "e"] true
                following.cancel()
            },
            Sample("A page that sends the rows that changed") {
                let todos: ObservableArray = [Todo(title: "Milk"), Todo(title: "Roof")]
                let fragments = todos.live.map { "<li>\($0.title)\($0.isDone ? ", done" : "")</li>" }
                let sending = reaction(to: fragments) { changes in print(changes) }
                todos[1].isDone = true
                // prints:
                // [update(<li>Roof, done</li>, at: 1, was: <li>Roof</li>)]
                todos.swapAt(0, 1)
                // prints:
                // [move(<li>Roof, done</li>, from: 1, to: 0)]
                sending.cancel()
            },
            Sample("The changes of a dictionary") {
                let stock: ObservableDictionary = ["apples": 4]
                reaction(to: stock) { changes in
                    for change in changes { print(change) }  // prints "update(3, forKey: apples, was: 4)"
                }
                stock["apples"] = 3
            },
            Sample("The changes of a set") {
                let tags: ObservableSet = ["new"]
                let following = reaction(to: tags) { print("came:", $0.inserted, "left:", $0.removed) }
                inTransaction {
                    tags.insert("red")
                    tags.remove("new")
                }
                // prints:
                // came: ["red"] left: ["new"]
                following.cancel()
            },
            Sample("A reaction that ends with its owner") {
                final class Screen {
                    let table = Table()
                    init(_ rows: ObservableArray<String>) {
                        reaction(of: self, to: rows) { me, changes in me.table.apply(changes) }
                    }
                }
                let names: ObservableArray = ["Ann"]
                var screen: Screen? = Screen(names)
                names.append("Bob")  // prints "[insert(Bob, at: 1)]"
                screen = nil
                names.append("Cleo")
                print(screen == nil)  // prints "true"
            },
        ])
}
