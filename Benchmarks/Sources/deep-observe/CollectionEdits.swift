// One edit of an observable collection, and the same edit of a plain array: observed, as a patch, recorded, undone,
// applied and journalled. For collections, the cost must not depend on the number of elements.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections

struct RowList: Codable {
    private(set) var items: ObservableArray<Item>

    init(_ count: Int) { items = ObservableArray((0..<count).map(Item.init)) }
}

struct RowTable: Codable {
    private(set) var items: ObservableDictionary<String, Item>

    init(_ count: Int) {
        items = ObservableDictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", Item($0)) })
    }
}

/// The table `collections`.
enum CollectionEdits {
    /// A kind of graph and its edits. Each edit alternates with its inverse, so that the number of elements stays
    /// nearly the same.
    private struct Kind<Root: Codable> {
        let name: String
        let make: (Int) -> Root
        let edits: [(name: String, edit: (Root, Int) -> Void)]
        /// Returns a patch that adds an element or removes it again.
        let patch: (Int, Int) -> JSONPatch
    }

    static func print(_ sizes: [Int]) {
        var table = ScalingTable(sizes)
        for size in sizes {
            measure(array, size, &table)
            measure(dictionary, size, &table)
            measure(plain, size, &table)
        }
        table.print("collections")
    }

    private static let inserted = try! JSONValue(encoding: Item(0))

    private static var array: Kind<RowList> {
        Kind(
            name: "`ObservableArray`", make: RowList.init,
            edits: [
                (
                    "insert or remove",
                    { root, number in
                        if number % 2 == 0 {
                            root.items.insert(Item(number), at: index(number, root.items.count))
                        } else {
                            root.items.remove(at: index(number, root.items.count))
                        }
                    }
                ),
                (
                    "move",
                    { root, number in
                        let count = root.items.count
                        let target = index(number &* 31 &+ 5, count)
                        root.items.move(fromOffsets: [index(number, count)], toOffset: target)
                    }
                ),
                ("replace", { root, number in root.items[index(number, root.items.count)] = Item(number) }),
                ("write a field", { root, number in root.items[index(number, root.items.count)].title = "\(number)" }),
            ],
            patch: { number, size in
                let path = JSONPointer.root.appending("items").appending(index(number / 2, size))
                return [number % 2 == 0 ? .add(path: path, value: inserted) : .remove(path: path)]
            })
    }

    private static var dictionary: Kind<RowTable> {
        Kind(
            name: "`ObservableDictionary`", make: RowTable.init,
            edits: [
                (
                    "insert or remove",
                    { root, number in root.items["new \(number / 2)"] = number % 2 == 0 ? Item(number) : nil }
                ),
                ("replace", { root, number in root.items["\(index(number, root.items.count))"] = Item(number) }),
            ],
            patch: { number, _ in
                let path = JSONPointer.root.appending("items").appending("new")
                return [number % 2 == 0 ? .add(path: path, value: inserted) : .remove(path: path)]
            })
    }

    private static var plain: Kind<ItemList> {
        Kind(
            name: "plain array", make: ItemList.init,
            edits: [
                (
                    "insert or remove",
                    { root, number in
                        if number % 2 == 0 {
                            root.items.insert(Item(number), at: index(number, root.items.count))
                        } else {
                            root.items.remove(at: index(number, root.items.count))
                        }
                    }
                ),
                (
                    "move",
                    { root, number in
                        var items = root.items
                        items.insert(
                            items.remove(at: index(number, items.count)), at: index(number &* 31 &+ 5, items.count))
                        root.items = items
                    }
                ),
            ],
            patch: array.patch)
    }

    private static func measure<Root: Codable>(_ kind: Kind<Root>, _ size: Int, _ table: inout ScalingTable) {
        for (name, edit) in kind.edits {
            let row = "\(kind.name): \(name)"
            observe(row, size, kind.make(size), edit, &table)
            record(row, size, kind.make(size), edit, &table)
        }
        let root = kind.make(size)
        let patch = "\(kind.name): `apply` an insertion or a removal"
        table.measure(patch, size) { number in try! apply(kind.patch(number, size), to: root) }
        journal("\(kind.name): \(kind.edits[0].name), to a journal", size, kind.make(size), kind.edits[0].edit, &table)
    }

    private static func observe<Root: Codable>(
        _ row: String, _ size: Int, _ root: Root, _ edit: (Root, Int) -> Void, _ table: inout ScalingTable
    ) {
        var count = 0
        let observer = deepObserve(root) { count += 1 }
        table.measure("\(row), observed", size) { edit(root, $0) }
        observer.cancel()
        let recorder = deepObserve(root) { (changes: DeepChanges) in
            count += (try? changes.jsonPatch().operations.count) ?? 0
        }
        // Different numbers than before, so that each write is a change.
        table.measure("\(row), with its patch", size) { edit(root, $0 + 1_000_000) }
        recorder.cancel()
        precondition(count > 0)
    }

    private static func record<Root: Codable>(
        _ row: String, _ size: Int, _ root: Root, _ edit: (Root, Int) -> Void, _ table: inout ScalingTable
    ) {
        let history = History(root, limit: HistoryLimit(entries: 1_000))
        defer { history.end() }
        table.measure("\(row), `History` records", size) { edit(root, $0) }
        table.measure("\(row), undo and redo", size) { _ in
            try! history.undo()
            try! history.redo()
        }
    }

    /// Measures the processor time until the edit is in the journal.
    private static func journal<Root: Codable>(
        _ row: String, _ size: Int, _ root: Root, _ edit: (Root, Int) -> Void, _ table: inout ScalingTable
    ) {
        guard table.isBearable(row) else { return table.set(row, size, "–") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("deep-observe-\(getpid())")
        try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let autosave = autosave(root, to: folder.appendingPathComponent("items.json"), as: .journal)
        defer {
            autosave.cancel()
            try? FileManager.default.removeItem(at: folder)
        }
        try! autosave.flush()
        table.measure(row, size, repetitions: 10) { number in
            edit(root, number)
            try! autosave.flush()
        }
    }
}
