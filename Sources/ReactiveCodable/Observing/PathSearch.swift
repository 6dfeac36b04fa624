// Finds the paths from the root to a cell, starting from the cell, with bounded work.
//
// The primary links lead to the root, so the first path is always found. The other links are tried depth first, and no
// path passes a cell twice. Without cycles, every link leads to the root, so the work is proportional to the paths
// found.
//
// With cycles, a search can meet a cell of its own path. A cell where this happened cannot reach the root while the
// path contains the cells that blocked it. So such a cell stays blocked until one of those is left: D. Johnson,
// "Finding all the elementary circuits of a directed graph", SIAM J. Comput. 4 (1975). Between two paths, each link is
// then tried at most once. Links tried without success are counted, and the search stops when there are too many.

/// A search for the paths to one cell. Lives for the length of a call, with the graph locked.
struct PathSearch {
    /// The maximum number of links that are tried without success for one path.
    private static let maximumWaste = 1_024

    /// A cell on the path that is being followed.
    private struct Visit {
        let cell: Cell
        /// The path before it led to this cell.
        let mark: UpwardPath.Mark
        /// The number of paths found before.
        let foundCount: Int
        /// The next link to try: 0 is the primary one.
        var next = 0
    }

    private let root: Cell?
    private var path = UpwardPath()
    private var visits: [Visit] = []
    /// The cells on the path, and those that cannot reach the root because of it.
    private var blocked: Set<ObjectIdentifier> = []
    /// The cells that are blocked until a certain cell is unblocked.
    private var waiting: [ObjectIdentifier: [ObjectIdentifier]] = [:]
    /// The number of links tried without success since the last path was found.
    private var wasted = 0
    private(set) var foundCount = 0

    init(to root: Cell?) { self.root = root }

    /// Searches for paths to a cell, until a number of paths or all paths are found, or too many links were tried.
    ///
    /// - Parameters:
    ///   - count: The number of paths to find.
    ///   - body: Receives the number of each path, from 1, and a function that returns the path.
    mutating func findPaths(to cell: Cell, upTo count: Int, _ body: (Int, () -> DeepPath) -> Void) {
        var isProperty = false
        follow(to: cell, path.mark, isProperty, body)
        // No test sees this boundary: any limit near it would do.
        while let last = visits.indices.last, foundCount < count, wasted < PathSearch.maximumWaste {
            let current = visits[last]
            guard current.next <= current.cell.others.count else {
                leave(visits.removeLast())
                continue
            }
            visits[last].next += 1
            let link = current.next == 0 ? current.cell.primary : current.cell.others[current.next - 1]
            guard let link, link.isValid else { continue }
            let parent = link.region.cell
            guard !blocked.contains(ObjectIdentifier(parent)) else {
                // No test sees this: it only limits the time of searches in large graphs with cycles.
                wasted += 1
                continue
            }
            let mark = path.mark
            if last == 0 { isProperty = link.position.leavesOutNil }
            path.append(link)
            follow(to: parent, mark, isProperty, body)
        }
    }

    private mutating func follow(
        to cell: Cell, _ mark: UpwardPath.Mark, _ isProperty: Bool, _ body: (Int, () -> DeepPath) -> Void
    ) {
        guard cell === root else {
            blocked.insert(ObjectIdentifier(cell))
            visits.append(Visit(cell: cell, mark: mark, foundCount: foundCount))
            return
        }
        foundCount += 1
        wasted = 0
        body(foundCount) { [path] in path.path(leavesOutNil: isProperty) }
        path.return(to: mark)
    }

    /// Leaves a cell after all its links were tried.
    private mutating func leave(_ visit: Visit) {
        path.return(to: visit.mark)
        let cell = ObjectIdentifier(visit.cell)
        if foundCount > visit.foundCount {
            unblock(cell)
        } else {
            // No test sees this always hold: the root is never blocked, so that nothing waits for it.
            for link in visit.cell.links where link.region.cell !== root {
                waiting[ObjectIdentifier(link.region.cell), default: []].append(cell)
            }
        }
    }

    private mutating func unblock(_ cell: ObjectIdentifier) {
        blocked.remove(cell)
        // No test sees this always hold: it only saves the search for cells that wait.
        guard !waiting.isEmpty else { return }
        var free = [cell]
        while let next = free.popLast() {
            for waiter in waiting.removeValue(forKey: next) ?? [] where blocked.remove(waiter) != nil {
                free.append(waiter)
            }
        }
    }
}
