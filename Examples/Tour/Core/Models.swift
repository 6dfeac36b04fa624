// Models in classes and actors: state of an object, its derived values and its reactions.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

import Reactive
import ReactiveCodable

extension Chapter {
    static let models = Chapter(
        "Models in classes and actors",
        [
            Sample("A computed property of a class works as it is") {
                final class Order {
                    @Observable var price = 5
                    @Observable var count = 2
                    var total: Int { price * count }
                }
                let order = Order()
                let report = autorun { print("total:", order.total) }  // prints "total: 10"
                order.count = 3  // prints "total: 15"
                report.cancel()
            },
            Sample("A method is one change, or none") {
                struct Overdrawn: Error {}
                final class Account {
                    @Observable private(set) var balance = 100
                    @Observable private(set) var entries: [String] = []
                    func withdraw(_ amount: Int) throws {
                        try inTransaction {
                            entries.append("withdraw \(amount)")
                            balance -= amount
                            if balance < 0 { throw Overdrawn() }
                        }
                    }
                }
                let account = Account()
                let screen = autorun { print(account.balance, account.entries.count) }  // prints "100 0"
                try account.withdraw(30)  // prints "70 1"
                try? account.withdraw(90)
                print(account.balance, account.entries.count)  // prints "70 1"
                screen.cancel()
            },
            Sample("A model of models") {
                final class Player {
                    @Observable var score = 0
                }
                final class Game {
                    @Observable var players = [Player(), Player()]
                    var best: Int { players.map(\.score).max() ?? 0 }
                }
                let game = Game()
                let count = autorun { print(game.players.count, "players") }  // prints "2 players"
                let best = reaction { game.best } onChange: { print("best:", $0) }
                game.players[0].score = 7  // prints "best: 7"
                game.players.append(Player())  // prints "3 players"
                game.players[2].score = 9  // prints "best: 9"
                count.cancel()
                best.cancel()
            },
            Sample("A Computed caches, and does not keep its owner alive") {
                final class Library {
                    @Observable var books = ["Emma", "Dracula"]
                    private(set) lazy var sorted = Computed(of: self) { library in
                        print("sorting")
                        return library.books.sorted()
                    }
                }
                let library = Library()
                print(library.sorted.value)  // prints "sorting"
                // prints:
                // ["Dracula", "Emma"]
                print(library.sorted.value.count)  // prints "2"
                library.books.append("Ulysses")
                print(library.sorted.value.count)  // prints "sorting", "3"
            },
            Sample("Keeping a computed does not keep its owner") {
                final class Order {
                    @Observable var price = 5
                    @Observable var count = 2
                    private(set) lazy var total = Computed(of: self) { $0.price * $0.count }
                }
                var order: Order? = Order()
                let total = order?.total
                print(total?.value ?? 0)  // prints "10"
                order = nil
                print(order == nil, total?.value ?? 0)  // prints "true 10"
            },
            Sample("A reaction that ends with its owner") {
                struct AppState { @Observable var title = "Inbox" }
                final class Screen {
                    init(_ state: AppState) {
                        autorun(of: self) { $0.show(state.title) }  // ends with the screen
                    }
                    func show(_ title: String) { print(title) }
                }
                let state = AppState()
                var screen: Screen? = Screen(state)  // prints "Inbox"
                state.title = "Drafts"  // prints "Drafts"
                print(screen != nil, Diagnostics.liveReactions.count)  // prints "true 1"
                screen = nil
                print(Diagnostics.liveReactions.count)  // prints "0"
                state.title = "Sent"
            },
            Sample("Saving what has changed") {
                final class Note {
                    @Observable var text = ""
                    func start() {
                        reaction(of: self) { $0.text } onChange: { me, text in me.save(text) }
                    }
                    func save(_ text: String) { print("saving", text) }
                }
                let note = Note()
                note.start()
                note.text = "milk"  // prints "saving milk"
            },
            Sample("Saving whatever is in the state") {
                struct State: Codable { @Observable var items = ["milk"] }
                final class Basket {
                    let state = State()
                    init() {
                        deepObserve(state, of: self) { $0.save() }
                    }
                    func save() { print("saving", state.items.count, "items") }
                }
                let basket = Basket()
                basket.state.items.append("bread")  // prints "saving 2 items"
            },
            Sample(awaiting: "On the main actor") { @MainActor in
                @MainActor final class Search {
                    @Observable var query = "swift"
                    private(set) lazy var words = Computed(of: self, isolation: MainActor.shared) { search in
                        search.query.split(separator: " ").map(String.init)
                    }
                    private(set) var shown = 0
                    func start() {
                        autorun(of: self) { $0.shown = $0.words.value.count }
                    }
                }
                let search = Search()
                search.start()
                search.query = "swift actors"
                print(search.shown)  // prints "2"
            },
            Sample(awaiting: "In an actor") {
                actor Session {
                    private(set) var seen = 0
                    func start(_ messages: Observable<[String]>) {
                        autorun(of: self) { me in me.seen = messages.value.count }
                    }
                    func send(_ text: String, to messages: Observable<[String]>) {
                        messages.value.append(text)
                        print("seen", seen)
                    }
                }
                let messages = Observable(["hello"])
                let session = Session()
                await session.start(messages)
                await session.send("how are you?", to: messages)  // prints "seen 2"
            },
            Sample(awaiting: "Loading") { @MainActor in
                @MainActor final class Profile {
                    enum State { case empty, loading, loaded(String), failed(any Error) }
                    @Observable private(set) var state = State.empty
                    private var task: Task<Void, Never>?

                    func load(_ fetch: @escaping @Sendable () async throws -> String) {
                        task?.cancel()
                        state = .loading
                        task = Task { [weak self] in
                            do {
                                let name = try await fetch()
                                guard !Task.isCancelled else { return }
                                self?.state = .loaded(name)
                            } catch {
                                guard !Task.isCancelled else { return }
                                self?.state = .failed(error)
                            }
                        }
                    }
                }
                struct NotFound: Error {}
                let profile = Profile()
                let label = autorun(of: profile) { print($0.state) }  // prints "empty"
                profile.load { try await Task.sleep(for: .seconds(60)); return "Bob" }  // prints "loading"
                profile.load { "Ann" }  // prints "loading"
                // prints:
                // loaded("Ann")
                try await when(of: profile) { if case .loaded = $0.state { true } else { false } }
                label.cancel()
                profile.load { throw NotFound() }
                try await when(of: profile) { if case .failed(is NotFound) = $0.state { true } else { false } }
            },
            Sample(awaiting: "Loading in the task of the caller") { @MainActor in
                @MainActor final class Draft {
                    enum State { case empty, loading, loaded(String), failed(any Error) }
                    @Observable private(set) var state = State.empty

                    func load(_ fetch: @Sendable () async throws -> String) async {
                        state = .loading
                        do {
                            let text = try await fetch()
                            guard !Task.isCancelled else { return }
                            state = .loaded(text)
                        } catch {
                            guard !Task.isCancelled else { return }
                            state = .failed(error)
                        }
                    }
                }
                let draft = Draft()
                let view = Task { await draft.load { try await Task.sleep(for: .seconds(60)); return "late" } }
                try await when(of: draft) { if case .loading = $0.state { true } else { false } }
                view.cancel()  // The view disappears.
                await view.value
                print(draft.state)  // prints "loading"
                await draft.load { "Hello" }
                print(draft.state)
                // prints:
                // loaded("Hello")
            },
            Sample("Validation") {
                struct Problem: Error, CustomStringConvertible { let description: String }
                final class SignUp {
                    @Observable var name = ""
                    @Observable var age = ""
                    private(set) lazy var validAge = ThrowingComputed(of: self) { form in
                        guard let age = Int(form.age) else { throw Problem(description: "age is no number") }
                        return age
                    }
                    private(set) lazy var problems = Computed(of: self) { form in
                        var problems = form.name.isEmpty ? ["name is missing"] : []
                        do { _ = try form.validAge.value } catch { problems.append("\(error)") }
                        return problems
                    }
                }
                let form = SignUp()
                print(form.problems.value.joined(separator: ", "))  // prints "name is missing, age is no number"
                form.name = "Ann"
                form.age = "30"
                print(form.problems.value.count, try form.validAge.value)  // prints "0 30"
            },
            Sample("Undo") {
                final class Editor {
                    struct State: Codable { @Observable var title = "Draft" }
                    let state = State()
                    private(set) lazy var history = History(state)
                }
                let editor = Editor()
                print(editor.history.canUndo)  // prints "false"
                editor.state.title = "Essay"
                try editor.history.undo()
                print(editor.state.title)  // prints "Draft"
            },
        ])
}
