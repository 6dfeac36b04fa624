// An object graph that is observed, and patched.

import Reactive
import ReactiveCodable

struct Todo: Codable {
    @Observable var title = ""
}

struct State: Codable {
    @Observable var name = "Ann"
    @Observable var todos: [Todo] = []
}

func follow() throws {
    let state = State()
    let reaction = deepObserve(state) { changes in
        if let patch = try? changes.jsonPatch() { print(patch) }
    }
    state.todos.append(Todo(title: "Sleep"))
    try apply(JSONPatch(parsing: #"[{"op": "replace", "path": "/todos/0/title", "value": "Read"}]"#), to: state)
    reaction.cancel()
}

try follow()
