// What is on the screen: the lines as they were last printed, so that only those are printed again that are different now.
//
// The lines form a tree like the items. Changes say where to look:
//
//     /items/0/title               the line of 1
//     /items/0/items/2/isDone      the line of 1.3, and that of 1, which counts what is done
//     /items                       every line whose number has another item now, and the numbers that are gone
//
// An item that is where it was, and is not on the way to a change, is passed over with all below it.

import Conversation
import ReactiveCodable
import ReactiveCollections

/// The lines as they were last printed.
struct Page {
    private struct Entry {
        var item: Item
        var line = ""
        var entries: [Entry] = []
    }

    /// Where to look among the items of a list and below.
    private struct Scope {
        /// Whether items came, left or moved.
        var hasListChanged = false
        var below: [Int: Scope] = [:]

        mutating func insert(_ indices: ArraySlice<Int>, isList: Bool) {
            guard let first = indices.first else {
                if isList { hasListChanged = true }
                return
            }
            below[first, default: Scope()].insert(indices.dropFirst(), isList: isList)
        }
    }

    private var entries: [Entry] = []

    /// Creates a page that shows the outline.
    init(showing outline: Outline) {
        _ = Page.update(&entries, to: outline.items, Scope(hasListChanged: true), below: .top)
    }

    /// Brings the page up to date.
    ///
    /// - Returns: The lines that are different now, in the order of the page.
    mutating func update(to outline: Outline, after changes: DeepChanges) -> [String] {
        var scope = Scope()
        for change in changes {
            let indices = change.path.compactMap(\.intValue)
            scope.insert(indices[...], isList: change.path.last?.stringValue == "items")
        }
        return Page.update(&entries, to: outline.items, scope, below: .top)
    }

    private static func update(
        _ entries: inout [Entry], to items: ObservableArray<Item>, _ scope: Scope, below parent: ItemNumber
    ) -> [String] {
        var lines: [String] = []
        for index in scope.hasListChanged ? Array(items.indices) : scope.below.keys.sorted() {
            let item = items[index]
            var scopeBelow = scope.below[index]
            if index == entries.count {
                entries.append(Entry(item: item))
                scopeBelow = Scope(hasListChanged: true)
            } else if !entries[index].item.isSame(as: item) {
                entries[index].item = item
                scopeBelow = Scope(hasListChanged: true)
            }
            guard let scopeBelow else { continue }
            let number = parent.appending(index)
            let line = line(of: item, number)
            if line != entries[index].line {
                entries[index].line = line
                lines.append(line)
            }
            lines += update(&entries[index].entries, to: item.items, scopeBelow, below: number)
        }
        if items.count < entries.count {
            lines += (items.count..<entries.count).map { start(of: parent.appending($0)) + " gone" }
            entries.removeSubrange(items.count...)
        }
        return lines
    }

    // MARK: - Lines

    /// All lines of an outline, or of one of its items.
    static func lines(of items: ObservableArray<Item>, below parent: ItemNumber) -> [String] {
        items.enumerated().flatMap { lines(of: $1, parent.appending($0)) }
    }

    /// The line of an item, and those of all below it.
    static func lines(of item: Item, _ number: ItemNumber) -> [String] {
        [line(of: item, number)] + lines(of: item.items, below: number)
    }

    private static func line(of item: Item, _ number: ItemNumber) -> String {
        let progress = item.progress.value
        let count = progress.total > 0 ? " (\(progress.done)/\(progress.total))" : ""
        return "\(start(of: number)) [\(item.isDone ? "x" : " ")] \(item.title.onOneLine)\(count)"
    }

    private static func start(of number: ItemNumber) -> String {
        String(repeating: "  ", count: number.indices.count - 1) + number.description
    }
}
