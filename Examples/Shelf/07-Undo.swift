// A graph of objects: its changes as a JSON Patch, undo and redo.
//
//     swift run --package-path Examples Undo

import Reactive
import ReactiveCodable

struct Todo: Codable {
    @Observable var title = ""
}

struct TodoList: Codable {
    @Observable var todos: [Todo] = []
}

let list = TodoList()
let history = History(list)

// Observes everything that encoding would reach, including later additions.
let watching = deepObserve(list) { changes in
    if let patch = try? changes.jsonPatch() { print(patch) }
}

list.todos.append(Todo(title: "Buy milk"))
// prints:
// [{"op":"add","path":"/todos/0","value":{"title":"Buy milk"}}]

list.todos[0].title = "Buy bread"
// prints:
// [{"op":"replace","path":"/todos/0/title","value":"Buy bread"}]

// Undo is a change like any other.
try history.undo()
// prints:
// [{"op":"replace","path":"/todos/0/title","value":"Buy milk"}]

try history.undo()
// prints:
// [{"op":"remove","path":"/todos/0"}]

try history.redo()
// prints:
// [{"op":"add","path":"/todos/0","value":{"title":"Buy milk"}}]

// A patch writes only the differences. It applies as a whole or changes nothing.
try apply(JSONPatch(parsing: #"[{"op": "replace", "path": "/todos/0/title", "value": "Sleep"}]"#), to: list)
// prints:
// [{"op":"replace","path":"/todos/0/title","value":"Sleep"}]
watching.cancel()
