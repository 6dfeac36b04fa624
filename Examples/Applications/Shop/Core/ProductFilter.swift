// Which products are shown.

/// Which products are shown.
package struct ProductFilter: Hashable, Sendable {
    /// What the name or the code contains, in whatever case.
    package var text = ""
    package var category: String?
    package var maximum: Money?
    package var isInStock = false

    package init() {}

    func accepts(_ product: Product) -> Bool {
        let text = text.lowercased()
        return (text.isEmpty || product.name.lowercased().contains(text) || product.code.lowercased().contains(text))
            && (category == nil || product.category == category) && (maximum.map { product.price <= $0 } ?? true)
            && (!isInStock || product.stock > 0)
    }

    /// What is asked for, such as `tea, under 10.00`, or nothing.
    var description: String {
        [
            text.isEmpty ? nil : "\"\(text)\"", category, maximum.map { "up to \($0)" }, isInStock ? "in stock" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
