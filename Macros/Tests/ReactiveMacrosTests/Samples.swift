// The samples of the README and of the macros' doc comments, in the order of the page. Comments announce their output.

import ReactiveMacros

/// The output of the samples.
@MainActor private var printed: [String] = []

@MainActor private func print(_ items: Any...) {
    printed.append(items.map { "\($0)" }.joined(separator: " "))
}

@MainActor enum Samples {
    /// Runs all samples and returns their output.
    static func run() async -> [String] {
        printed = []
        first()
        byHand()
        withMacros()
        await inAnActor()
        return printed
    }

    private static func first() {
        @Model
        final class Order {
            var price = 5
            var count = 2
            @Cached var total: Int { price * count }
        }

        let order = Order()
        let report = autorun { print("total:", order.total) }  // prints "total: 10"
        order.count = 3  // prints "total: 15"
        report.cancel()
    }

    private static func byHand() {
        final class Library {
            @Observed var books = ["Emma", "Dracula"]
            @Observed var query = ""
            private var saved = 0
            private(set) lazy var sorted = Computed(of: self) { $0.books.sorted() }
            private(set) lazy var found = Computed(of: self) { library in
                library.sorted.value.filter { $0.hasPrefix(library.query) }
            }
            func start() { autorun(of: self) { $0.saved = $0.books.count } }
        }

        @MainActor final class Search {
            @Observed var query = "swift macros"
            private(set) lazy var words = Computed(of: self, isolation: MainActor.shared) { search in
                search.query.split(separator: " ").map(String.init)
            }
        }

        let library = Library()
        let reader = autorun { print(library.found.value) }  // prints "["Dracula", "Emma"]"
        library.query = "E"  // prints "["Emma"]"
        library.books.append("Ivanhoe")
        reader.cancel()
        let search = Search()
        print(search.words.value)  // prints "["swift", "macros"]"
    }

    private static func withMacros() {
        @Model final class Library {
            var books = ["Emma", "Dracula"]
            var query = ""
            @Unobserved private var saved = 0
            @Cached var sorted: [String] { books.sorted() }
            @Cached var found: [String] { sorted.filter { $0.hasPrefix(query) } }
            func start() { autorun(of: self) { $0.saved = $0.books.count } }
        }

        @Model @MainActor final class Search {
            var query = "swift macros"
            @Cached var words: [String] { query.split(separator: " ").map(String.init) }
        }

        let library = Library()
        let reader = autorun { print(library.found) }  // prints "["Dracula", "Emma"]"
        library.query = "E"  // prints "["Emma"]"
        library.books.append("Ivanhoe")
        reader.cancel()
        let search = Search()
        print(search.words)  // prints "["swift", "macros"]"
    }

    private static func inAnActor() async {
        @Model actor Account {
            var payments = [5]
            @Cached var balance: Int { payments.reduce(0, +) }
            func pay(_ amount: Int) { payments.append(amount) }
        }

        let account = Account()
        await account.pay(3)
        print(await account.balance)  // prints "8"
    }
}
