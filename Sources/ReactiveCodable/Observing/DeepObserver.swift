// Observes a graph with one cell for each observable, and keeps the cells in step with the graph.
//
// The first walk begins at the root and continues, one cell at a time, with the cells that it finds. After that, the
// reaction's engine reports the cells with changes (see `ReactionPart`). Each of them is walked again, and so are new
// cells. Finally, cells that are no longer reachable end.

import Reactive

/// A deep observation: its cells, and the remaining work of an update. Guarded by the graph's lock.
///
/// Exclusivity is unchecked for the reason of `Cell`.
final class DeepObserver: PartsDelegate {
    enum Effect {
        case onChange(() -> Void)
        case onChanges((ChangeRecord) -> Void)
        /// Receives the changes under the lock, when they are found: no other change can come between.
        case underLock((ChangeRecord) -> Void)
    }

    @exclusivity(unchecked) private var effect: Effect?
    /// The graph of the reaction. Records of changes access it while they are retained.
    let graph: GraphHandle
    private let makeRoot: (DeepObserver) -> Cell
    @exclusivity(unchecked) unowned(unsafe) private(set) var reaction: Reaction!
    let keepsValues: Bool
    /// The maximum number of paths to each change.
    let pathLimit: Int
    /// The observables that an `encode(to:)` reads itself, if changes are recorded to be written back.
    @exclusivity(unchecked) private(set) var directReads: DirectReads?
    let types = TypeTable<WalkedType>()
    @exclusivity(unchecked) private(set) var root: Cell?
    /// The cells of observables and of objects, by their addresses.
    @exclusivity(unchecked) private(set) var cells: [Identity: Cell] = [:]
    /// The cells that have not been walked yet.
    @exclusivity(unchecked) private var unwalked: [Cell] = []
    /// The cells that have lost a link in this update.
    @exclusivity(unchecked) var orphans: [Cell] = []
    /// The record to be delivered.
    @exclusivity(unchecked) private var pending: ChangeRecord?
    /// The last record, if it is still retained.
    @exclusivity(unchecked) private var latest: ChangeRecord?

    init(
        in graph: GraphHandle, _ makeRoot: @escaping (DeepObserver) -> Cell, _ effect: Effect, pathLimit: Int = 64,
        recordsStates: Bool = false
    ) {
        self.graph = graph
        self.pathLimit = pathLimit
        self.makeRoot = makeRoot
        self.effect = effect
        // No test sees this: to keep values that nobody asks for costs only time and memory.
        if case .onChange = effect { keepsValues = false } else { keepsValues = true }
        // No test sees this always hold: to record states that nobody asks for costs only time and memory.
        if recordsStates { directReads = DirectReads() }
    }

    // MARK: - The reaction's content

    func begin(in reaction: Reaction) {
        self.reaction = reaction
        root = add(makeRoot(self))
        finishUpdate()
    }

    func update(_ part: _ReactionPart) {
        let cell = unsafeDowncast(part, to: Cell.self)
        // No test sees this always hold: it only saves a record that nobody asks for.
        if keepsValues { (pending ?? newRecord()).add(cell) }
        // No test sees this always hold: the walks skip the cell, then.
        if !cell.skipWalk() { unwalked.append(cell) }
    }

    @discardableResult
    func finishUpdate() -> Bool {
        walkAndResolve()
        guard case .underLock(let action) = effect else { return true }
        // Not for this reaction: it would run again for what the action reads and writes.
        untracked { hand(over: action) }
        // No test sees this: `deliver` would do nothing.
        return false
    }

    func discardUpdate() {
        walkAndResolve()
        pending = nil
    }

    private func walkAndResolve() {
        // No test sees this always hold: the call then does nothing.
        if !unwalked.isEmpty { walkUnwalkedCells() }
        // No test sees this always hold: the call then does nothing.
        if !orphans.isEmpty { resolveOrphans() }
    }

    func deliver() {
        switch effect {
        case .onChange(let action): action()
        case .onChanges(let action): hand(over: action)
        case .underLock, nil: break
        }
    }

    private func hand(over action: (ChangeRecord) -> Void) {
        guard var record = pending else { return }
        pending = nil
        action(record)
        if !isKnownUniquelyReferenced(&record) {
            record.keep()
            latest = record
        }
    }

    func end() {
        // Not during an update: no cell waits for a walk, and there are no orphans.
        // Changes that are kept show these values from now on. A record that was not delivered is the last of theirs.
        // No test sees this always hold: it only saves a record.
        if pending != nil || latest != nil { (pending ?? newRecord()).departed.merge(cells) { left, _ in left } }
        pending = nil
        for cell in cells.values { cell.depart() }
        cells = [:]
        root = nil
        // Whether they have been met stays known, for the log of a history.
        // No test sees this: it only saves memory.
        directReads?.forgetAll()
        effect = nil
    }

    func forEachPart(_ body: (_ReactionPart) -> Void) { cells.values.forEach(body) }

    private func newRecord() -> ChangeRecord {
        let record = ChangeRecord(of: self)
        latest?.next = record
        latest = nil
        pending = record
        return record
    }

    // MARK: - Cells

