// What is on the screen: the lines as they were last printed, so that only those are printed again that are different now.
//
// The lines form a tree like the items. The patch of a change says where to look:
//
//     replace /items/0/title               the line of 1
//     replace /items/0/items/2/isDone      the line of 1.3, and that of 1, which counts what is done
//     add, remove /items/4                 every line from 5 on, since its number has another item now
//     move /items/4 to /items/1            the lines from 2 to 5
//     replace /items/0/items               all lines below 1, because most of its items are others now
//
// These are looked at with all below them. Everything else is passed over.

import Conversation
import ReactiveCodable
import ReactiveCollections

/// The lines as they were last printed.
struct Page {
    private struct Entry {
        var line = ""
        var entries: [Entry] = []
    }

    /// Where to look among the items of a list and below.
    private struct Scope {
        /// The indices that may have other items now. There, all is looked at.
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

        /// The indices to look at in a list of so many items, in order.
        func indices(upTo count: Int) -> [Int] {
            let changed = changed.clamped(to: 0..<count)
            return changed.count == count ? Array(changed) : Set(below.keys).union(changed).sorted()
        }
    }

    private var entries: [Entry] = []

    /// Creates a page that shows the outline.
    init(showing outline: Outline) {
        _ = Page.update(&entries, to: outline.items, .all, below: .top)
    }

    /// Brings the page up to date.
    ///
    /// - Returns: The lines that are different now, in the order of the page.
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

extension JSONPointer {
    /// The indices of the items that it leads through.
    fileprivate var indices: [Int] { tokens.compactMap { Int($0) } }
}
