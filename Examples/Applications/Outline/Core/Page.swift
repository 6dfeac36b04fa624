// The printed page: the lines that were last printed, so that only changed lines are printed again.
//
// The lines form a tree like the items. The patch of a change selects the lines to compare:
//
//     replace /items/0/title               the line of 1
//     replace /items/0/items/2/isDone      the line of 1.3, and that of 1, which shows its progress
//     add, remove /items/4                 all lines from 5 on, because their items have other numbers now
//     move /items/4 to /items/1            the lines from 2 to 5
//     replace /items/0/items               all lines below 1, because most of its items were replaced
//
// These lines and all lines below them are compared. All others are skipped.

import Conversation
import ReactiveCodable
import ReactiveCollections

/// The lines that were last printed.
struct Page {
    private struct Entry {
        var line = ""
        var entries: [Entry] = []
    }

    /// The lines to compare in a list of items and below it.
    private struct Scope {
        /// The indices whose items may have changed. All lines below them are compared.
        var changed = 0..<0
        var below: [Int: Scope] = [:]

        static let all = Scope(changed: 0..<Int.max)

        mutating func insert(_ operation: JSONPatch.Operation) {
            let indices = operation.path.indices
            switch (operation, operation.path.tokens.last) {
            case (.move(let from, _), _):
                let (old, new) = (from.indices[indices.count - 1], indices[indices.count - 1])
                insert(min(old, new)..<max(old, new) + 1, at: indices.dropLast())
            case (_, "items"): insert(0..<Int.max, at: indices[...])
            case (_, "title"), (_, "isDone"): insert(0..<0, at: indices[...])
            default: insert(indices[indices.count - 1]..<Int.max, at: indices.dropLast())
            }
        }

        private mutating func insert(_ range: Range<Int>, at indices: ArraySlice<Int>) {
            if let first = indices.first {
                below[first, default: Scope()].insert(range, at: indices.dropFirst())
            } else if !range.isEmpty {
                let lower = changed.isEmpty ? range.lowerBound : min(changed.lowerBound, range.lowerBound)
                changed = lower..<max(changed.upperBound, range.upperBound)
            }
        }

        /// Returns the indices to compare in a list of `count` items, in order.
        ///
        /// An operation may be inside an item that a later one moves: `replace /items/2/title, remove /items/1`. The
        /// later one covers all items that it moves, and the index may be beyond the end.
        func indices(upTo count: Int) -> [Int] {
            let changed = changed.clamped(to: 0..<count)
            if changed.count == count { return Array(changed) }
            return Set(below.keys.filter { $0 < count }).union(changed).sorted()
        }
    }

    private var entries: [Entry] = []

    /// Creates a page that shows the outline.
    init(showing outline: Outline) {
        _ = Page.update(&entries, to: outline.items, .all, below: .top)
    }

    /// Updates the page.
    ///
    /// - Returns: The changed lines, in the order of the page.
    mutating func update(to outline: Outline, after patch: JSONPatch) -> [String] {
        var scope = Scope()
        for operation in patch.operations { scope.insert(operation) }
        return Page.update(&entries, to: outline.items, scope, below: .top)
    }

    private static func update(
        _ entries: inout [Entry], to items: ObservableArray<Item>, _ scope: Scope, below parent: ItemNumber
    ) -> [String] {
        var lines: [String] = []
        for index in scope.indices(upTo: items.count) {
            let (item, number) = (items[index], parent.appending(index))
            if index == entries.count { entries.append(Entry()) }
            let line = line(of: item, number)
            if line != entries[index].line {
                entries[index].line = line
                lines.append(line)
            }
            let below = scope.changed.contains(index) ? .all : scope.below[index] ?? Scope()
            lines += update(&entries[index].entries, to: item.items, below, below: number)
        }
        if items.count < entries.count {
            lines += (items.count..<entries.count).map { start(of: parent.appending($0)) + " gone" }
            entries.removeSubrange(items.count...)
        }
        return lines
    }

    // MARK: - Lines

    /// Returns the lines of all items in a list and below.
    static func lines(of items: ObservableArray<Item>, below parent: ItemNumber) -> [String] {
        items.enumerated().flatMap { lines(of: $1, parent.appending($0)) }
    }

    /// Returns the line of an item and those of all items below it.
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

extension JSONPointer {
    /// The indices of items in the path.
    fileprivate var indices: [Int] { tokens.compactMap { Int($0) } }
}
