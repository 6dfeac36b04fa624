// Recording, undo and redo; writing a patch into the graph.

import CLimit
import Reactive
import ReactiveCodable

/// The table `steps`.
enum Steps {
    static func print(_ sizes: [Int]) {
        var table = ScalingTable(sizes)
        for size in sizes {
            leaf(size, &table)
            element(size, &table)
            memory(size, &table)
            patches(size, &table)
        }
        table.print("steps")
    }

    /// One write to a field.
    private static func leaf(_ size: Int, _ table: inout ScalingTable) {
        let list = ItemList(size)
        let items = list.items
        table.measure("write a field, nobody observes", size) { items[index($0, size)].title = "\($0)" }
        let history = History(list, limit: HistoryLimit(entries: 10_000))
        table.measure("write a field, `History` records", size) { items[index($0, size)].title = "recorded \($0)" }
        steps("of a field", history, size, &table)
        history.end()
    }

    /// One insertion.
    private static func element(_ size: Int, _ table: inout ScalingTable) {
        guard table.isBearable("insert an element, `History` records") else { return }
        let list = ItemList(size)
        let history = History(list, limit: HistoryLimit(entries: 10_000))
        table.measure("insert an element, `History` records", size, repetitions: max(1, min(50, 20_000 / size))) {
            list.items.insert(Item($0), at: index($0, list.items.count))
        }
        steps("of an insertion", history, size, &table)
        history.end()
    }

    /// Undo and redo in turn.
    private static func steps(_ what: String, _ history: History<ItemList>, _ size: Int, _ table: inout ScalingTable) {
        guard table.isBearable("undo \(what)"), history.canUndo else { return }
        var undo: [Double] = []
        var redo: [Double] = []
        var total = 0.0
        while undo.count < 3 || undo.count < 7 && total < 5_000 {
            let count = min(history.undoCount, total == 0 ? 1 : max(1, min(200, Int(2 / (undo.min() ?? 1)))))
            let start = measure_now()
            for _ in 0..<count { try! history.undo() }
            let middle = measure_now()
            for _ in 0..<count { try! history.redo() }
            let end = measure_now()
            undo.append((middle - start) / Double(count))
            redo.append((end - middle) / Double(count))
            total += end - start
        }
        table.set("undo \(what)", size, Samples(undo))
        table.set("redo \(what)", size, Samples(redo))
    }

    /// The memory of an entry in the history.
    private static func memory(_ size: Int, _ table: inout ScalingTable) {
        let row = "bytes kept for an insertion"
        guard table.isBearable("insert an element, `History` records") else { return table.set(row, size, "–") }
        let list = ItemList(size)
        let history = History(list)
        let count = size > 100_000 ? 3 : 20
        func insert(_ number: Int) { list.items.insert(Item(number), at: index(number, list.items.count)) }
        insert(0)
        let before = measure_heap()
        for number in 1...count { insert(number) }
        table.set(row, size, "\((measure_heap() - before) / Int64(count))")
        history.end()
    }

    /// A patch for one field.
    private static func patches(_ size: Int, _ table: inout ScalingTable) {
        func patch(_ number: Int) -> JSONPatch {
            [.replace(path: field(index(abs(number), size)), value: .string("\(number)"))]
        }
        let first = "`apply` to a field, first"
        if table.isBearable(first) {
            // A different graph each time.
            let samples = (0..<(size > 10_000 ? 3 : 7)).map { number in
                let list = ItemList(size)
                let patch = patch(number)
                let start = measure_now()
                try! apply(patch, to: list)
                return measure_now() - start
            }
            table.set(first, size, Samples(samples))
        } else {
            table.set(first, size, "–")
        }
        let list = ItemList(size)
        table.measure("`apply` to a field, then", size) { try! apply(patch($0), to: list) }
        let reaction = deepObserve(list) {}
        table.measure("`apply` to a field, observed by `deepObserve`", size) { try! apply(patch(-$0), to: list) }
        reaction.cancel()
        let inserted = try! JSONValue(encoding: Item(0))
        table.measure("`apply` of an insertion and of a removal", size) { number in
            let path = element(index(number, size))
            try! apply([number % 2 == 0 ? .add(path: path, value: inserted) : .remove(path: path)], to: list)
        }
    }

    private static func element(_ index: Int) -> JSONPointer { JSONPointer.root.appending("items").appending(index) }

    private static func field(_ index: Int) -> JSONPointer { element(index).appending("title") }
}
