// The products of the shop.

/// A product.
package struct Product: Hashable, Sendable {
    /// The code in commands and in the cart, in capitals: `TEA-01`.
    package let code: String
    package let name: String
    package let category: String
    package let price: Money
    /// The number of pieces in stock.
    package let stock: Int

    package init(code: String, name: String, category: String, price: Money, stock: Int) {
        self.code = code
        self.name = name
        self.category = category
        self.price = price
        self.stock = stock
    }
}

/// The products of a file in its order, and the problems of its invalid rows.
package struct Catalogue: Hashable, Sendable {
    package private(set) var products: [Product] = []
    /// A message for each invalid row: its line, the error and the remedy.
    package private(set) var problems: [String] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// The product with a code.
    package subscript(code code: String) -> Product? { indices[code].map { products[$0] } }

    mutating func add(_ product: Product) {
        indices[product.code] = products.count
        products.append(product)
    }

    mutating func report(_ problem: String) { problems.append(problem) }
}
