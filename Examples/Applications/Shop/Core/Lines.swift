// Products and carts as lines of text. Names come last, because their width is not limited.

import Conversation

/// The number of columns below which a list has two lines for each product.
let narrowWidth = 60

extension Product {
    /// The columns of a list before the name: code, price, stock, pieces in the cart.
    func columns(pieces: Int) -> String {
        let mark = pieces == 0 ? "" : "\(pieces) ×"
        return "\(code.padded(to: 7)) \(priceAndStock) \(mark.padded(to: 4, isRight: true))"
    }

    /// The second line of a product in a narrow list: price, stock, pieces in the cart.
    func figures(pieces: Int) -> String { pieces == 0 ? priceAndStock : "\(priceAndStock)  \(pieces) ×" }

    /// The lines of a list: one, or two if `isNarrow`.
    func lines(pieces: Int, isNarrow: Bool) -> [String] {
        isNarrow
            ? ["\(code.padded(to: 7)) \(name)", "  \(figures(pieces: pieces))"]
            : ["\(columns(pieces: pieces)) \(name)"]
    }

    private var priceAndStock: String {
        let stock = self.stock == 0 ? "sold out" : "\(self.stock) left"
        return "\(price.description.padded(to: 7, isRight: true)) \(stock.padded(to: 9, isRight: true))"
    }
}

extension CartLine: CustomStringConvertible {
    /// The columns of a list: pieces, code, cost.
    var columns: String {
        let amount = "\(pieces) ×".padded(to: 6, isRight: true)
        let cost = product == nil ? "?" : cost.description
        return "\(amount) \(code.shortened.padded(to: 7)) \(cost.padded(to: 9, isRight: true))"
    }

    /// The line as text, such as `3 × TEA-01   19.20  Sencha`, with the problem if it cannot be bought.
    package var description: String {
        columns + (product.map { "  \($0.name)" } ?? "") + (problem.map { "  (\($0))" } ?? "")
    }
}

extension String {
    func padded(to width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return isRight ? blanks + self : self + blanks
    }
}
