// What one update of a deep observation found: the cells that changed, with what they were before, and those that left.

import Reactive

final class ChangeRecord {
    struct Entry {
        let cell: Cell
        let old: SavedValue?
        /// The old value of an observable, where values are written back.
        let oldState: SavedState?
    }

    let observer: DeepObserver
    let root: Cell?
    private(set) var entries: [Entry] = []
    /// The cells that left, which keep what they were, by identity.
    var departed: [Identity: Cell] = [:]
    /// The cells that came, where values are written back; some may have left again.
    var arrived: [Cell] = []
    /// What the values read that encode observables themselves, where values are written back.
    var directReads = DirectReads.Changes()
    /// What the walk found to have happened to dictionaries and collections; `nil` if it does not lead from the old value to the new.
    private var differences: [Identity: Any?] = [:]
    /// The record of the next update, if there was one while somebody held this one.
    var next: ChangeRecord?
    private var entryIndices: [Identity: Int]?
    /// The paths to the changed cells, once somebody has asked for them.
    private var paths: [(entry: Int, path: DeepPath)]?
    /// How many paths there are besides those, once somebody has asked.
    private var omittedCount: Int?
    /// Whether there are any.
    private var hasOmitted = false

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
        let oldState = observer.directReads == nil ? nil : cell.state
        entries.append(Entry(cell: cell, old: cell.saved, oldState: oldState))
    }

    /// Notes what a walk found to have happened to a dictionary or a collection, so that it need not be compared again.
    ///
    /// - Parameter difference: The `KeyDifference` or `RowDifference`; `nil` if the walk did not know the last value.
    func note(difference: Any?, of cell: Cell) {
        // After a second walk, neither difference is that of the old value and the new.
        differences[cell.identity] = .some(differences[cell.identity] == nil ? difference : nil)
    }

    /// The `KeyDifference` or `RowDifference` of the old and the new value, if it is known.
    func difference(of cell: Cell) -> Any? { differences[cell.identity] ?? nil }

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

    /// The most omitted paths that are counted.
    static let maximumOmittedCount = 64

    /// The paths to every changed cell that is still there, in the order of the changes: to each as many as the
    /// observer looks for.
    ///
    /// Found out while the graph's links are as the update left them: when somebody asks during the delivery, or after
    /// it, if somebody has kept the changes.
    func resolve() -> [(entry: Int, path: DeepPath)] {
        observer.graph.withUntrackedLock {
            if let paths { return paths }
            return search(counting: 1)
        }
    }

    /// Looks for the paths, and counts some of those besides.
    @discardableResult
    private func search(counting count: Int) -> [(entry: Int, path: DeepPath)] {
        let limit = observer.pathLimit
        var found: [(entry: Int, path: DeepPath)] = []
        var omitted = 0
        for (index, entry) in entries.enumerated() where !entry.cell.hasEnded {
            var search = PathSearch(to: root)
            search.findPaths(to: entry.cell, upTo: limit + max(0, count - omitted)) { number, path in
                if number <= limit { found.append((index, path())) }
            }
            omitted += max(0, search.foundCount - limit)
        }
        if paths == nil { paths = found }
        hasOmitted = omitted > 0
        if count == ChangeRecord.maximumOmittedCount || omitted == 0 { omittedCount = omitted }
        return found
    }

    /// Whether some change has more paths than the observer looks for.
    var omitsPaths: Bool {
        observer.graph.withUntrackedLock {
            _ = resolve()
            return hasOmitted
        }
    }

    /// How many paths the changes have besides those that were found, at most `maximumOmittedCount`.
    func countOmittedPaths() -> Int {
        observer.graph.withUntrackedLock {
            if omittedCount == nil { search(counting: ChangeRecord.maximumOmittedCount) }
            return omittedCount ?? 0
        }
    }

    /// Finds out what must be found out before the graph's links change again.
    func keep() { _ = countOmittedPaths() }
}
