// The shop: a store with the state, and the changes that can be made to it. Each is checked, is one transaction, and can be taken back.

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
    ///   - source: The catalogue, which is not read yet.
    ///   - cartPath: Where the cart is kept, if anywhere. It is read now.
    package init(_ source: CatalogueSource, cartPath: String? = nil) {
        let problems = Observable<[String]>([])
        observedProblems = problems
        nodes = ShopNodes(
            source: source, cartFile: cartPath.map { URL(fileURLWithPath: $0) },
            onCartProblem: { error in inTransaction { problems.value.append("the cart is not saved: \(error)") } })
        // From now on the cart follows its file.
        _ = store.getOrNil(nodes.cart)
    }

    /// What has gone wrong with the file of the cart.
    package var problems: [String] { observedProblems.value }

    /// Saves what is not saved yet. The shop must not be used any more.
    package func close() { store.release(nodes.cart) }

    /// A snapshot with all nodes, also those that nobody has read yet; of the families, those of the cart.
    package func wholeState() -> RecoilSnapshot {
        let everything = autorun { [store, nodes] in
            _ = (store.getOrNil(nodes.summary), store.getOrNil(nodes.remaining))
            _ = (store.getOrNil(nodes.shown), store.getOrNil(nodes.categories))
            for line in store.getOrNil(nodes.lines) ?? [] { _ = store.getOrNil(nodes.spending(line.code)) }
        }
        defer { everything.cancel() }
        return store.snapshot()
    }

    // MARK: - The catalogue

    /// Waits until the catalogue has been read.
    ///
    /// - Throws: `CatalogueError` if it could not be.
    package nonisolated(nonsending) func load() async throws { _ = try await store.get(nodes.file) }

    /// Reads the catalogue again. Until it is there, and if it cannot be read, the one of before is used.
    package func reload() { store.refresh(nodes.file) }

    // MARK: - Changes

    /// Puts pieces of a product into the cart.
    package func add(_ pieces: Int, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in try put(self.pieces(of: code) + pieces, of: product(code)) }
    }

    /// Takes pieces of a product out of the cart; all of them by default.
    package func remove(_ pieces: Int? = nil, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in
            let present = self.pieces(of: code)
            guard present > 0 else { throw .notInCart(code) }
            guard pieces ?? present <= present else { throw .tooFew(code, inCart: present) }
            store.set(nodes.pieces(code), present - (pieces ?? present))
        }
    }

    /// Takes out of the cart what the catalogue does not have any more.
    package func removeLost() throws(ShopError) {
        try change {
            for line in store.getOrNil(nodes.lines) ?? [] where line.product == nil {
                store.set(nodes.pieces(line.code), 0)
            }
        }
    }

    /// Has this many pieces of a product in the cart.
    package func set(_ pieces: Int, of code: String) throws(ShopError) {
        try change { () throws(ShopError) in try put(pieces, of: product(code)) }
    }

    /// Has as many pieces of a product in the cart as an amount pays for.
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

    /// Takes everything out of the cart.
    package func empty() throws(ShopError) { try change { store.reset(nodes.cart) } }

    /// Shows other products. A category may be written in whatever case.
    ///
    /// - Parameter isPart: Whether this is taken back together with the change before.
    /// - Returns: Whether this has changed anything.
    @discardableResult
    package func filter(
        joiningLast isPart: Bool = false, _ body: (inout ProductFilter) -> Void
    ) throws(ShopError) -> Bool {
        try change(joiningLast: isPart) { () throws(ShopError) in
            let before = store.getOrNil(nodes.filter)?.category
            store.update(nodes.filter, body)
            // One that the catalogue has lost may stay: it is for the customer to choose another.
            guard let category = store.getOrNil(nodes.filter)?.category, category != before else { return }
            let known = store.getOrNil(nodes.categories) ?? []
            guard !known.contains(category) else { return }
            guard let meant = known.first(where: { $0.lowercased() == category.lowercased() }) else {
                throw .unknownCategory(category, known: known)
            }
            store.update(nodes.filter) { $0.category = meant }
        }
    }

    /// Limits what may be spent, or lifts the limit.
    package func setBudget(_ amount: Money?) throws(ShopError) { try change { store.set(nodes.budget, amount) } }

    /// Makes the budget such that an amount is left.
    package func setRemaining(_ amount: Money) throws(ShopError) { try change { store.set(nodes.remaining, amount) } }

    private func product(_ code: String) throws(ShopError) -> Product {
        guard let product = store.getOrNil(nodes.product(code)) else { throw .unknownProduct(code) }
        return product
    }

    private func pieces(of code: String) -> Int { store.getOrNil(nodes.pieces(code)) ?? 0 }

    private func put(_ pieces: Int, of product: Product) throws(ShopError) {
        let present = self.pieces(of: product.code)
        // Fewer than before is always possible, also of what is short by now.
        guard pieces <= max(product.stock, present) else { throw .tooMany(product, inCart: present) }
        store.set(nodes.pieces(product.code), pieces)
    }

    // MARK: - There and back

    /// Whether there is a change to take back.
    package var canUndo: Bool { !past.isEmpty }
    /// Whether there is a change to make again.
    package var canRedo: Bool { !future.isEmpty }

    /// Takes the last change back.
    package func undo() throws(ShopError) {
        guard let snapshot = past.last else { throw .nothingTo("undo") }
        let now = try restore(snapshot)
        past.removeLast()
        future.append(now)
    }

    /// Makes the change again that was taken back last.
    package func redo() throws(ShopError) {
        guard let snapshot = future.last else { throw .nothingTo("redo") }
        let now = try restore(snapshot)
        future.removeLast()
        past.append(now)
    }

    /// Makes a change as one transaction, which is taken back whole if it cannot be made.
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

    /// Goes to a snapshot, but for what the file says, and returns one of before.
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

    /// What changes can change.
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
