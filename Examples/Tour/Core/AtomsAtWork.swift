// The module ReactiveAtoms, part two: asynchronous nodes, scopes of views, and tests.
//
// The formatter would spread short closures over several lines; in a tour they read better on one line.
// swift-format-ignore-file

import Reactive
import ReactiveAtoms
import ReactiveAtomsTesting

extension Chapter {
    static let atomsAtWork = Chapter(
        "Atoms at work",
        [
            Sample(awaiting: "A selector that takes its time") {
                struct Server: Sendable { func user(_ id: Int) async throws -> String { "user \(id)" } }
                let server = Server()
                let store = RecoilStore()

                let selectedID = atom(1)
                let user = selector { accessor in
                    let id = try accessor.get(selectedID)
                    return try await server.user(id)
                }
                let loadable = store.loadable(user)  // data, isLoading, errors, load()
                let ann = try await store.get(user)  // joins the run that is under way

                print(ann, loadable.data ?? "nobody")  // prints "user 1 user 1"
                store.set(selectedID, 2)
                print(try await store.get(user))  // prints "user 2"
            },
            Sample(awaiting: "Definitions that call an actor") {
                actor Bank { func rate(of currency: String) async throws -> Double { 1.25 } }
                enum Rates {
                    static let bank = Bank()
                    static let today = selector(named: "today") { @Sendable _ in try await bank.rate(of: "USD") }
                    static var again: AsyncSelector<Double> { selector { _ in try await bank.rate(of: "USD") } }
                }
                let store = RecoilStore()
                print(try await store.get(Rates.today), try await store.get(Rates.again))  // prints "1.25 1.25"
            },
            Sample(awaiting: "What to show of it") {
                func showSpinner() { print("loading") }
                func show(_ error: any Error, retry: @escaping () -> Void) { print("failed") }
                func show(_ list: [String]) { print(list.count, "books") }
                let allBooks = selector { _ in await Task.yield(); return ["Emma", "Ulysses"] }
                let store = RecoilStore()
                func showBooks() {
                    let books = store.loadable(allBooks)
                    if books.isLoading { showSpinner() }
                    if let error = books.errors.first { show(error, retry: books.load) }
                    if let list = books.data { show(list) }
                }
                _ = try await store.get(allBooks)
                showBooks()  // prints "2 books"
            },
            Sample(awaiting: "Phases, and trying again") {
                struct Offline: Error, Equatable {}
                let isOnline = Observable(false)
                let price = selector { _ async throws -> Int in
                    if !untracked({ isOnline.value }) { throw Offline() }
                    return 5
                }
                func name<T>(_ phase: LoadablePhase<T>) -> String {
                    switch phase {
                    case .loading: "a moment, please"
                    case .loaded(let value): "\(value) euros"
                    case .failed(let error): "\(error)"
                    }
                }
                let store = RecoilStore()
                let loadable = store.loadable(price)
                _ = try? await store.get(price)
                print(name(loadable.phase), loadable.containError(of: Offline()))  // prints "Offline() true"
                isOnline.value = true
                loadable.load()
                print(try await store.get(price), loadable.errors.count)  // prints "5 0"
            },
            Sample(awaiting: "Several nodes at once") {
                let name = selector { _ in await Task.yield(); return "Ann" }
                let age = selector { _ in await Task.yield(); return 44 }
                let isAdmin = atom(true)
                let mail = selector { _ async throws -> String in throw CancellationError() }
                let card = selector { accessor in
                    let (name, age, isAdmin, mail) = try await accessor.get(
                        waitForAll(name, age, isAdmin, noWait(mail)))
                    return "\(name), \(age), \(isAdmin ? "admin" : "guest"), \(mail.data ?? "no mail")"
                }
                let store = RecoilStore()
                print(try await store.get(card))  // prints "Ann, 44, admin, no mail"
                let settled = try await store.get(waitForAllSettled(name, mail))
                print(settled.0.data ?? "nobody", settled.1.hasError)  // prints "Ann true"
                print(try await store.get(waitForAny([name, mail])).contains { !$0.isLoading })  // prints "true"
                print(try store.get(waitForNone([name])).map { $0.data ?? "nobody" })
                // prints:
                // ["Ann"]
            },
            Sample("A view that is refreshed") {
                let count = atom(1)
                let store = RecoilStore()
                let recoil = ScopedRecoilContext(store: store) { print("refresh") }
                print(recoil.useValue(count) ?? 0)  // prints "1"
                store.set(count, 2)  // prints "refresh"
                recoil.useUpdate(count)(3)  // prints "refresh"
                print(recoil.useBinding(count).wrappedValue)  // prints "3"
            },
            Sample("A scope as a property") {
                let badge = Badge()  // prints "cart: 2"
                RecoilStore.shared.set(cartSize, 3)  // prints "cart: 3"
                withExtendedLifetime(badge) {}
            },
            Sample(awaiting: "An object of a user interface") { @MainActor in
                let controller = BooksViewController()
                controller.refresh()  // prints "loading"
                _ = try await controller.recoilStore.get(BookList.currentBooks)
                try await when { controller.isShown }  // prints "Emma, Ulysses"
            },
            Sample(awaiting: "A scope of a test's own") {
                let price = atom(3)
                let total = selector { accessor in try accessor.get(price) * 2 }
                @RecoilTestScope var recoil

                _recoil.stubState(node: price, value: 5)  // or error:, or type:
                print(recoil.useValue(total) ?? 0)  // prints "10"
                // The keys of the changed nodes.
                let changed = try await _recoil.waitNextStateChange { recoil.useUpdate(price)(6) }
                print(changed == [total.key], _recoil.viewRefreshCount)  // prints "true 1"
                _recoil.reset()
                print(recoil.useValue(total) ?? 0)  // prints "6"
            },
            Sample(awaiting: "A view of a test's own") {
                let title = atom("Books")
                let view = ViewRenderHelper { recoil, sut in
                    sut.expect(recoil.useValue(title)).equalTo("Books")
                }
                try await view.waitForRender()
                print(view.renderCount)  // prints "1"
            },
        ])
}

// The definitions that the samples use.

let cartSize = atom(2)

final class Badge {
    @RecoilScope var recoil

    init() {
        recoil.onRefresh = { [unowned self] in show() }
        show()
    }

    func show() { print("cart:", recoil.useValue(cartSize) ?? 0) }
}

@MainActor private enum BookList {
    static var currentBooks: AsyncSelector<[String]> {
        selector { @MainActor _ in await Task.yield(); return ["Emma", "Ulysses"] }
    }
}

@MainActor private final class BooksViewController {
    let recoilStore = RecoilStore()
    let spinner = Spinner()
    let tableView = Table()
    var isShown: Bool { tableView.isShown.value }
}

extension BooksViewController: RecoilUIScope {
    func refresh() {
        let books = recoil.useLoadable(BookList.currentBooks)
        spinner.isHidden = !books.isLoading
        tableView.reload(books.data ?? [])
    }
}

@MainActor private final class Spinner {
    var isHidden = true { didSet { if !isHidden { print("loading") } } }
}

@MainActor private final class Table {
    let isShown = Observable(false)

    func reload(_ rows: [String]) {
        guard !rows.isEmpty else { return }
        print(rows.joined(separator: ", "))
        isShown.value = true
    }
}
