// The nodes of the shop: atoms that are set, an atom that is read from a file, and selectors derived from these.
//
//     file ──▶ catalogue ──▶ product(code) ─┬──▶ line(code) ──▶ lines ──▶ total ──▶ remaining ◀── budget
//                  │        filter          │                     ▲
//                  ├──▶ search ┴──▶ shown   └──▶ spending(code)   │
//                  └──▶ categories               pieces(code) ◀── cart ──▶ count ──▶ badge
//
// The atoms are `file`, which is asynchronous, `cart`, which is saved on disk, `filter` and `budget`. The selectors
// `pieces`, `spending` and `remaining` are writable: a write sets the atoms that they depend on.

import Foundation
import ReactiveAtoms
import ReactiveCodable

/// The nodes of a shop.
package struct ShopNodes: Sendable {
    /// The source of the catalogue.
    let source: CatalogueSource
    /// The file of the cart, if it has one.
    let cartFile: URL?
    /// Called with problems of the cart's file.
    let onCartProblem: @Sendable (any Error) -> Void

    // MARK: - Atoms

    /// The catalogue in its file.
    package var file: AsyncAtom<Catalogue> {
        atom(keepPrevious: true) { [source] in try await source.read() }
    }

    /// The cart.
    package var cart: Atom<Cart> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let saving = cartFile.map { AtomEffect<Cart>.persist(to: $0, encoder: encoder, onError: onCartProblem) }
        return atom(Cart(), effects: saving.map { [$0] } ?? [])
    }

    /// The filter of the shown products.
    package var filter: Atom<ProductFilter> { atom(ProductFilter()) }

    /// The budget, if there is one.
    package var budget: Atom<Money?> { atom(nil) }

    // MARK: - Products

    /// The last catalogue that was read successfully.
    package var catalogue: Selector<Catalogue> {
        selector { [file] accessor in
            let loadable = accessor.loadable(file)
            if let catalogue = loadable.latestData { return catalogue }
            throw loadable.errors.first ?? ShopError.loading
        }
    }

    /// The product with a code.
    package var product: SelectorFamily<String, Product> {
        selectorFamily { [catalogue] (code: String, accessor: StateGetter) in
            guard let product = try accessor.get(catalogue)[code: code] else { throw ShopError.unknownProduct(code) }
            return product
        }
    }

    /// The search in the products of the catalogue.
    var search: Selector<ProductSearch> {
        selector { [catalogue] accessor in ProductSearch(try accessor.get(catalogue).products) }
    }

    /// The shown products.
    package var shown: Selector<[Product]> {
        selector { [search, filter] accessor in try accessor.get(search).products(accessor.get(filter)) }
    }

    /// The categories, in the order of their first products.
    package var categories: Selector<[String]> {
        selector { [catalogue] accessor in
            var known: Set<String> = []
            return try accessor.get(catalogue).products.map(\.category).filter { known.insert($0).inserted }
        }
    }

    // MARK: - The cart

    /// The number of pieces of a product in the cart. Writable.
    package var pieces: MutableSelectorFamily<String, Int> {
        selectorFamily(
            get: { [cart] (code: String, accessor: StateGetter) in try accessor.get(cart)[code: code] },
            set: { [cart] (code: String, context: MutableContext, pieces: Int) in
                context.accessor.update(cart) { $0[code: code] = pieces }
            })
    }

    /// The cost of a product's pieces in the cart. Writing an amount sets the number of pieces to as many as it pays
    /// for.
    package var spending: MutableSelectorFamily<String, Money> {
        selectorFamily(
            get: { [pieces, product] (code: String, accessor: StateGetter) in
                try accessor.get(pieces(code)) * accessor.get(product(code)).price
            },
            set: { [pieces, product] (code: String, context: MutableContext, amount: Money) in
                guard let product = context.accessor.getOrNil(product(code)) else { return }
                context.set(pieces(code), amount.cents / product.price.cents)
            })
    }

    /// A line of the cart.
    package var line: SelectorFamily<String, CartLine> {
        selectorFamily { [pieces, product] (code: String, accessor: StateGetter) in
            CartLine(code: code, pieces: try accessor.get(pieces(code)), product: accessor.getOrNil(product(code)))
        }
    }

    /// The lines of the cart.
    package var lines: Selector<[CartLine]> {
        selector { [cart, line] accessor in
            try accessor.get(cart).entries.map { try accessor.get(line($0.code)) }
        }
    }

    /// The number of pieces in the cart.
    package var count: Selector<Int> {
        selector { [cart] accessor in try accessor.get(cart).entries.reduce(0) { $0 + $1.pieces } }
    }

    /// The badge of the cart: empty for an empty cart, otherwise one digit, with `9+` for more than nine pieces.
    package var badge: Selector<String> {
        selector { [count] accessor in
            switch try accessor.get(count) {
            case 0: ""
            case 1...9: "\(try accessor.get(count))"
            default: "9+"
            }
        }
    }

    // MARK: - Money

    /// The cost of the whole cart.
    package var total: Selector<Money> {
        selector { [lines] accessor in try accessor.get(lines).reduce(.zero) { $0 + $1.cost } }
    }

    /// The rest of the budget. Writing an amount sets the budget so that this amount remains.
    package var remaining: MutableSelector<Money?> {
        selector(
            get: { [budget, total] accessor in
                let total = try accessor.get(total)
                return try accessor.get(budget).map { $0 - total }
            },
            set: { [budget, total] context, amount in
                guard let total = context.accessor.getOrNil(total) else { return }
                context.set(budget, amount.map { $0 + total })
            })
    }
}

extension ShopNodes {
    /// A summary of the cart: `cart 9+: 45.60 of 50.00, 4.40 left`.
    package var summary: Selector<String> {
        selector { [badge, total, budget, remaining] accessor in
            let badge = try accessor.get(badge)
            let cost = "\(badge.isEmpty ? "cart empty" : "cart \(badge)"): \(try accessor.get(total))"
            guard let budget = try accessor.get(budget), let remaining = try accessor.get(remaining) else {
                return cost
            }
            let rest = remaining < .zero ? "\(.zero - remaining) too much" : "\(remaining) left"
            return "\(cost) of \(budget), \(rest)"
        }
    }
}

/// Some pieces of a product in the cart.
package struct CartLine: Hashable, Sendable {
    package let code: String
    package let pieces: Int
    /// The product; `nil` if the catalogue no longer has it.
    package let product: Product?

    /// The cost of the pieces; zero if the catalogue no longer has the product.
    package var cost: Money { product.map { pieces * $0.price } ?? .zero }

    /// The reason why this cannot be bought.
    package var problem: String? {
        guard let product else { return "not in the catalogue" }
        return pieces > product.stock ? "only \(product.stock) in stock" : nil
    }
}
