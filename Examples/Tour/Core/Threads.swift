// Threads, actors and tasks: transactions from many threads, reactions on actors, waiting and streams.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

import Dispatch
import Reactive

extension Chapter {
    static let threads = Chapter(
        "Threads, actors and tasks",
        [
            Sample("Transactions of many threads lose nothing") {
                let count = Observable(0)
                let double = Computed { count.value * 2 }
                DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
                    inTransaction { count.value = double.value / 2 + 1 }
                }
                print(count.value)  // prints "1000"
            },
            Sample("A graph of its own for each session") {
                struct Cart { @Observable var items: [String] = [] }
                let graph = IndependentGraph(named: "session 7")
                let cart = graph.run { Cart() }  // its observables belong to the session's graph
                graph.run {
                    autorun { print("items:", cart.items.count) }  // prints "items: 0"
                }
                cart.items.append("pear")  // prints "items: 1"
                graph.run { inTransaction { cart.items = [] } }  // prints "items: 0"
                graph.cancelReactions()
            },
            Sample(awaiting: "Waiting for state of a graph of its own") { @MainActor in
                struct Cart { @Observable var items: [String] = [] }
                let graph = IndependentGraph(named: "session 7")
                let cart = graph.run { Cart() }
                Task { cart.items = ["pear", "fig"] }
                try await graph.when(timeout: .seconds(5)) { cart.items.count > 1 }
                print(cart.items)
                // prints:
                // ["pear", "fig"]
            },
            Sample(awaiting: "A store on the main actor needs no ceremony") { @MainActor in
                @MainActor final class Store {
                    @Observable var title = "draft"
                }
                let store = Store()
                let observer = autorun { print(store.title) }  // prints "draft"
                store.title = "final"  // prints "final"
                observer.cancel()
            },
            Sample(awaiting: "A change elsewhere reaches it by a hop") { @MainActor in
                let title = Observable("draft")
                let shown = Observable("nothing")
                let observer = reaction { title.value } onChange: {
                    MainActor.assertIsolated()
                    shown.value = $0
                }
                await Task.detached { title.value = "final" }.value
                try await when { shown.value == "final" }
                print(shown.value)  // prints "final"
                observer.cancel()
            },
            Sample(awaiting: "A computed that may be evaluated anywhere") { @MainActor in
                let title = Observable("draft")
                let length = Computed(isolation: nil) { title.value.count }
                print(await Task.detached { length.value }.value)  // prints "5"
            },
            Sample(awaiting: "Waiting for a condition") {
                let isReady = Observable(false)
                Task { isReady.value = true }
                try await when { isReady.value }
                print("ready")  // prints "ready"
            },
            Sample(awaiting: "Waiting no longer than a given time") {
                let isReady = Observable(false)
                do {
                    try await when(timeout: .milliseconds(1), named: "isReady") { isReady.value }
                } catch let error as WhenTimeoutError {
                    print("too late:", error.name)  // prints "too late: isReady"
                }
            },
            Sample(awaiting: "The values of an expression over time") {
                struct Game { @Observable var score = 1 }
                let game = Game()
                for await score in values(of: { game.score }) {
                    print(score)  // prints "1", "2", "4"
                    if score == 4 { break }
                    game.score = score * 2
                }
            },
            Sample(awaiting: "Values that an object follows") { @MainActor in
                @MainActor
                final class Scoreboard {
                    @Observable var score = 1
                    @Observable private(set) var shown = 0
                    private var following: Task<Void, Never>?
                    init() {
                        let scores = values(of: self) { $0.score }
                        following = Task { [weak self] in
                            for await score in scores { self?.shown = score }
                        }
                    }
                    deinit { following?.cancel() }
                }
                let board = Scoreboard()
                board.score = 5
                try await when { board.shown == 5 }
                print("shown:", board.shown)  // prints "shown: 5"
            },
        ])
}
