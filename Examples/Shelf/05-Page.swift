// A list as HTML, rendered again when state that it shows changes.
//
//     swift run --package-path Examples Page

import Reactive
import ReactiveHooks

struct Todo {
    let id: Int
    let title: String
    @Observable var isDone = false
}

struct TodoList {
    @Observable var todos: [Todo]
}

/// A row. Its scope has a key, so that the state of the row stays with its to-do when the to-do moves.
func row(_ todo: Todo) -> HTML {
    hookScope(id: todo.id) {
        let number = useMemo(.once) { "#\(todo.id)" }
        return "<li>\(number) \(todo.title)\(todo.isDone ? ", done" : "")</li>"
    }
}

func page(_ list: TodoList) -> HTML {
    let open = list.todos.count { !$0.isDone }
    return "<p>\(open) open</p><ul>\(list.todos.map(row))</ul>"
}

// Text is escaped automatically: see the ampersand.
let list = TodoList(todos: [Todo(id: 1, title: "Buy milk"), Todo(id: 2, title: "Call Ann & Bob")])
let renderer = HookRenderer {
    page(list)
} onRender: { html in
    print(html)
}
// prints:
// <p>2 open</p><ul><li>#1 Buy milk</li><li>#2 Call Ann &amp; Bob</li></ul>

list.todos[0].isDone = true
// prints:
// <p>1 open</p><ul><li>#1 Buy milk, done</li><li>#2 Call Ann &amp; Bob</li></ul>

list.todos.remove(at: 1)
// prints:
// <p>0 open</p><ul><li>#1 Buy milk, done</li></ul>
renderer.unmount()
