// The selection and the order of the shown products.

/// The filter of the shown products.
package struct ProductFilter: Hashable, Sendable {
    /// A text that the name or code must contain, in any case.
    package var text = ""
    package var category: String?
    package var maximum: Money?
    package var isInStock = false
    package var order = ProductOrder.catalogue

    package init() {}

    /// Whether a product satisfies all conditions except the text.
    func accepts(_ product: Product) -> Bool {
        (category == nil || product.category == category) && (maximum.map { product.price <= $0 } ?? true)
            && (!isInStock || product.stock > 0)
    }

    /// The filter as text, such as `tea, under 10.00`; empty if there are no conditions.
    var description: String {
        [
            text.isEmpty ? nil : "\"\(text)\"", category, maximum.map { "up to \($0)" }, isInStock ? "in stock" : nil,
            order == .catalogue ? nil : "by \(order)",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