    /// Adds a new cell.
    func add(_ cell: Cell) -> Cell {
        cells[cell.identity] = cell
        unwalked.append(cell)
        // No test sees this always hold: it only saves the list.
        if directReads != nil { pending?.arrived.append(cell) }
        return cell
    }

    /// Records the observables that a cell's `encode(to:)` reads itself, if that is needed.
    func noteDirectReads(of cell: Cell) { directReads?.note(cell, in: pending) }

    /// Records the difference of a dictionary or a collection, if changes are needed.
    func note(difference: Any, of cell: Cell) {
        // No test sees this left out: without a difference, the values are compared.
        pending?.note(difference: difference, of: cell)
    }

    private func walkUnwalkedCells() {
        EncodersOfObservables.active {
            var walk: Walk?
            while let cell = unwalked.popLast() {
                // No test sees this never hold: it only saves the walk.
                if cell.skipWalk() { continue }
                let current = walk ?? Walk(of: cell)
                walk = current
                current.run(cell)
            }
        }
    }

    /// Ends the orphans, and cells below them, that are no longer reachable from the root.
    ///
    /// An orphan becomes a suspect, unless another link leads to the root without passing a suspect. Cells whose
    /// primary link leads to a suspect become suspects as well. When a suspect is cleared, the suspects that it links
    /// to are cleared too. Suspects that also have links to cells which never became suspects are then checked again.
    private func resolveOrphans() {
        var suspects: [Cell] = []
        func suspect(_ cell: Cell) {
            // No test sees this always hold: it only saves further visits.
            guard !cell.isSuspect else { return }
            cell.isSuspect = true
            suspects.append(cell)
        }
        // A cell that has ended has no primary link.
        for cell in orphans where cell.primary?.isValid == false { suspect(cell) }
        // No test sees this left out: it only saves checking them again.
        orphans = []
        var passedOver: [Cell] = []
        // No test sees this: it only saves a round that clears nothing.
        var hasCleared = false
        func tryToClear(_ cell: Cell) -> Bool {
            guard let index = cell.others.firstIndex(where: { $0.isValid && hasPathToRoot($0.region.cell) }) else {
                return false
            }
            clear(cell, byOther: index)
            hasCleared = true
            return true
        }
        var index = 0
        while index < suspects.count {
            let cell = suspects[index]
            index += 1
            guard cell.isSuspect, !tryToClear(cell) else { continue }
            cell.region?.forEachChild { child in
                if child.primary?.region.cell === cell { suspect(child) }
            }
            // No test sees this always hold: it only saves attempts to clear it.
            if cell.others.contains(where: { $0.isValid && !$0.region.cell.isSuspect }) { passedOver.append(cell) }
        }
        while hasCleared, !passedOver.isEmpty {
            hasCleared = false
            passedOver.removeAll { !$0.isSuspect || tryToClear($0) }
        }
        for cell in suspects where cell.isSuspect {
            pending?.departed[cell.identity] = cell
            directReads?.forget(cell, in: pending)
            cells[cell.identity] = nil
            cell.depart()
        }
    }

    private func hasPathToRoot(_ cell: Cell) -> Bool {
        var cell = cell
        while !cell.isSuspect {
            guard let primary = cell.primary else { return true }
            cell = primary.region.cell
        }
        return false
    }

    private func clear(_ cell: Cell, byOther index: Int) {
        cell.makePrimary(other: index)
        cell.isSuspect = false
        var cleared = [cell]
        while let parent = cleared.popLast() {
            parent.region?.forEachChild { child in
                guard child.isSuspect else { return }
                if child.primary?.region.cell !== parent || child.primary?.isValid != true {
                    guard let index = child.others.firstIndex(where: { $0.region.cell === parent && $0.isValid }) else {
                        return
                    }
                    child.makePrimary(other: index)
                }
                child.isSuspect = false
                cleared.append(child)
            }
        }
    }

    // MARK: - Paths

    /// Returns the keys from the root to a path in a cell's region, along the primary links.
    ///
    /// - Parameter part: The part of the cell's value that contains the path, if that part has a region of its own.
    func codingPath(of cell: Cell, part: RegionPart?, _ regionPath: RegionPath?) -> [any CodingKey] {
        var path = UpwardPath()
        Position(outer: regionPath, component: .itself).append(to: &path)
        if let part { path.append(part.key) }
        var link = cell.primary
        while let current = link {
            path.append(current)
            link = current.region.cell.primary
        }
        // No test sees this: only the keys are used.
        return path.path(leavesOutNil: false).keys
    }

    func report(obstacle: String, at path: [any CodingKey]) {
        let pointer = JSONPointer(codingPath: path).description
        Diagnostics.reportFailedEncoding(
            "\(reaction.name) does not observe \(pointer.isEmpty ? "the root" : pointer): \(obstacle)",
            site: "\(reaction.name) \(pointer)")
    }

    func report(_ error: any Error, at path: [any CodingKey]) {
        let pointer = JSONPointer(codingPath: path).description
        Diagnostics.reportFailedEncoding(
            """
            \(reaction.name) cannot observe all of \(pointer.isEmpty ? "the root" : pointer), because encoding it \
            failed: \(error). Values that it encodes after the failure are not observed. Fix its encode(to:).
            """, site: "\(reaction.name) \(pointer)")
    }
}
