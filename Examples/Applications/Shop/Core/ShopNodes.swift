// The state of the shop: what is set, what is read from a file, and what follows from these.
//
//     file ──▶ catalogue ──▶ product(code) ─┬──▶ line(code) ──▶ lines ──▶ total ──▶ remaining ◀── budget
//                  │        filter          │                     ▲
//                  ├──▶ search ┴──▶ shown   └──▶ spending(code)   │
//                  └──▶ categories               pieces(code) ◀── cart ──▶ count ──▶ badge
//
// Atoms are `file`, which takes its time, `cart`, which is kept on disk, `filter` and `budget`. `pieces`, `spending` and `remaining` can
// be written: they pass on what that means to the atoms.

import Foundation
import ReactiveAtoms
import ReactiveCodable

/// The nodes of a shop.
package struct ShopNodes: Sendable {
    /// Where the catalogue comes from.
    let source: CatalogueSource
    /// Where the cart is kept, if anywhere.
    let cartFile: URL?
    /// Gets what goes wrong with the file of the cart.
    let onCartProblem: @Sendable (any Error) -> Void

    // MARK: - What is set or read

    /// The catalogue as its file has it.
    package var file: AsyncAtom<Catalogue> {
        atom(keepPrevious: true) { [source] in try await source.read() }
    }

    /// What somebody means to buy.
    package var cart: Atom<Cart> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let saving = cartFile.map { AtomEffect<Cart>.persist(to: $0, encoder: encoder, onError: onCartProblem) }
        return atom(Cart(), effects: saving.map { [$0] } ?? [])
    }

    /// Which products are shown.
    package var filter: Atom<ProductFilter> { atom(ProductFilter()) }

    /// How much may be spent, if that is limited.
    package var budget: Atom<Money?> { atom(nil) }

    // MARK: - Products

    /// The catalogue that was read last: that of before, if it could not be read again.
    package var catalogue: Selector<Catalogue> {
        selector { [file] accessor in
            let loadable = accessor.loadable(file)
            if let catalogue = loadable.latestData { return catalogue }
            throw loadable.errors.first ?? ShopError.loading
        }
    }

    /// The product of a code.
    package var product: SelectorFamily<String, Product> {
        selectorFamily { [catalogue] (code: String, accessor: StateGetter) in
            guard let product = try accessor.get(catalogue)[code: code] else { throw ShopError.unknownProduct(code) }
            return product
        }
    }

    /// The products, to be sorted and searched.
    var search: Selector<ProductSearch> {
        selector { [catalogue] accessor in ProductSearch(try accessor.get(catalogue).products) }
    }

    /// The products that are shown.
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

    /// How many pieces of a product are in the cart. Can be set.
    package var pieces: MutableSelectorFamily<String, Int> {
        selectorFamily(
            get: { [cart] (code: String, accessor: StateGetter) in try accessor.get(cart)[code: code] },
            set: { [cart] (code: String, context: MutableContext, pieces: Int) in
                context.accessor.update(cart) { $0[code: code] = pieces }
            })
    }

    /// What the pieces of a product cost. Set to an amount, it is as many pieces as that pays for.
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

    /// How many pieces are in the cart.
    package var count: Selector<Int> {
        selector { [cart] accessor in try accessor.get(cart).entries.reduce(0) { $0 + $1.pieces } }
    }

    /// The number on the sign of the cart: nothing for an empty one, and no more than one digit.
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

    /// What all of the cart costs.
    package var total: Selector<Money> {
        selector { [lines] accessor in try accessor.get(lines).reduce(.zero) { $0 + $1.cost } }
    }

    /// What is left of the budget. Set to an amount, it makes the budget such that this is left.
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
    /// The cart in a few words: `cart 9+: 45.60 of 50.00, 4.40 left`.
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
    /// The product, unless the catalogue does not have it any more.
    package let product: Product?

    /// What the pieces cost. What cannot be bought costs nothing.
    package var cost: Money { product.map { pieces * $0.price } ?? .zero }

    /// Why this cannot be bought.
    package var problem: String? {
        guard let product else { return "not in the catalogue" }
        return pieces > product.stock ? "only \(product.stock) in stock" : nil
    }
}
