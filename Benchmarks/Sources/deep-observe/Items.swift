// The graph of most tables: a plain array of structs with two observable fields each.

import Reactive

struct Item: Codable {
    @Observable var title: String
    @Observable var isDone: Bool

    init(_ number: Int) {
        _title = Observable(wrappedValue: "Item \(number)")
        _isDone = Observable(wrappedValue: number % 3 == 0)
    }
}

struct ItemList: Codable {
    @Observable var items: [Item]

    init(_ count: Int) { items = (0..<count).map(Item.init) }
}

/// The same element without observables.
struct PlainItem: Codable {
    var title: String
    var isDone: Bool
}

struct PlainList: Codable {
    var items: [PlainItem]

    init(_ list: ItemList) { items = list.items.map { PlainItem(title: $0.title, isDone: $0.isDone) } }
}

/// Returns an index that is spread over an array.
func index(_ number: Int, _ count: Int) -> Int { (number &* 7_919 &+ 13) % count }
