// Lists rendered with hooks: which bodies run for which change, the state of rows, and their end.

import TestSupport
import Testing

import ReactiveCollectionsHooks

@Suite(.ownGraph) struct RenderedTests {
    private struct Todo: Identifiable, Equatable {
        let id: Int
        var title: String
    }

    /// A list of rows with hooks, and the output that a host got.
    private final class Page {
        let todos: ObservableArray<Todo>
        let log = Log()
        private(set) var shown: [String] = []
        private(set) var updates = 0
        private(set) var toggles: [Int: () -> Void] = [:]
        private var following: Reaction?

        init(_ count: Int) {
            todos = ObservableArray((0..<count).map { Todo(id: $0, title: "todo \($0)") })
            let fragments = todos.rendered { [unowned self] in row($0) }
            shown = fragments.elements
            following = reaction(to: fragments) { [unowned self] changes in
                updates += changes.count
                shown.apply(changes)
            }
            _ = log.take()
        }

        deinit { following?.cancel() }

        private func row(_ todo: Todo) -> String {
            let isOpen = useState(false)
            log("render \(todo.id)")
            toggles[todo.id] = { isOpen.wrappedValue.toggle() }
            useEffect(.once) { [log] in
                log("begin \(todo.id)")
                return { log("end \(todo.id)") }
            }
            return todo.title + (isOpen.wrappedValue ? " (open)" : "")
        }
    }

    @Test func aChangedElementRendersItsRowAlone() {
        let page = Page(1000)
        page.todos[500].title = "changed"
        #expect(page.log.take() == ["render 500"])
        #expect(page.shown[500] == "changed")
        #expect(page.updates == 1)
        page.todos[id: 7]?.title = "changed too"
        #expect(page.log.take() == ["render 7"])
        page.todos[id: 7]?.title = "changed too"
        #expect(page.log.take() == [])
        #expect(page.updates == 2)
    }

    @Test func stateRendersItsRowAndStaysWithIt() {
        let page = Page(100)
        page.toggles[3]?()
        #expect(page.log.take() == ["render 3"])
        page.todos.move(from: 3, to: 90)
        #expect(page.log.take() == [])
        #expect(page.shown[90] == "todo 3 (open)")
        page.todos[id: 3]?.title = "third"
        #expect(page.log.take() == ["render 3"])
        #expect(page.shown[90] == "third (open)")
        page.todos.reverse()
        #expect(page.log.take() == [])
        #expect(page.shown[9] == "third (open)")
        #expect(page.shown == page.todos.map { $0.title + ($0.id == 3 ? " (open)" : "") })
    }

    @Test func anInsertedElementRendersItsRowAlone() {
        let page = Page(100)
        page.todos.insert(Todo(id: 100, title: "new"), at: 50)
        #expect(page.log.take() == ["render 100", "begin 100"])
        #expect(page.shown[50] == "new")
        #expect(page.updates == 1)
    }

    @Test func aRemovedElementEndsItsRow() {
        let page = Page(100)
        page.todos.remove(id: 40)
        #expect(page.log.take() == ["end 40"])
        #expect(page.shown.count == 99)
        inTransaction {
            page.todos[id: 5]?.title = "never seen"
            page.todos.remove(id: 5)
        }
        #expect(page.log.take().last == "end 5")
    }

    @Test func aRolledBackTransactionRendersNothing() {
        struct Stop: Error {}
        let page = Page(100)
        #expect(throws: Stop.self) {
            try inTransaction {
                page.todos.remove(id: 40)
                page.todos[id: 41]?.title = "never seen"
                throw Stop()
            }
        }
        #expect(page.log.take() == [])
        #expect(page.updates == 0)
    }

    @Test func allRowsEndWithTheView() {
        let log = Log()
        do {
            let numbers = ObservableArray([1, 2, 3])
            let view = numbers.live.rendered { number in
                useEffect(.once) { { log("end \(number)") } }
                return number
            }
            #expect(view.elements == [1, 2, 3])
            #expect(log.take() == [])
        }
        #expect(log.take().sorted() == ["end 1", "end 2", "end 3"])
    }

    @Test func aDifferentElementIsANewRow() {
        let log = Log()
        let names = ObservableArray(["a", "b"])
        let view = names.live.rendered { name in
            useEffect(.once) {
                log("begin \(name)")
                return { log("end \(name)") }
            }
            return name
        }
        #expect(view.elements == ["a", "b"])
        #expect(log.take() == ["begin a", "begin b"])
        names[1] = "c"
        #expect(view.elements == ["a", "c"])
        #expect(log.take().sorted() == ["begin c", "end b"])
    }

    @Test func rowsFollowTheOrderOfAView() {
        let log = Log()
        let todos = ObservableArray((0..<10).map { Todo(id: $0, title: "\(9 - $0)") })
        let lines = todos.live.filter { $0.title != "5" }.sorted(by: \.title).map(\.id).rendered { id in
            log("render \(id)")
            return "\(useMemo(.once) { id }): \(todos[id: id]?.title ?? "")"
        }
        #expect(lines.elements.first == "9: 0")
        #expect(log.take().count == 9)
        todos[id: 0]?.title = "00"
        #expect(lines.elements.prefix(2) == ["9: 0", "0: 00"])
        #expect(log.take() == ["render 0"])
        todos[id: 0]?.title = "5"
        #expect(lines.count == 8)
    }

    @Test func aListMayBelongToAComponent() {
        let log = Log()
        let todos = ObservableArray((0..<50).map { Todo(id: $0, title: "todo \($0)") })
        let page = HookRenderer {
            let lines = useMemo(.once) {
                todos.rendered { todo in
                    log("row \(todo.id)")
                    return todo.title
                }
            }
            log("page")
            return lines.elements.joined(separator: ", ")
        }
        #expect(page.output.hasPrefix("todo 0, todo 1, "))
        _ = log.take()
        todos[id: 0]?.title = "first"
        #expect(page.output.hasPrefix("first, todo 1, "))
        #expect(Set(log.take()) == ["row 0", "page"])
        todos.swapAt(0, 1)
        #expect(page.output.hasPrefix("todo 1, first, "))
        #expect(log.take() == ["page"])
        page.unmount()
    }

    @Test func rowsGetAnEnvironment() {
        let view = ObservableArray([1]).live.rendered { _ in useEnvironment(\.rowTint) }
        #expect(view.elements == ["none"])
        let tinted = ObservableArray([1]).live.rendered(environment: { $0.rowTint = "red" }) { _ in
            useEnvironment(\.rowTint)
        }
        #expect(tinted.elements == ["red"])
    }
}

private enum RowTintKey: EnvironmentKey {
    static var defaultValue: String { "none" }
}

extension EnvironmentValues {
    fileprivate var rowTint: String {
        get { self[RowTintKey.self] }
        set { self[RowTintKey.self] = newValue }
    }
}
