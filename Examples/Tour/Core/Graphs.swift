// The module ReactiveCodable, part one: observing graphs of objects, and their changes as data.

import Foundation
import Reactive
import ReactiveCodable

extension Chapter {
    static let graphs = Chapter(
        "Object graphs",
        [
            Sample("Observed, recorded and saved") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Todo: Codable { @Observable var title = "" }
                struct List: Codable { @Observable var todos: [Todo] = [] }

                let list = List()
                let history = History(list)
                let saving = autosave(list, to: url)
                let watching = deepObserve(list) { changes in
                    for change in changes { print(change.pointer) }
                }
                list.todos.append(Todo(title: "Buy milk"))  // prints "/todos"
                list.todos[0].title = "Buy bread"  // prints "/todos/0/title"
                try history.undo()  // prints "/todos/0/title"
                try saving.flush()
                print(try load(List.self, from: url).todos[0].title)  // prints "Buy milk"
                watching.cancel()
                saving.cancel()
            },
            Sample("Whatever encoding reaches") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable { @Observable var todos = [Todo()] }

                let state = State()
                let observer = deepObserve(state) { print("changed") }
                state.todos[0].title = "Buy milk"  // prints "changed"
                state.todos.append(Todo(title: "Sleep"))  // prints "changed"
                state.todos[1].title = "Read"  // prints "changed"
                observer.cancel()
            },
            Sample("State in encoded form") {
                struct Person: Codable {
                    @Observable var firstName = ""
                    @Observable var nickname: String?
                }
                let person = try JSONDecoder().decode(Person.self, from: Data(#"{"firstName": "Bob"}"#.utf8))
                print(person.nickname ?? "none")  // prints "none"
                print(try JSONValue(encoding: person))
                // prints:
                // {"firstName":"Bob"}
            },
            Sample("What changed, and where") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable { @Observable var todos = [Todo()] }
                let state = State()

                let observer = deepObserve(state) { changes in
                    for change in changes { print(change.pointer) }
                }
                state.todos[0].title = "Buy milk"  // prints "/todos/0/title"
                observer.cancel()
            },
            Sample("What it was and what it is") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable { @Observable var todos = [Todo()] }
                let state = State()
                func json(_ snapshot: Snapshot) -> JSONValue { (try? JSONValue(encoding: snapshot)) ?? .null }

                let observer = deepObserve(state) { changes in
                    for change in changes { print(json(change.oldValue), "→", json(change.newValue)) }
                }
                state.todos[0].title = "Buy milk"
                // prints:
                // "" → "Buy milk"
                observer.cancel()
            },
            Sample("A transaction as a JSON Patch") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable { @Observable var todos = [Todo()] }
                let state = State()

                let observer = deepObserve(state) { changes in
                    if let patch = try? changes.jsonPatch() { print(patch) }
                }
                inTransaction {
                    state.todos[0].title = "Buy milk"
                    state.todos.append(Todo(title: "Sleep"))
                }
                // prints:
                // [{"op":"add","path":"/todos/1","value":{"title":"Sleep"}},{"op":"replace","path":"/todos/0/title","value":"Buy milk"}]
                observer.cancel()
            },
            Sample("Applying a patch writes only what differs") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable { @Observable var todos = [Todo(title: "Buy milk"), Todo(title: "Sleep")] }
                let state = State()
                let first = autorun { print("first:", state.todos[0].title) }  // prints "first: Buy milk"
                let second = autorun { print("second:", state.todos[1].title) }  // prints "second: Sleep"

                let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/todos/1/title", "value": "Read"}]"#)
                try apply(patch, to: state)  // prints "second: Read"
                first.cancel()
                second.cancel()
            },
            Sample("A snapshot, restored into the same objects") {
                struct Todo: Codable { @Observable var title = "" }
                struct State: Codable {
                    @Observable var name = "Ann"
                    @Observable var todos = [Todo(title: "Sleep"), Todo(title: "Eat")]
                }
                let state = State()
                let first = state.todos[0]

                let saved = try JSONValue(encoding: state)
                let second = autorun { print("second:", state.todos[1].title) }  // prints "second: Eat"
                state.name = "Bob"
                state.todos[1].title = "Read"  // prints "second: Read"
                let restoring = try JSONPatch(from: JSONValue(encoding: state), to: saved)
                try apply(restoring, to: state)  // prints "second: Eat"
                print(state.name)  // prints "Ann"
                first.title = "Rest"
                print(state.todos[0].title)  // prints "Rest"
                second.cancel()
            },
            Sample("A patch changes the paths that it names") {
                struct Todo: Codable { @Observable var title = "" }
                struct List: Codable {
                    @Observable var todos = [Todo(title: "Sleep")]
                    @Observable var selected: Todo?
                }
                let list = List()
                list.selected = list.todos[0]

                let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/selected/title", "value": "Read"}]"#)
                try apply(patch, to: list)
                print(list.todos[0].title, list.selected?.title ?? "")  // prints "Sleep Read"
            },
            Sample("A patch that does not fit changes nothing") {
                struct State: Codable {
                    @Observable var name = "Ann"
                    @Observable var age = 41
                }
                let state = State()
                let patch = try JSONPatch(
                    parsing: #"""
                        [{"op": "replace", "path": "/name", "value": "Bob"}, {"op": "replace", "path": "/age", "value": "old"}]
                        """#)
                do {
                    try apply(patch, to: state)
                } catch {
                    print(error)
                    // prints:
                    // JSON Patch, operation 1 {"op":"replace","path":"/age","value":"old"}, path "/age": expected Int, found a string
                }
                print(state.name)  // prints "Ann"
            },
            Sample("Two documents, and the way back") {
                let before: JSONValue = ["name": "Ann", "tags": ["a", "b"]]
                let after: JSONValue = ["name": "Bob", "tags": ["a", "x", "b"]]

                let patch = JSONPatch(from: before, to: after)
                print(patch)
                // prints:
                // [{"op":"replace","path":"/name","value":"Bob"},{"op":"add","path":"/tags/1","value":"x"}]
                print(try patch.applying(to: before) == after)  // prints "true"
                print(try patch.inverse.applying(to: after) == before)  // prints "true"
            },
            Sample("JSON from strangers") {
                let limits = JSONLimits(depth: 3, valueCount: 1_000, byteCount: 10_000)
                do {
                    _ = try JSONValue(parsing: "[[[[1]]]]", limits: limits)
                } catch {
                    print(error)
                    // prints:
                    // invalid JSON at line 1, column 4: more than 3 levels of nesting (JSONLimits.depth)
                }
            },
        ])
}

/// Returns the URL of an unused file.
func temporaryFile() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("Tour-\(UUID().uuidString).json")
}
