// The content of one entry: the observables that changed, left or entered, their values, and their paths in the encoded
// root.
//
// The values suffice to undo and redo. Only the log needs the paths. They are recorded with the entry because the links
// to an observable change later. Paths are missing if there are too many, or if changes that are not recorded have
// moved something; then the log compares whole documents.

import Reactive

/// The changes of one entry. Used under the graph's lock, untracked.
struct RecordedTransaction {
    private(set) var changes: [RecordedChange] = []
    /// All paths to each change, with the number of the change; `nil` if they are not known.
    private(set) var paths: [(change: Int, path: DeepPath)]?
    /// The patch of an entry that comes from a log.
    private(set) var patch: JSONPatch?

    /// Whether there are no changes.
    var isEmpty: Bool { changes.isEmpty }

    /// Creates an entry from the changes of one update.
    init(_ record: ChangeRecord, withPaths: Bool = true) {
        var known: Set<Identity> = []
        var numbers: [Int: Int] = [:]
        for (index, entry) in record.entries.enumerated() {
            let hasLeft = entry.cell.hasEnded
            guard let old = entry.oldState,
                let change = RecordedChange.between(old, entry.cell.state, isWhole: hasLeft)
            else { continue }
            known.insert(change.identity)
            numbers[index] = changes.count
            changes.append(change)
        }
        addDirectReads(of: record, &known)
        guard !changes.isEmpty else { return }
        for cell in record.arrived {
            if cell.hasEnded {
                known.insert(cell.identity)
            } else if let change = RecordedChange.between(nil, cell.state), known.insert(change.identity).inserted {
                changes.append(change)
            }
        }
        for cell in record.departed.values {
            if let change = RecordedChange.between(cell.state, nil), known.insert(change.identity).inserted {
                changes.append(change)
            }
        }
        // No test sees this always hold: it only saves a search for paths, which are not used.
        if withPaths { findPaths(in: record, numbers) }
    }

    /// Adds the changes of observables that an `encode(to:)` reads itself.
    private mutating func addDirectReads(of record: ChangeRecord, _ known: inout Set<Identity>) {
        let reads = record.directReads
        for identity in reads.order where !known.contains(identity) {
            let before = reads.before[identity]
            let after = reads.after[identity]
            // What is also encoded neither entered nor left.
            if before == nil || after == nil, record.observer.cells[identity] != nil { continue }
            // No test sees this never hold: it only saves the comparison of a value with itself.
            if before?.version == after?.version { continue }
            guard let change = RecordedChange.between(before?.saved, after?.saved) else { continue }
            known.insert(identity)
            changes.append(change)
        }
        if !changes.contains(where: { $0.kind == .changed }) { changes = [] }
    }

    /// Creates the entry of a patch that has just been applied or reverted.
    ///
    /// - Parameters:
    ///   - patch: The patch from the state before the entry to the state after it.
    ///   - record: The changes.
    ///   - isUndone: Whether the record leads from the state after the entry to the state before it.
    init(_ patch: JSONPatch, _ record: ChangeRecord, isUndone: Bool) {
        // No test sees this: it only saves a search for paths, which are not used.
        self.init(record, withPaths: false)
        if isUndone { for change in changes { change.invert() } }
        self.patch = patch
    }

    /// The estimated memory of the entry.
    var byteCount: Int { changes.reduce(0) { $0 + $1.byteCount } }

    // MARK: - Undoing and redoing

    /// Writes the old values. In a transaction.
    func undo() { for change in changes.reversed() { change.undo() } }

    /// Writes the new values. In a transaction.
    func redo() { for change in changes { change.redo() } }

    /// Keeps the values of observables that left because of an undo or a redo.
    func keepDeparted(_ record: ChangeRecord) {
        for change in changes where change.kind != .changed {
            let identity = change.identity
            let departing = record.departed[identity]?.state ?? record.directReads.before[identity]?.saved
            if let departing { change.keep(departing) }
        }
    }

    // MARK: - Merging

    /// Merges the next changes if they are of the same observables, are not of collections, and nothing left or
    /// entered.
    ///
    /// - Returns: Whether they were merged.
    mutating func merge(_ next: RecordedTransaction) -> Bool {
        guard changes.count == next.changes.count, changes.allSatisfy(\.isMergeable),
            next.changes.allSatisfy(\.isMergeable)
        else { return false }
        var pairs: [(RecordedChange, RecordedChange)] = []
        // No test sees this never hold: it only saves a dictionary.
        if changes.count == 1 {
            pairs = [(changes[0], next.changes[0])]
        } else {
            let later = Dictionary(next.changes.map { ($0.identity, $0) }) { first, _ in first }
            for change in changes {
                guard let later = later[change.identity] else { return false }
                pairs.append((change, later))
            }
        }
        guard pairs.allSatisfy({ $0.identity == $1.identity }) else { return false }
        for (change, later) in pairs { change.merge(later) }
        return true
    }

    /// Whether all old values equal the new ones.
    var changesNothing: Bool { changes.allSatisfy(\.changesNothing) }

    // MARK: - Changes that are not recorded

    /// Discards the paths, because something has moved.
    mutating func forgetPaths() {
        paths = nil
        patch = nil
    }

    /// Whether something may have moved in the encoded root: elements or whole objects.
    var movesSomething: Bool { changes.contains { !$0.isLeaf } }
}

// MARK: - Paths

extension RecordedTransaction {
    /// The maximum number of observables on the path to a change. Parsers accept no documents that are nested deeper.
    private static let depthLimit = 512

    /// Searches the paths to the changes.
    ///
    /// - Parameter numbers: The numbers of the changes, by the indices of the record's entries.
    private mutating func findPaths(in record: ChangeRecord, _ numbers: [Int: Int]) {
        // Observables that an `encode(to:)` reads itself have no paths of their own, but with them no log uses paths.
        // No test sees this always hold: deeper paths would be found too, but in more time for each write.
        guard !numbers.keys.contains(where: { record.entries[$0].cell.isDeep(Self.depthLimit) })
        else { return }
        let found = record.resolve()
        if record.omitsPaths { return }
        paths = found.compactMap { entry, path in numbers[entry].map { ($0, path) } }
    }
}

extension Cell {
    /// Whether there are more cells above this one than `limit`.
    fileprivate func isDeep(_ limit: Int) -> Bool {
        var cell = self
        for _ in 0..<limit {
            // No test sees this never hold: deeper paths would be found, too.
            guard let link = cell.primary else { return false }
            cell = link.region.cell
        }
        // No test sees this: deeper paths would be found, too.
        return true
    }
}
