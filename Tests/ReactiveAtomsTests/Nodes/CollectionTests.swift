// Atoms that hold collections, and selectors of their views.

import ReactiveAtoms
import ReactiveCollections
import TestSupport
import Testing

@Suite(.ownGraph, .timeLimit) struct CollectionTests {
    private struct Todo: Identifiable, Hashable, Sendable {
        let id: Int
        var title: String
        var isDone = false
    }

    private struct Nodes: Sendable {
        let log = Log()

        var todos: Atom<ObservableArray<Todo>> {
            atom(isolation: nil) { ObservableArray((0..<100).map { Todo(id: $0, title: "todo \($0)") }) }
        }

        var open: Selector<LiveArray<Todo>> {
            selector { [todos, log] accessor in
                log("open")
                return try accessor.get(todos).live.filter(isolation: nil) { todo in
                    log("filter \(todo.id)")
                    return !todo.isDone
                }
            }
        }

        var count: Selector<Int> { selector { [open] accessor in try accessor.get(open).count } }

        var title: SelectorFamily<Int, String> {
            selectorFamily { [todos, log] (id: Int, accessor: StateGetter) in
                log("title \(id)")
                return try accessor.get(todos)[id: id]?.title ?? "none"
            }
        }
    }

    @Test func aSelectorOfAViewIsComputedOnce() throws {
        let (store, nodes, log) = (RecoilStore(), Nodes(), Log())
        let observation = store.observe(nodes.count, fireImmediately: true) { log("\($0) open") }
        let todos = try store.value(nodes.todos)
        #expect(nodes.log.take().count == 101)
        #expect(log.take() == ["100 open"])
        todos[id: 7]?.isDone = true
        #expect(nodes.log.take() == ["filter 7"])
        #expect(log.take() == ["99 open"])
        todos[id: 8]?.title = "other"
        #expect(nodes.log.take() == ["filter 8"])
        #expect(log.take() == [])
        todos.append(Todo(id: 100, title: "new"))
        #expect(log.take() == ["100 open"])
        observation.cancel()
    }

    @Test func aSelectorOfOneElementDependsOnThatAlone() throws {
        let (store, nodes, log) = (RecoilStore(), Nodes(), Log())
        let observation = store.observe(nodes.title(7), fireImmediately: true) { log($0) }
        let todos = try store.value(nodes.todos)
        todos[id: 8]?.title = "other"
        todos.move(from: 7, to: 50)
        #expect(nodes.log.take() == ["title 7"])
        todos[id: 7]?.title = "seventh"
        todos.remove(id: 7)
        #expect(log.take() == ["todo 7", "seventh", "none"])
        observation.cancel()
    }

    /// A view is brought up to date with its key when the key is read, also in a transaction.
    @Test func aSelectorOfAKeyIsCurrentInATransaction() throws {
        let store = RecoilStore()
        let numbers = ObservableArray([1, 2, 3])
        let groups = numbers.live.grouped(isolation: nil) { $0 % 2 }
        let odd = selector { _ in groups[1]?.count ?? 0 }
        let reaction = autorun(isolation: nil) { _ = store.getOrNil(odd) }
        store.transaction {
            numbers.append(5)
            #expect(store.getOrNil(odd) == 3)
        }
        reaction.cancel()
    }

    /// The view's actor has yet to hear of a change on a different thread.
    @Test(.inDefaultGraph) @MainActor func aSelectorOfAKeyOfAnActorsViewIsCurrentBeforeTheHop() throws {
        let store = RecoilStore()
        let numbers = ObservableArray([1, 2, 3])
        let groups = numbers.live.grouped { $0 % 2 }
        let odd = selector { _ in groups[1]?.count ?? 0 }
        let reaction = autorun { _ = store.getOrNil(odd) }
        onOtherThread { numbers.append(5) }
        #expect(store.getOrNil(odd) == 3)
        reaction.cancel()
    }

    #if os(Linux) || os(macOS) || os(Windows)
    @Test func aSelectorOfAKeyOfAnActorsViewIsNotReadElsewhereBeforeTheHop() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            CollectionTests.readAKeyOfAnActorsViewElsewhere()
        }
        expectMessage(result, "computed groups was created on the main actor")
    }

    @MainActor private static func readAKeyOfAnActorsViewElsewhere() {
        let store = RecoilStore()
        let numbers = ObservableArray([1, 2, 3])
        let groups = numbers.live.grouped(named: "groups") { $0 % 2 }
        let odd = selector(isolation: nil) { _ in groups[1]?.count ?? 0 }
        let all = selector(isolation: nil) { _ in numbers.count }
        let reaction = autorun { _ = store.getOrNil(odd) }
        onOtherThread {
            inTransaction {
                numbers.append(5)
                // From this read on, the view waits for its actor.
                #expect(store.getOrNil(all) == 4)
                #expect(store.getOrNil(odd) == 3)
            }
        }
        reaction.cancel()
    }
    #endif

    @Test func eachStoreHasACollectionOfItsOwn() throws {
        let (first, second, nodes) = (RecoilStore(), RecoilStore(), Nodes())
        try first.value(nodes.todos).removeAll()
        #expect(try first.value(nodes.count) == 0)
        #expect(try second.value(nodes.count) == 100)
    }

    @Test func transactionsOfAStoreRollBackCollections() throws {
        struct Stop: Error {}
        let (store, nodes, log) = (RecoilStore(), Nodes(), Log())
        let observation = store.observe(nodes.count) { log("\($0) open") }
        #expect(throws: Stop.self) {
            try store.transaction {
                try store.value(nodes.todos).removeAll()
                #expect(try store.value(nodes.count) == 0)
                throw Stop()
            }
        }
        #expect(try store.value(nodes.count) == 100)
        #expect(log.take() == [])
        observation.cancel()
    }

    @Test func aDifferentCollectionIsADifferentValue() throws {
        let (store, nodes, log) = (RecoilStore(), Nodes(), Log())
        let observation = store.observe(nodes.count) { log("\($0) open") }
        store.set(nodes.todos, ObservableArray([Todo(id: 1, title: "only")]))
        #expect(log.take() == ["1 open"])
        observation.cancel()
    }
}
