// What one update of a deep observation found: the cells that changed, with what they were before, and those that left.

import Reactive

final class ChangeRecord {
    struct Entry {
        let cell: Cell
        let old: SavedValue?
    }

    let observer: DeepObserver
    let root: Cell?
    private(set) var entries: [Entry] = []
    /// The cells that left, which keep what they were, by identity.
    var departed: [Identity: Cell] = [:]
    /// The record of the next update, if there was one while somebody held this one.
    var next: ChangeRecord?
    private var entryIndices: [Identity: Int]?
    /// The paths to the changed cells, once somebody has asked for them.
    private var paths: [(entry: Int, keys: [any CodingKey])]?

    init(of observer: DeepObserver) {
        self.observer = observer
        root = observer.root
    }

    deinit {
        // A long chain of records must not be freed by recursion.
        var rest = next
        next = nil
        while let record = rest, isKnownUniquelyReferenced(&rest) {
            rest = record.next
            record.next = nil
        }
    }

    /// Notes that a cell is about to change.
    func add(_ cell: Cell) {
        guard index(of: cell.identity) == nil else { return }
        entryIndices?[cell.identity] = entries.count
        entries.append(Entry(cell: cell, old: cell.saved))
    }

    private func index(of identity: Identity) -> Int? {
        if entries.count <= 8 { return entries.firstIndex { $0.cell.identity == identity } }
        let indices =
            entryIndices ?? Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.cell.identity, $0) })
        entryIndices = indices
        return indices[identity]
    }

    /// What something that this record mentions was before.
    func saved(of identity: Identity) -> SavedValue? {
        if let index = index(of: identity) { return entries[index].old }
        return departed[identity]?.saved
    }

    // MARK: - Paths

    /// Every path to every changed cell that is still there, in the order of the changes.
    ///
    /// Found out while the graph's links are as the update left them: when somebody asks during the delivery, or after
    /// it, if somebody has kept the changes.
    func resolve() -> [(entry: Int, keys: [any CodingKey])] {
        observer.graph.withUntrackedLock {
            if let paths { return paths }
            var found: [(entry: Int, keys: [any CodingKey])] = []
            for (index, entry) in entries.enumerated() where !entry.cell.hasEnded {
                forEachPath(to: entry.cell) { found.append((index, $0)) }
            }
            paths = found
            return found
        }
    }

    /// Goes from a cell up all links to the root, passing no cell twice on one way.
    private func forEachPath(to cell: Cell, _ body: ([any CodingKey]) -> Void) {
        struct Visit {
            let cell: Cell
            let links: [Link]
            var next = 0
            /// How many keys there were before.
            let keyCount: Int
        }
        var reversed: [any CodingKey] = []
        var visits: [Visit] = []
        var visited: Set<ObjectIdentifier> = []

        func visit(_ cell: Cell, keyCount: Int) {
            if cell === root {
                body(reversed.reversed())
            } else if visited.insert(ObjectIdentifier(cell)).inserted {
                visits.append(Visit(cell: cell, links: cell.links, keyCount: keyCount))
                return
            }
            reversed.removeSubrange(keyCount...)
        }

        visit(cell, keyCount: 0)
        while let current = visits.last {
            guard current.next < current.links.count else {
                visits.removeLast()
                visited.remove(ObjectIdentifier(current.cell))
                reversed.removeSubrange(current.keyCount...)
                continue
            }
            visits[visits.count - 1].next += 1
            let link = current.links[current.next]
            let keyCount = reversed.count
            reversed += link.position.reversedKeys
            visit(link.parent, keyCount: keyCount)
        }
    }
}
