// A session with the shop: it reads commands and prints lines of text.
//
// The commands only write. After each command, the session reads selectors, compares them with the previous values, and
// prints the differences. So edits, undo and a new catalogue are printed in the same way.

import Conversation
import ReactiveAtoms

/// A session with a shop.
@MainActor
package final class Session {
    private let shop: Shop
    private let nextLine: () -> String?
    private let write: (String) -> Void
    private let columns: () -> Int?
    private var toldProblems = 0
    /// The state that has been printed.
    private var told = State()
    /// Whether the current command has printed anything.
    private var hasPrinted = false

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - shop: The shop, whose catalogue has been read.
    ///   - nextLine: Returns the next line of input; `nil` ends the session.
    ///   - write: Called with each line of output, including errors of commands.
    ///   - columns: Returns the number of columns of a line; `nil` for no limit.
    package init(
        shop: Shop, reading nextLine: @escaping () -> String?, writing write: @escaping (String) -> Void,
        columns: @escaping () -> Int? = { nil }
    ) {
        self.shop = shop
        self.nextLine = nextLine
        self.write = write
        self.columns = columns
    }

    /// Runs commands until the input ends or a command is `quit`.
    package func run() async {
        tellCatalogue()
        tellProblems()
        told = state
        if !told.lines.isEmpty { showCart() }
        while let line = nextLine() {
            hasPrinted = false
            do throws(CommandError) {
                let command = try Command.read(line)
                if command == .quit { return }
                if let command { await perform(command) }
            } catch {
                print(error.description)
            }
            tellProblems()
        }
    }

    private func print(_ line: String) {
        hasPrinted = true
        write(line)
    }

    // MARK: - Printing changes

    /// The part of the state whose changes are printed.
    private struct State {
        var lines: [CartLine] = []
        var summary = ""
        var filter = ProductFilter()
    }

    private var state: State {
        let (store, nodes) = (shop.store, shop.nodes)
        // A consistent state, also while other threads write.
        return store.transaction {
            State(
                lines: store.getOrNil(nodes.lines) ?? [], summary: store.getOrNil(nodes.summary) ?? "",
                filter: store.getOrNil(nodes.filter) ?? ProductFilter())
        }
    }

    private func tellChanges() {
        let (old, new) = (told, state)
        told = new
        let oldLines = Set(old.lines)
        for line in new.lines where !oldLines.contains(line) { print("\(line)") }
        let newCodes = Set(new.lines.map(\.code))
        for line in old.lines where !newCodes.contains(line.code) { print("\(line.code.shortened) removed") }
        if new.summary != old.summary { print(new.summary) }
        if new.filter != old.filter { tellShown(new.filter) }
    }

    private func tellCatalogue() {
        guard let catalogue = shop.store.getOrNil(shop.nodes.catalogue) else { return }
        print("\(catalogue.products.count.of("product")) in the catalogue")
        for problem in catalogue.problems { print(problem) }
    }

    private func tellShown(_ filter: ProductFilter) {
        let count = shop.store.getOrNil(shop.nodes.shown)?.count ?? 0
        let what = filter.description
        print("\(count.of("product")) shown\(what.isEmpty ? "" : ": \(what.onOneLine)")")
    }

    private func tellProblems() {
        let problems = shop.problems
        for problem in problems[toldProblems...] { print(problem) }
        toldProblems = problems.count
    }

    // MARK: - Commands

    private func perform(_ command: Command) async {
        do {
            switch command {
            case .edit(let edit):
                try perform(edit)
                tellChanges()
                if !hasPrinted { print("nothing has changed") }
            case .undo:
                try shop.undo()
                tellChanges()
            case .redo:
                try shop.redo()
                tellChanges()
            case .list: list()
            case .cart: showCart()
            case .categories: (shop.store.getOrNil(shop.nodes.categories) ?? []).forEach(print)
            case .reload:
                shop.reload()
                try await shop.load()
                tellCatalogue()
                tellChanges()
            case .help: print(Command.summary)
            case .quit: break
            }
        } catch {
            print("\(error)")
            if error is CatalogueError { print("the previous catalogue stays in use") }
        }
    }

    private func perform(_ edit: Command.Edit) throws(ShopError) {
        switch edit {
        case .add(let code, let pieces): try shop.add(pieces, of: code)
        case .remove(let code, let pieces): try shop.remove(pieces, of: code)
        case .set(let code, let pieces): try shop.set(pieces, of: code)
        case .drop(let code): try shop.remove(of: code)
        case .empty: try shop.empty()
        case .spend(let code, let amount): try shop.spend(amount, on: code)
        case .budget(let amount): try shop.setBudget(amount)
        case .left(let amount): try shop.setRemaining(amount)
        case .find(let text): try shop.filter { $0.text = text }
        case .category(let name): try shop.filter { $0.category = name }
        case .under(let amount): try shop.filter { $0.maximum = amount }
        case .stock: try shop.filter { $0.isInStock.toggle() }
        case .sort(let order): try shop.filter { $0.order = order }
        case .all: try shop.filter { $0 = ProductFilter() }
        }
    }

    private func list() {
        let products = shop.store.getOrNil(shop.nodes.shown) ?? []
        let isNarrow = columns().map { $0 < narrowWidth } ?? false
        for product in products {
            let pieces = shop.store.getOrNil(shop.nodes.pieces(product.code)) ?? 0
            product.lines(pieces: pieces, isNarrow: isNarrow).forEach(print)
        }
        if products.isEmpty { print("no product is shown; all shows all products") }
    }

    private func showCart() {
        for line in shop.store.getOrNil(shop.nodes.lines) ?? [] { print("\(line)") }
        if let summary = shop.store.getOrNil(shop.nodes.summary) { print(summary) }
    }
}
