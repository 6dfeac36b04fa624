// The shop: a store with the state, and its changes. Each change is validated, is one transaction, and can be undone.

import Foundation
import Reactive
import ReactiveAtoms

/// A shop with one customer.
package final class Shop {
    package let store = RecoilStore()
    package let nodes: ShopNodes
    private let observedProblems: Observable<[String]>
    @Observable private var past: [RecoilSnapshot] = []
    @Observable private var future: [RecoilSnapshot] = []

    /// Opens a shop.
    ///
    /// - Parameters:
    ///   - source: The source of the catalogue. It is not read yet.
    ///   - cartPath: The file of the cart, if it has one. It is read now.
    package init(_ source: CatalogueSource, cartPath: String? = nil) {
        let problems = Observable<[String]>([])
        observedProblems = problems
        nodes = ShopNodes(
            source: source, cartFile: cartPath.map { URL(fileURLWithPath: $0) },
            onCartProblem: { error in inTransaction { problems.value.append("the cart is not saved: \(error)") } })
        // From now on, changes of the cart are saved to its file.
        _ = store.getOrNil(nodes.cart)
    }

    /// The problems with the file of the cart.
    package var problems: [String] { observedProblems.value }

    /// Saves unsaved changes. The shop must not be used afterwards.
    package func close() { store.release(nodes.cart) }

    /// Returns a snapshot of all nodes, including unread ones. Families are included for the products in the cart.
    package func wholeState() -> RecoilSnapshot {
        let everything = observingEverything()
        defer { everything.cancel() }
        return store.snapshot()
    }

    /// Returns a reaction that observes all nodes until it is cancelled. Families are included for the products in the
    /// cart.
    func observingEverything() -> Reaction {
        autorun(named: "everything") { [store, nodes] in
            _ = (store.getOrNil(nodes.summary), store.getOrNil(nodes.remaining))
            _ = (store.getOrNil(nodes.shown), store.getOrNil(nodes.categories))
            for line in store.getOrNil(nodes.lines) ?? [] { _ = store.getOrNil(nodes.spending(line.code)) }
        }
    }

    // MARK: - The catalogue

    /// Waits until the catalogue has been read.
    ///
    /// - Throws: `CatalogueError` if it could not be read.
    package nonisolated(nonsending) func load() async throws { _ = try await store.get(nodes.file) }

    /// Reads the catalogue again. The previous catalogue is used until then, and if the new one cannot be read.
    package func reload() { store.refresh(nodes.file) }

    // MARK: - Changes

    /// Adds pieces of a product to the cart.
    package func add(_ pieces: Int, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in try put(self.pieces(of: code) + pieces, of: product(code)) }
    }

    /// Removes pieces of a product from the cart; all of them by default.
    package func remove(_ pieces: Int? = nil, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in
            let present = self.pieces(of: code)
            guard present > 0 else { throw .notInCart(code) }
            guard pieces ?? present <= present else { throw .tooFew(code, inCart: present) }
            store.set(nodes.pieces(code), present - (pieces ?? present))
        }
    }

    /// Removes products from the cart that the catalogue no longer has.
    package func removeLost() throws(ShopError) {
        try change {
            for line in store.getOrNil(nodes.lines) ?? [] where line.product == nil {
                store.set(nodes.pieces(line.code), 0)
            }
        }
    }

    /// Sets the number of pieces of a product in the cart.
    package func set(_ pieces: Int, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in try put(pieces, of: product(code)) }
    }

    /// Sets the number of pieces of a product to as many as an amount pays for.
    package func spend(_ amount: Money, on code: String) throws(ShopError) {
        try change { () throws(ShopError) in
            let product = try product(code)
            guard amount >= product.price else { throw .tooLittleMoney(product) }
            guard amount.cents / product.price.cents <= product.stock else {
                throw .tooMany(product, inCart: pieces(of: code))
            }
            store.set(nodes.spending(code), amount)
        }
    }

    /// Removes everything from the cart.
    package func empty() throws(ShopError) { try change { store.reset(nodes.cart) } }

    /// Changes the filter of the shown products. The case of a category does not matter.
    ///
    /// - Parameter isPart: Whether this change is undone together with the previous one.
    /// - Returns: Whether the filter has changed.
    @discardableResult
    package func filter(
        joiningLast isPart: Bool = false, _ body: (inout ProductFilter) -> Void
    ) throws(ShopError) -> Bool {
        try change(joiningLast: isPart) { () throws(ShopError) in
            let before = store.getOrNil(nodes.filter)?.category
            store.update(nodes.filter, body)
            // A category that the catalogue no longer has may stay until the customer chooses another.
            guard let category = store.getOrNil(nodes.filter)?.category, category != before else { return }
            let known = store.getOrNil(nodes.categories) ?? []
            guard !known.contains(category) else { return }
            guard let meant = known.first(where: { $0.lowercased() == category.lowercased() }) else {
                throw .unknownCategory(category, known: known)
            }
            store.update(nodes.filter) { $0.category = meant }
        }
    }

    /// Sets or removes the budget.
    package func setBudget(_ amount: Money?) throws(ShopError) { try change { store.set(nodes.budget, amount) } }

    /// Sets the budget so that an amount remains.
    package func setRemaining(_ amount: Money) throws(ShopError) { try change { store.set(nodes.remaining, amount) } }

    private func product(_ code: String) throws(ShopError) -> Product {
        guard let product = store.getOrNil(nodes.product(code)) else { throw .unknownProduct(code) }
        return product
    }

    private func pieces(of code: String) -> Int { store.getOrNil(nodes.pieces(code)) ?? 0 }

    private func put(_ pieces: Int, of product: Product) throws(ShopError) {
        let present = self.pieces(of: product.code)
        // Reducing the number is always possible, even if the stock is too low.
        guard pieces <= max(product.stock, present) else { throw .tooMany(product, inCart: present) }
        store.set(nodes.pieces(product.code), pieces)
    }

    // MARK: - Undo and redo

    /// Whether there is a change to undo.
    package var canUndo: Bool { !past.isEmpty }
    /// Whether there is a change to redo.
    package var canRedo: Bool { !future.isEmpty }

    /// Undoes the last change.
    package func undo() throws(ShopError) {
        guard let snapshot = past.last else { throw .nothingTo("undo") }
        let now = try restore(snapshot)
        past.removeLast()
        future.append(now)
    }

    /// Redoes the last undone change.
    package func redo() throws(ShopError) {
        guard let snapshot = future.last else { throw .nothingTo("redo") }
        let now = try restore(snapshot)
        future.removeLast()
        past.append(now)
    }

    /// Runs a change as one transaction, which is rolled back if the change fails.
    @discardableResult
    private func change(
        joiningLast isPart: Bool = false, _ body: () throws(ShopError) -> Void
    ) throws(ShopError) -> Bool {
        guard !store.loadable(nodes.file).isLoading else { throw .loading }
        let (before, snapshot) = (state, store.snapshot())
        return try inTransaction { () throws(ShopError) in
            try body()
            guard state != before else { return false }
            if !isPart { past.append(snapshot) }
            future = []
            return true
        }
    }

    /// Restores a snapshot, except the contents of the catalogue's file. Returns a snapshot of the previous state.
    private func restore(_ snapshot: RecoilSnapshot) throws(ShopError) -> RecoilSnapshot {
        guard !store.loadable(nodes.file).isLoading else { throw .loading }
        let now = store.snapshot()
        store.transaction {
            let catalogue = store.loadable(nodes.file).latestData
            store.restore(snapshot)
            if let catalogue { store.set(nodes.file, catalogue) }
        }
        return now
    }

    /// The state that changes can write.
    private struct State: Equatable {
        let cart: Cart?
        let filter: ProductFilter?
        let budget: Money??
    }

    private var state: State {
        State(
            cart: store.getOrNil(nodes.cart), filter: store.getOrNil(nodes.filter), budget: store.getOrNil(nodes.budget)
        )
    }
}
