// What the shop sells.

/// A product.
package struct Product: Hashable, Sendable {
    /// What it is called in commands and in the cart, in capitals: `TEA-01`.
    package let code: String
    package let name: String
    package let category: String
    package let price: Money
    /// How many pieces there are.
    package let stock: Int

    package init(code: String, name: String, category: String, price: Money, stock: Int) {
        self.code = code
        self.name = name
        self.category = category
        self.price = price
        self.stock = stock
    }
}

/// The products of a file, in its order, and what is wrong with the rest of its rows.
package struct Catalogue: Hashable, Sendable {
    package private(set) var products: [Product] = []
    /// A message for each row that is no product: its line, what is wrong, and how to mend it.
    package private(set) var problems: [String] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// The product of a code.
    package subscript(code code: String) -> Product? { indices[code].map { products[$0] } }

    mutating func add(_ product: Product) {
        indices[product.code] = products.count
        products.append(product)
    }

    mutating func report(_ problem: String) { problems.append(problem) }
}
