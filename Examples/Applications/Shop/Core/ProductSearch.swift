// Incremental search in a catalogue of 100,000 products.
//
//     products ──▶ sorted ──▶ contains "t" ──▶ contains "te" ──▶ contains "tea"
//
// Each is a view of ReactiveCollections. A typed letter adds a view of the previous one, which already has few
// products. A deleted letter shows the previous view again. The products are sorted once for each order.

import Foundation
import ReactiveCollections

/// The order in which products are shown.
package enum ProductOrder: String, CaseIterable, Sendable {
    case catalogue, name, price, stock

    /// The next order in turn.
    var next: ProductOrder {
        switch self {
        case .catalogue: .name
        case .name: .price
        case .price: .stock
        case .stock: .catalogue
        }
    }
}

/// The products of a catalogue with sorted and filtered views.
final class ProductSearch: @unchecked Sendable {
    // `Sendable` because only selectors use it, and they run with the graph locked.

    private struct Entry {
        let product: Product
        /// The code and the name, for searching.
        let text: SearchText
        /// The name, for sorting.
        let name: String
    }

    private let all: LiveArray<Entry>
    private var order = ProductOrder.catalogue
    private var sorted: LiveArray<Entry>
    /// The searches; each searches the results of the previous one.
    private var searches: [(text: SearchText, found: LiveArray<Entry>)] = []

    init(_ products: [Product]) {
        all = ObservableArray(products).live.map(isolation: nil) {
            Entry(product: $0, text: SearchText("\($0.code)\n\($0.name)"), name: $0.name.lowercased())
        }
        sorted = all
    }

    /// Returns the products that a filter accepts, in its order.
    func products(_ filter: ProductFilter) -> [Product] {
        sort(by: filter.order)
        return found(SearchText(filter.text)).elements.lazy.map(\.product).filter(filter.accepts)
    }

    private func sort(by order: ProductOrder) {
        guard order != self.order else { return }
        self.order = order
        searches = []
        sorted =
            switch order {
            case .catalogue: all
            case .name: all.sorted(isolation: nil, by: { $0.name })
            case .price: all.sorted(isolation: nil, by: { $0.product.price })
            case .stock: all.sorted(isolation: nil, by: { $0.product.stock }, >)
            }
    }

    private func found(_ text: SearchText) -> LiveArray<Entry> {
        while let last = searches.last, !text.contains(last.text) { searches.removeLast() }
        let last = searches.last
        let view = last?.found ?? sorted
        if text.isEmpty || last?.text == text { return view }
        let found = view.filter(isolation: nil) { $0.text.contains(text) }
        searches.append((text, found))
        return found
    }
}

/// A text for case-insensitive search, as bytes: searching these is several times faster than searching characters.
struct SearchText: Equatable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.lowercased().precomposedStringWithCanonicalMapping.utf8) }

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether this text contains another.
    func contains(_ other: SearchText) -> Bool {
        guard let first = other.bytes.first else { return true }
        return bytes.withUnsafeBufferPointer { text in
            other.bytes.withUnsafeBufferPointer { part in
                guard text.count >= part.count else { return false }
                for start in 0...(text.count - part.count) where text[start] == first {
                    if text[start...].starts(with: part) { return true }
                }
                return false
            }
        }
    }
}
