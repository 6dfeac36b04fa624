// Which products are shown, and in which order.

/// Which products are shown.
package struct ProductFilter: Hashable, Sendable {
    /// What the name or the code contains, in whatever case.
    package var text = ""
    package var category: String?
    package var maximum: Money?
    package var isInStock = false
    package var order = ProductOrder.catalogue

    package init() {}

    /// Whether a product is shown if it contains the text.
    func accepts(_ product: Product) -> Bool {
        (category == nil || product.category == category) && (maximum.map { product.price <= $0 } ?? true)
            && (!isInStock || product.stock > 0)
    }

    /// What is asked for, such as `tea, under 10.00`, or nothing.
    var description: String {
        [
            text.isEmpty ? nil : "\"\(text)\"", category, maximum.map { "up to \($0)" }, isInStock ? "in stock" : nil,
            order == .catalogue ? nil : "by \(order)",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
