// The paths from the root to a cell, found from the cell upwards, with bounded work.
//
// The primary links lead to the root, so the first path is always found. The others are tried depth first, and no path
// passes a cell twice. Without cycles every link leads to the root, so that the work is the paths that are found.
//
// With cycles a search can run into itself. From a cell where it did, the root cannot be reached as long as the path
// passes the cells that were in the way. So such a cell stays blocked until one of those is left: D. Johnson, "Finding
// all the elementary circuits of a directed graph", SIAM J. Comput. 4 (1975). Between two paths each link is then tried
// once, at most; what is tried in vain is counted besides, and the search gives up when that is too much.

/// A search for the paths to one cell. Lives for the length of a call, with the graph locked.
struct PathSearch {
    /// How many links may be tried in vain for one path.
    private static let maximumWaste = 1_024

    /// A cell on the path that is being followed.
    private struct Visit {
        let cell: Cell
        /// Where the path was before it led here.
        let mark: UpwardPath.Mark
        /// How many paths had been found before.
        let foundCount: Int
        /// The next link to try: 0 is the primary one.
        var next = 0
    }

    private let root: Cell?
    private var path = UpwardPath()
    private var visits: [Visit] = []
    /// The cells on the path, and those from which it cannot reach the root.
    private var blocked: Set<ObjectIdentifier> = []
    /// The cells that are blocked until a certain one is not.
    private var waiting: [ObjectIdentifier: [ObjectIdentifier]] = [:]
    /// How many links were tried in vain since the last path was found.
    private var wasted = 0
    private(set) var foundCount = 0

    init(to root: Cell?) { self.root = root }

    /// Looks for paths to a cell until it has found a number of them, all, or given up.
    ///
    /// - Parameters:
    ///   - count: How many to find.
    ///   - body: Gets the number of each path, from 1, and a function that returns the path.
    mutating func findPaths(to cell: Cell, upTo count: Int, _ body: (Int, () -> DeepPath) -> Void) {
        var isProperty = false
        follow(to: cell, path.mark, isProperty, body)
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

    /// Leaves a cell of which all links have been tried.
    private mutating func leave(_ visit: Visit) {
        path.return(to: visit.mark)
        let cell = ObjectIdentifier(visit.cell)
        if foundCount > visit.foundCount {
            unblock(cell)
        } else {
            for link in visit.cell.links where link.region.cell !== root {
                waiting[ObjectIdentifier(link.region.cell), default: []].append(cell)
            }
        }
    }

    private mutating func unblock(_ cell: ObjectIdentifier) {
        blocked.remove(cell)
        guard !waiting.isEmpty else { return }
        var free = [cell]
        while let next = free.popLast() {
            for waiter in waiting.removeValue(forKey: next) ?? [] where blocked.remove(waiter) != nil {
                free.append(waiter)
            }
        }
    }
}
