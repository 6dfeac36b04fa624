// The model that a machine of a world keeps in a file, and random edits of it.

#if DEBUG
import Reactive
import ReactiveCodable
import ReactiveCollections
import SyncTestSupport

/// What a machine saves: its work, and the history of its work.
struct Desk: Codable {
    /// The name of the transaction that made this state.
    @Observable var stamp = ""
    @Observable var history: SavedHistory?
    let work: Work

    init() { work = Work() }

    /// A history, and the state of the desk that it belongs to.
    struct SavedHistory: Codable {
        let stamp: String
        let log: HistoryLog
    }
}

/// The part of a desk that can be undone.
final class Work: Codable {
    @Observable var revision = 0
    @Observable var title = ""
    /// One of the items, perhaps.
    @Observable var favourite: Item?
    @Observable var archive: [Item] = []
    let items: ObservableArray<Item>
    let prices: ObservableDictionary<String, Int>

    init() { (items, prices) = ([], [:]) }
}

/// An object, which several properties may share.
final class Item: Codable, Identifiable {
    let id: Int
    @Observable var name = ""
    @Observable var amount: Int
    @Observable var tags: [String] = []

    init(id: Int, amount: Int) {
        self.id = id
        _amount = Observable(wrappedValue: amount)
    }
}

extension Work {
    /// Makes one to three edits, which always change something.
    func editAtRandom(_ random: inout some RandomNumberGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) { editOnce(&random) }
        revision += 1
    }

    private func editOnce(_ random: inout some RandomNumberGenerator) {
        let number = Int.random(in: 0..<1_000_000, using: &random)
        let item = items.randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: title = "Title \(number) " + String(repeating: "é", count: number % 40)
        case 1, 2:
            let index = Int.random(in: 0...items.count, using: &random)
            items.insert(Item(id: number, amount: number % 100), at: index)
        case 3: if !items.isEmpty { items.remove(at: Int.random(in: 0..<items.count, using: &random)) }
        case 4: item?.amount = number % 100
        case 5: item?.name = "name \(number % 50)"
        case 6: item?.tags.append("tag \(number % 10)")
        case 7: favourite = item
        case 8: archive.append(item ?? Item(id: number, amount: 1))
        case 9: if !archive.isEmpty { archive.removeFirst() }
        case 10: prices["p\(number % 6)"] = number
        default: prices["p\(number % 6)"] = nil
        }
        if items.count > 12 { items.removeFirst(6) }
        if archive.count > 4 { archive.removeFirst(2) }
    }

    /// The sum that the observers follow, computed anew.
    var total: Int { items.reduce(0) { $0 + $1.amount } + prices.values.reduce(0, +) }
}
#endif
