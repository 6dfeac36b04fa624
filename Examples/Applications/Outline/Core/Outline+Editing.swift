// The edits. Each is one transaction: undo reverts it as one, and it is shown as one change. An impossible edit throws
// before it writes anything.

import ReactiveCollections

/// The reason why an edit is impossible.
package struct EditError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The destination of a move.
enum Destination: Equatable {
    case before(ItemNumber)
    case after(ItemNumber)
    /// To the end of the items below an item.
    case into(ItemNumber)

    /// The item that the destination refers to.
    var anchor: ItemNumber {
        switch self {
        case .before(let number), .after(let number), .into(let number): number
        }
    }
}

extension Outline {
    /// Adds an item at the end of a parent's items, or of all items.
    func add(_ title: String, to parent: ItemNumber) throws(EditError) {
        let branch = try branch(at: parent)
        try Outline.checkDepth(parent.indices.count + 1)
        branch.items.append(Item(title))
    }

    /// Renames an item.
    func rename(_ number: ItemNumber, to title: String) throws(EditError) {
        try item(at: number).title = title
    }

    /// Sets whether an item and all items below it are done.
    func mark(_ number: ItemNumber, isDone: Bool) throws(EditError) {
        let item = try item(at: number)
        inTransaction { item.mark(isDone) }
    }

    /// Removes an item and all below it.
    func delete(_ number: ItemNumber) throws(EditError) {
        _ = try item(at: number)
        try branch(at: number.parent).items.remove(at: number.index)
    }

    /// Moves an item together with all items below it.
    func move(_ number: ItemNumber, _ destination: Destination) throws(EditError) {
        let item = try item(at: number)
        let anchor = destination.anchor
        let anchorItem = try self.item(at: anchor)
        guard !number.contains(anchor) else {
            throw EditError("\(number) cannot be moved next to or into itself or an item below it")
        }
        let parent: ItemNumber
        let index: Int
        switch destination {
        case .before: (parent, index) = (anchor.parent, anchor.index)
        case .after: (parent, index) = (anchor.parent, anchor.index + 1)
        case .into: (parent, index) = (anchor, anchorItem.items.count)
        }
        try Outline.checkDepth(parent.indices.count + item.height)
        // References to the two lists, which stay valid when the move changes item numbers.
        let (source, target) = (try branch(at: number.parent).items, try branch(at: parent).items)
        if source === target { return source.move(fromOffsets: [number.index], toOffset: index) }
        inTransaction {
            source.remove(at: number.index)
            target.insert(item, at: index)
        }
    }

    /// Returns the item with a number.
    ///
    /// - Throws: `EditError`, which reports the last existing item.
    func item(at number: ItemNumber) throws(EditError) -> Item {
        var items = items
        for depth in number.indices.indices {
            let index = number.indices[depth]
            guard index < items.count else {
                let parent = ItemNumber(indices: Array(number.indices[..<depth]))
                throw EditError("there is no item \(number); \(Outline.extent(of: items.count, below: parent))")
            }
            if depth == number.indices.count - 1 { return items[index] }
            items = items[index].items
        }
        preconditionFailure("internal inconsistency: the outline itself is no item")
    }

    private func branch(at number: ItemNumber) throws(EditError) -> any Branch {
        number == .top ? self : try item(at: number)
    }

    private static func extent(of count: Int, below parent: ItemNumber) -> String {
        switch (parent == .top, count) {
        case (true, 0): "the outline is empty"
        case (false, 0): "there are no items below \(parent)"
        case (true, _): "the last one is \(count)"
        case (false, _): "the last one below \(parent) is \(parent.appending(count - 1))"
        }
    }

    private static func checkDepth(_ depth: Int) throws(EditError) {
        guard depth <= ItemNumber.maximumDepth else {
            throw EditError("items can be nested at most \(ItemNumber.maximumDepth) levels deep")
        }
    }
}

extension Item {
    fileprivate func mark(_ isDone: Bool) {
        self.isDone = isDone
        for item in items { item.mark(isDone) }
    }

    /// The number of levels from this item down.
    fileprivate var height: Int { 1 + (items.map(\.height).max() ?? 0) }
}
