// The result of one update of a deep observation: the cells that changed, with their old values, and the cells that
// left.

import Reactive

final class ChangeRecord {
    struct Entry {
        let cell: Cell
        let old: SavedValue?
        /// The old value of an observable, if values are to be written back.
        let oldState: SavedState?
    }

    let observer: DeepObserver
    let root: Cell?
    private(set) var entries: [Entry] = []
    /// The cells that left, by identity. They keep their values.
    var departed: [Identity: Cell] = [:]
    /// The cells that entered, if values are to be written back. Some may have left again.
    var arrived: [Cell] = []
    /// The changes of observables that an `encode(to:)` reads itself, if values are to be written back.
    var directReads = DirectReads.Changes()
    /// The differences of dictionaries and collections that the walk found; `nil` for one that does not lead from the
    /// old value to the new one.
    private var differences: [Identity: Any?] = [:]
    /// The record of the next update, if one happened while this record was retained. Swift releases a chain of such
    /// references without recursion.
    var next: ChangeRecord?
    private var entryIndices: [Identity: Int]?
    /// The paths to the changed cells, if they were requested.
    private var paths: [(entry: Int, path: DeepPath)]?
    /// The number of further paths, if it was requested.
    private var omittedCount: Int?
    /// Whether there are further paths.
    private var hasOmitted = false

    init(of observer: DeepObserver) {
        self.observer = observer
        root = observer.root
    }

    /// Records that a cell is about to change.
    func add(_ cell: Cell) {
        guard index(of: cell.identity) == nil else { return }
        entryIndices?[cell.identity] = entries.count
        // No test sees this never hold: it only saves values that are not asked for.
        let oldState = observer.directReads == nil ? nil : cell.state
        entries.append(Entry(cell: cell, old: cell.saved, oldState: oldState))
    }

    /// Records the difference of a dictionary or a collection that a walk found, so that it need not be compared again.
    ///
    /// - Parameter difference: The `KeyDifference` or `RowDifference`.
    func note(difference: Any, of cell: Cell) {
        // No test sees this never hold: without a difference, the values are compared.
        guard differences[cell.identity] == nil else {
            // After a second walk, neither difference is that between the old and the new value.
            differences[cell.identity] = .some(nil)
            return
        }
        // No test sees this left out: as above.
        differences[cell.identity] = difference
    }

    /// Returns the `KeyDifference` or `RowDifference` of the old and the new value, if it is known.
    func difference(of cell: Cell) -> Any? { differences[cell.identity] ?? nil }

    private func index(of identity: Identity) -> Int? {
        // No test sees this: it only saves time.
        if entries.count <= 8 { return entries.firstIndex { $0.cell.identity == identity } }
        let indices =
            entryIndices ?? Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.cell.identity, $0) })
        // No test sees this: it only saves creating them again.
        entryIndices = indices
        return indices[identity]
    }

    /// Returns the old value of an observable or object in this record.
    func saved(of identity: Identity) -> SavedValue? {
        if let index = index(of: identity) { return entries[index].old }
        return departed[identity]?.saved
    }

    // MARK: - Paths

    /// The maximum number of omitted paths that are counted.
    static let maximumOmittedCount = 64

    /// Returns the paths to all changed cells that are still in the graph, in the order of the changes. There are at
    /// most as many paths to each as the observer's limit.
    ///
    /// The paths are found while the graph's links are as the update left them: when they are requested during the
    /// delivery, or after the delivery if the changes are still retained.
    func resolve() -> [(entry: Int, path: DeepPath)] {
        observer.graph.withUntrackedLock {
            if let paths { return paths }
            return search(counting: 1)
        }
    }

    /// Searches the paths, and counts some of the paths beyond the limit.
    @discardableResult
    private func search(counting count: Int) -> [(entry: Int, path: DeepPath)] {
        let limit = observer.pathLimit
        var found: [(entry: Int, path: DeepPath)] = []
        var omitted = 0
        // No test sees this always hold: a cell that has ended has no links.
        for (index, entry) in entries.enumerated() where !entry.cell.hasEnded {
            var search = PathSearch(to: root)
            search.findPaths(to: entry.cell, upTo: limit + max(0, count - omitted)) { number, path in
                if number <= limit { found.append((index, path())) }
            }
            omitted += max(0, search.foundCount - limit)
        }
        // No test sees this always hold: the links have not changed since the first search.
        if paths == nil { paths = found }
        hasOmitted = omitted > 0
        // No test sees this never hold: without omitted paths, it only saves a second search.
        if count == ChangeRecord.maximumOmittedCount || omitted == 0 { omittedCount = omitted }
        return found
    }

    /// Whether a change has more paths than the observer's limit.
    var omitsPaths: Bool {
        observer.graph.withUntrackedLock {
            _ = resolve()
            return hasOmitted
        }
    }

    /// Returns the number of paths beyond the limit, at most `maximumOmittedCount`.
    func countOmittedPaths() -> Int {
        observer.graph.withUntrackedLock {
            if omittedCount == nil { search(counting: ChangeRecord.maximumOmittedCount) }
            return omittedCount ?? 0
        }
    }

    /// Computes everything that must be computed before the graph's links change again.
    func keep() { _ = countOmittedPaths() }
}
