// What holds for collections and views whenever no change is in progress, as code. Only in debug builds, for tests.
//
// The check of the graph asks each node that it reaches; see Graph/Invariants.swift. It runs no user code, so hashes
// and ids are not computed again, except for keys whose hash is not written by users.

#if DEBUG
import Reactive

extension KeyedTable {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        var broken = numbers.brokenInvariants + occupied.brokenInvariants + (index?.brokenInvariants ?? [])
        let inUse = numbers.inUse
        if inUse.count != count { broken.append("A table has \(inUse.count) rows, and a count of \(count).") }
        if (index?.count ?? 0) != count { broken.append("A table's index has a different count.") }
        let isPlain = _isPOD(Key.self) || Key.self == String.self
        for row in 0..<entries.count {
            let isUsed = inUse.contains(Row(row))
            let entry = entries[row]
            if (entry != nil) != isUsed { broken.append("Row \(row) has an entry and is free, or vice versa.") }
            if occupied.contains(Row(row)) != isUsed { broken.append("Row \(row) is occupied and free, or neither.") }
            guard let entry, isPlain else { continue }
            if find(entry.key, hash: Self.hash(of: entry.key)) != Row(row) {
                broken.append("The index leads from the key of row \(row) to a different row.")
            }
        }
        guard let order else { return broken }
        broken += order.rows.brokenInvariants
        let isComplete = order.rows.count == count && inUse.allSatisfy { order.rows.contains($0) }
        if !isComplete { broken.append("The order of encoding has different rows than the table.") }
        return broken
    }
}

extension KeyNodes {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        var broken = (index?.brokenInvariants ?? []) + numbers.brokenInvariants
        var found = 0
        for (number, node) in nodes.enumerated() {
            guard let node else { continue }
            found += 1
            let its = node._withUnsafeGuaranteedRef { $0.number }
            if its != Row(number) { broken.append("The node of a key has a wrong number.") }
        }
        if found != count { broken.append("There are \(found) nodes of keys, and a count of \(count).") }
        if (index?.count ?? 0) != count { broken.append("The index of the nodes has a different count.") }
        return broken
    }
}

extension RowLog {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        var broken: [String] = []
        if resetTime > end || reorderTime > end { broken.append("A log of rows has a time in the future.") }
        let last = end - stampOffset
        stamps.forEach { stamp in
            if max(stamp.element, stamp.renewal, stamp.move) >= max(last, 1) {
                broken.append("A row has a stamp in the future.")
            }
        }
        return broken
    }
}

extension ObservableArray {
    /// A sentence for each broken invariant of the contents. Under the lock. Complexity: O(N).
    func brokenInvariantsOfContents() -> [String] {
        var broken = state.elements.brokenInvariants + stageLog.log.brokenInvariants
        broken += (state.index?.brokenInvariants ?? []) + (ids?.brokenInvariants ?? [])
        if let index = state.index, !state.hasDuplicates, index.count != state.elements.count {
            broken.append("The index of ids has \(index.count) of \(state.elements.count) elements.")
        }
        guard hasRows else { return broken }
        broken += ordering.rows.brokenInvariants + state.numbers.brokenInvariants
        let inUse = state.numbers.inUse
        if ordering.rows.count != state.elements.count || inUse.count != state.elements.count {
            broken.append("There are \(ordering.rows.count) rows for \(state.elements.count) elements.")
        }
        if !inUse.allSatisfy({ ordering.rows.contains($0) }) { broken.append("A row in use is not in the order.") }
        return broken
    }
}

extension _KeyedSource {
    /// A sentence for each broken invariant of the contents. Under the lock. Complexity: O(N).
    func brokenInvariantsOfContents() -> [String] {
        var broken = table.brokenInvariants + keyNodes.brokenInvariants + stageLog.log.brokenInvariants
        if lookups != 0 || isModified { broken.append("A look-up or a mutation is in progress.") }
        return broken
    }
}

extension AnyView {
    /// A sentence for each broken invariant of the state that all views have. Under the lock. Complexity: O(N).
    func brokenInvariantsOfState() -> [String] {
        var broken = (own?.rows.brokenInvariants ?? []) + log.log.brokenInvariants
        for row in 0..<parts.count {
            guard let part = parts[row] else { continue }
            if part.row != Row(row) { broken.append("The part of row \(row) belongs to row \(part.row).") }
        }
        return broken
    }
}
#endif
