// Products and carts as lines of text. Names come last, because their width is not limited.

import Conversation

extension Product {
    /// The columns of a list: code, price, stock, pieces in the cart, name.
    func columns(pieces: Int) -> String {
        let stock = self.stock == 0 ? "sold out" : "\(self.stock) left"
        let mark = pieces == 0 ? "" : "\(pieces) ×"
        return [
            code.padded(to: 7), price.description.padded(to: 7, isRight: true), stock.padded(to: 9, isRight: true),
            mark.padded(to: 4, isRight: true), name,
        ].joined(separator: " ")
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
