// The module ReactiveCollectionsHooks: lists whose rows are rendered with hooks.

import ReactiveCollectionsHooks

private struct File {
    let name: String
}

private struct Todo: Identifiable {
    let id: Int
    var title: String
    var notes = "soon"
}

/// The text of a row and its action.
private struct Fragment {
    let text: String
    let press: () -> Void

    init(_ name: String, _ isOpen: Bool, press: @escaping () -> Void) {
        text = "\(name) \(isOpen ? "open" : "closed")"
        self.press = press
    }
}

/// A page that is changed row by row.
private final class Page {
    func apply(_ changes: CollectionChanges<Fragment>) {
        for change in changes {
            switch change {
            case .insert(let fragment, let row): print("insert \(row):", fragment.text)
            case .remove(_, let row): print("remove \(row)")
            case .move(_, let from, let to): print("move \(from) to \(to)")
            case .update(let fragment, let row, _): print("update \(row):", fragment.text)
            }
        }
    }
}

extension Chapter {
    static let collectionsAndHooks = Chapter(
        "Lists that are rendered with hooks",
        [
            Sample("Each row of a view renders by itself") {
                let files: ObservableArray = [File(name: "b"), File(name: "a")]
                let page = Page()
                let fragments = files.live.sorted(by: \.name).rendered { file in
                    let isOpen = useState(false)
                    return Fragment(file.name, isOpen.wrappedValue) { isOpen.wrappedValue.toggle() }
                }
                reaction(to: fragments) { changes in page.apply(changes) }
                fragments[1].press()  // prints "update 1: b open"
                files.append(File(name: "aa"))  // prints "insert 1: aa closed"
                files.remove(at: 1)  // prints "remove 0"
            },
            Sample("Rows of elements with ids keep their state when an element is assigned") {
                let todos: ObservableArray = [Todo(id: 7, title: "Butter"), Todo(id: 8, title: "Roof")]
                let lines = todos.rendered { todo in
                    let isOpen = useState(false)
                    return "\(todo.title)\(isOpen.wrappedValue ? ": " + todo.notes : "")"
                }
                todos[id: 7]?.title = "Milk"  // renders one row
                let observer = autorun { print(lines.elements.joined(separator: ", ")) }  // prints "Milk, Roof"
                todos[id: 8]?.title = "Fence"  // prints "Milk, Fence"
                observer.cancel()
            },
        ])
}
