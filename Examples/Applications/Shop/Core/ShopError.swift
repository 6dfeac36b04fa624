// Errors of changes, with remedies.

import Conversation

/// The reason why a change is refused.
package enum ShopError: Error, Equatable, CustomStringConvertible {
    case unknownProduct(String)
    case unknownCategory(String, known: [String])
    case notInCart(String)
    case tooMany(Product, inCart: Int)
    case tooFew(String, inCart: Int)
    case tooLittleMoney(Product)
    case loading
    case nothingTo(String)

    package var description: String {
        switch self {
        case .unknownProduct(let code): return "there is no product \(code.shortened); list shows the codes"
        case .unknownCategory(let name, let known):
            return "there is no category \"\(name.shortened)\"; the categories are \(known.joined(separator: ", "))"
        case .notInCart(let code): return "there is no \(code.shortened) in the cart; cart shows its contents"
        case .tooMany(let product, let inCart):
            if product.stock == 0 { return "\(product.code) is sold out; stock shows the products in stock" }
            let rest = inCart == 0 ? "" : ", \(inCart) in the cart"
            let free = max(0, product.stock - inCart)
            let advice = free == 0 ? "no more can be added" : "add \(free) at most"
            return "only \(product.stock) of \(product.code) in stock\(rest); \(advice)"
        case .tooFew(let code, let inCart):
            return "the cart has only \(inCart) of \(code); drop \(code) removes all"
        case .tooLittleMoney(let product):
            return "a piece of \(product.code) costs \(product.price); spend at least that"
        case .loading: return "the catalogue is being read; try again in a moment"
        case .nothingTo(let verb): return "there is nothing to \(verb)"
        }
    }
}
