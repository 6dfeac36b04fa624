// Finding products while somebody types, in a catalogue of 100,000.
//
//     products ──▶ sorted ──▶ contains "t" ──▶ contains "te" ──▶ contains "tea"
//
// Each is a view of ReactiveCollections. A typed letter adds a view of the one before, which has few products already. A
// letter taken back shows that one again, as it was. Sorting happens once for each order.

import Foundation
import ReactiveCollections

/// The order in which products are shown.
package enum ProductOrder: String, CaseIterable, Sendable {
    case catalogue, name, price, stock

    /// The order that follows when they are shown in turn.
    var next: ProductOrder {
        switch self {
        case .catalogue: .name
        case .name: .price
        case .price: .stock
        case .stock: .catalogue
        }
    }
}

/// The products of a catalogue, to be sorted and searched.
final class ProductSearch: @unchecked Sendable {
    // Sendable because only selectors use it, which run with the graph locked.

    private struct Entry {
        let product: Product
        /// The code and the name.
        let text: SearchText
        /// The name, to sort by.
        let name: String
    }

    private let all: LiveArray<Entry>
    private var order = ProductOrder.catalogue
    private var sorted: LiveArray<Entry>
    /// The searches, each in what the one before it has found.
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

/// A text in which letter case does not count, as bytes: these are found several times faster than characters.
struct SearchText: Equatable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.lowercased().precomposedStringWithCanonicalMapping.utf8) }

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether another text is a part of this one.
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
