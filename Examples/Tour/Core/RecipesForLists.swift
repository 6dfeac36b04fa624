// Recipes, part two: lists and tables. The page `Recipes` of the guide explains them.

import Reactive
import ReactiveCollections

/// Has seven posts, and returns three at a time.
private struct FeedServer: Sendable {
    func posts(from start: Int) async -> [Int] {
        print("request: posts from", start)
        await Task.yield()
        return Array(start..<min(start + 3, 7))
    }
}

extension Chapter {
    /// The recipes on lists and tables.
    static let listRecipes: [Sample] = [
        Sample("Keep the selection while the list is filtered") {
            struct Mail: Identifiable {
                let id: Int
                let subject: String
            }
            let mails: ObservableArray = [Mail(id: 1, subject: "Invoice"), Mail(id: 2, subject: "Party")]
            let selection: ObservableSet = [2]
            let query = Observable("")
            let shown = mails.live.filter { query.value.isEmpty || $0.subject.contains(query.value) }
            let rows = shown.map { (selection.contains($0.id) ? "* " : "- ") + $0.subject }
            let table = autorun { print(rows.elements.joined(separator: ", ")) }  // prints "- Invoice, * Party"
            query.value = "Inv"  // prints "- Invoice"
            selection.insert(1)  // prints "* Invoice"
            query.value = ""  // prints "* Invoice, * Party"
            table.cancel()
        },
        Sample("Show a million rows, sorted and filtered") {
            struct Book {
                let id: Int
                var price: Int
            }
            let books = ObservableArray((1...1_000_000).map { Book(id: $0, price: $0 % 1_000) })
            let firstRow = Observable(0)
            let cheap = books.live.filter { $0.price < 10 }.sorted(by: \.price)
            let visible = cheap.slice(from: { firstRow.value }, count: { 3 })
            let table = autorun { print(visible.elements.map(\.id), "of", cheap.count) }
            // prints:
            // [1000, 2000, 3000] of 10000
            books[76].price = 0
            // prints:
            // [77, 1000, 2000] of 10001
            firstRow.value = 5_000
            // prints:
            // [999004, 5, 1005] of 10001
            table.cancel()
        },
        Sample(awaiting: "Load the next page near the end of the list") {
            let server = FeedServer()
            enum Paging { case ready, loading, complete }
            let paging = Observable(Paging.ready)
            let posts = Observable<[Int]>([])
            let lastVisibleRow = Observable(0)
            let loading = reaction(fireImmediately: true) {
                paging.value == .ready && lastVisibleRow.value + 2 >= posts.value.count
            } onChange: { needsPage in
                guard needsPage else { return }
                paging.value = .loading
                Task {
                    let page = await server.posts(from: posts.value.count)
                    inTransaction {
                        posts.value += page
                        paging.value = page.isEmpty ? .complete : .ready
                    }
                }
            }
            try await when { posts.value.count == 3 }  // prints "request: posts from 0"
            lastVisibleRow.value = 1  // The user scrolls.
            try await when { posts.value.count == 6 }  // prints "request: posts from 3"
            loading.cancel()
        },
        Sample("Add up totals by group") {
            struct Expense {
                let category: String
                var amount: Int
            }
            let expenses: ObservableArray = [
                Expense(category: "food", amount: 12),
                Expense(category: "travel", amount: 80),
            ]
            let totals = expenses.live.grouped(by: \.category).mapValues { group in group.sum { $0.amount } }
            let food = autorun { print("food:", totals["food"]?.value ?? 0) }  // prints "food: 12"
            expenses.append(Expense(category: "food", amount: 5))  // prints "food: 17"
            expenses[1].amount = 90
            expenses.removeFirst()  // prints "food: 5"
            food.cancel()
        },
        Sample("Run a reaction for each element") {
            struct Room {
                let name: String
                @Observable var temperature = 20
            }
            let rooms: ObservableArray = [Room(name: "kitchen"), Room(name: "attic")]
            let alarms = rooms.live.map { room in
                reaction {
                    room.temperature > 30
                } onChange: { isHot in
                    print(room.name, isHot ? "is hot" : "is fine")
                }
            }
            let watching = autorun { _ = alarms.count }
            let attic = rooms[1]
            attic.temperature = 35  // prints "attic is hot"
            rooms.append(Room(name: "cellar", temperature: 35))
            rooms[2].temperature = 15  // prints "cellar is fine"
            rooms.remove(at: 1)
            attic.temperature = 20
            watching.cancel()
        },
    ]
}
