// The state of the oracle's programs: collections and observables, and the same as plain values.

import Reactive
import ReactiveCollections
import TestSupport

/// An element. The closures of operators read the observable with the number `flag`, if there is one.
struct ProgramItem: Hashable, Sendable {
    var id: Int
    var value: Int
    var flag: Int?

    /// The id of the element of a source that this one was derived from.
    var root: Int { id % 100_000 }
}

/// The state as plain values.
struct PlainState: Equatable {
    var items: [ProgramItem] = []
    var others: [ProgramItem] = []
    var byKey: [Int: ProgramItem] = [:]
    var numbers: Set<Int> = []
    var flags = [Int](repeating: 0, count: 4)
    var start = 0
    var length = 3

    func key(_ item: ProgramItem) -> Int { item.value + (item.flag.map { flags[$0] } ?? 0) }
}

/// The state as collections and observables.
final class LiveState: Sendable {
    let items = ObservableArray<ProgramItem>([], named: "items")
    let others = ObservableArray<ProgramItem>([], named: "others")
    let byKey = ObservableDictionary<Int, ProgramItem>(named: "byKey")
    let numbers = ObservableSet<Int>(named: "numbers")
    let flags = (0..<4).map { Observable(0, named: "flag \($0)") }
    let start = Observable(0, named: "start")
    let length = Observable(3, named: "length")

    func key(_ item: ProgramItem) -> Int { item.value + (item.flag.map { flags[$0].value } ?? 0) }

    /// The state as plain values, read from the collections.
    var plain: PlainState {
        PlainState(
            items: items.elements, others: others.elements,
            byKey: Dictionary(uniqueKeysWithValues: byKey.map { ($0.key, $0.value) }), numbers: Set(numbers),
            flags: flags.map(\.value), start: start.value, length: length.value)
    }
}

/// Makes random edits of both states.
struct Editor {
    var random: SplitMix64
    var plain = PlainState()
    private var nextID = 0
    /// The ids of elements that were written since the last step, and the descriptions of the edits.
    var written: Set<Int> = []
    var history: [String] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Sets the first id of new elements.
    mutating func startIDs(at id: Int) { nextID = id }

    mutating func item() -> ProgramItem {
        nextID += 1
        return ProgramItem(id: nextID, value: random.below(12), flag: random.oneIn(3) ? random.below(4) : nil)
    }

    /// One edit of one collection or observable.
    mutating func edit(_ live: LiveState) {
        let choice = random.below(20)
        switch choice {
        case 0..<10: edit(live.items, \.items)
        case 10, 11: edit(live.others, \.others)
        case 12, 13: editDictionary(live.byKey)
        case 14:
            let number = random.below(10)
            written.insert(50_000 + number)
            if random.oneIn(2) {
                live.numbers.insert(number)
                plain.numbers.insert(number)
            } else {
                live.numbers.remove(number)
                plain.numbers.remove(number)
            }
            history.append("number \(number)")
        case 15...17:
            let (flag, value) = (random.below(4), random.below(4))
            live.flags[flag].value = value
            plain.flags[flag] = value
            history.append("flag \(flag) = \(value)")
        case 18:
            let start = random.below(6)
            live.start.value = start
            plain.start = start
            history.append("start = \(start)")
        default:
            let length = random.below(6)
            live.length.value = length
            plain.length = length
            history.append("length = \(length)")
        }
    }

    private mutating func editDictionary(_ dictionary: ObservableDictionary<Int, ProgramItem>) {
        let key = random.below(8)
        let id = 60_000 + key
        history.append("key \(key)")
        if random.oneIn(20) {
            written.formUnion(plain.byKey.values.map(\.id))
            dictionary.removeAll()
            plain.byKey = [:]
        } else if random.oneIn(3) {
            written.insert(id)
            dictionary[key] = nil
            plain.byKey[key] = nil
        } else {
            written.insert(id)
            let item = ProgramItem(id: id, value: random.below(12), flag: random.oneIn(3) ? random.below(4) : nil)
            dictionary[key] = item
            plain.byKey[key] = item
        }
    }

    private mutating func edit(
        _ array: ObservableArray<ProgramItem>, _ path: WritableKeyPath<PlainState, [ProgramItem]>
    ) {
        var model = plain[keyPath: path]
        let index = model.isEmpty ? 0 : random.below(model.count)
        let choice = random.below(18)
        switch choice {
        case 0...2:
            let (item, position) = (item(), random.below(model.count + 1))
            written.insert(item.id)
            array.insert(item, at: position)
            model.insert(item, at: position)
        case 3, 4:
            guard !model.isEmpty else { return }
            written.insert(model[index].id)
            array.remove(at: index)
            model.remove(at: index)
        case 5...7:
            guard !model.isEmpty else { return }
            var item = model[index]
            item.value = random.below(12)
            written.insert(item.id)
            array[index] = item
            model[index] = item
        case 8:
            guard !model.isEmpty else { return }
            let (old, item) = (model[index].id, item())
            written.formUnion([old, item.id])
            array[index] = item
            model[index] = item
        case 9:
            guard !model.isEmpty else { return }
            let other = random.below(model.count)
            array.swapAt(index, other)
            model.swapAt(index, other)
        case 10:
            guard !model.isEmpty else { return }
            let other = random.below(model.count)
            array.move(from: index, to: other)
            model.insert(model.remove(at: index), at: other)
        case 11:
            let range = index..<min(model.count, index + random.below(5))
            let items = (0..<random.below(5)).map { _ in item() }
            written.formUnion(items.map(\.id))
            written.formUnion(model[range].map(\.id))
            array.replaceSubrange(range, with: items)
            model.replaceSubrange(range, with: items)
        case 12:
            let value = random.below(12)
            written.formUnion(model.filter { $0.value == value }.map(\.id))
            array.removeAll { $0.value == value }
            model.removeAll { $0.value == value }
        case 13:
            array.sort { $0.value < $1.value }
            model.sort { $0.value < $1.value }
        case 14:
            array.reverse()
            model.reverse()
        case 15:
            guard random.oneIn(6) else { return }
            written.formUnion(model.map(\.id))
            array.removeAll()
            model.removeAll()
        case 16:
            guard random.oneIn(3) else { return }
            let items = (0..<random.below(200)).map { _ in item() }
            written.formUnion(items.map(\.id))
            array += items
            model += items
        default:
            guard !model.isEmpty else { return }
            // Many entries for few rows: the log overflows.
            var item = model[index]
            written.insert(item.id)
            inTransaction {
                for value in 0..<100 {
                    item.value = value % 12
                    array[index] = item
                }
            }
            model[index] = item
        }
        history.append("array edit \(choice) at \(index) of \(plain[keyPath: path].count)")
        plain[keyPath: path] = model
    }

    /// Restores the earlier state with writes instead of a roll-back.
    mutating func undo(_ live: LiveState, to before: PlainState) {
        history.append("undo")
        for state in [plain, before] {
            written.formUnion((state.items + state.others + state.byKey.values).map(\.id))
        }
        written.formUnion(plain.numbers.union(before.numbers).map { 50_000 + $0 })
        live.items.replaceSubrange(0..<live.items.count, with: before.items)
        live.others.replaceSubrange(0..<live.others.count, with: before.others)
        for key in 0..<8 { live.byKey[key] = before.byKey[key] }
        for number in 0..<10 {
            if before.numbers.contains(number) { live.numbers.insert(number) } else { live.numbers.remove(number) }
        }
        for (flag, value) in zip(live.flags, before.flags) { flag.value = value }
        live.start.value = before.start
        live.length.value = before.length
        plain = before
    }
}
