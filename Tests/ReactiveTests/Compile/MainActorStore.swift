// Compile-only: a `@MainActor` store and its screen in Swift 6 mode, without ceremony.

import Reactive

@MainActor final class TodoStore {
    struct Todo: Equatable {
        var title: String
        var isDone = false
    }

    @Observable var todos: [Todo] = []
    @Observable var filter = ""
    private(set) lazy var visible = Computed { [unowned self] in
        todos.filter { self.filter.isEmpty || $0.title.contains(self.filter) }
    }
    var open: Int { todos.count { !$0.isDone } }

    func add(_ title: String) { todos.append(Todo(title: title)) }

    func finishAll() {
        inTransaction { for index in todos.indices { todos[index].isDone = true } }
    }
}

@MainActor final class TodoScreen {
    private(set) var lines: [String] = []
    private(set) var badge = 0
    private var bag: Set<AnyCancellable> = []
    private var list: ObserverScope<[String]>?

    init(_ store: TodoStore) {
        list = ObserverScope {
            store.visible.value.map(\.title)
        } onRender: { [weak self] in
            self?.lines = $0
        }
        autorun { [weak self] in self?.badge = store.open }.store(in: &bag)
        reaction {
            store.filter
        } onChange: { [weak self] filter in
            self?.lines.append(filter)
        }.store(in: &bag)
    }

    func waitUntilDone(_ store: TodoStore) async throws {
        try await when { store.open == 0 }
        for await count in values(of: { store.todos.count }) where count > 0 { break }
    }

    func followInATask(_ store: TodoStore) -> Task<Void, Never> {
        Task { for await open in values(of: { store.open }) { badge = open } }
    }
}
