// The typed values of observables, which can be written back.
//
// Most observables of a graph have cells, which know their last values. If an `encode(to:)` reads an observable itself
// (`try container.encode(title, forKey: .title)`), no encoder receives the observable. But the engine knows the
// dependencies of that value's cell: its *direct reads*. Observables behind computeds are included.

import Reactive

/// The value of an observable at one moment.
class SavedState {
    /// The observable.
    var state: any RecordableState { preconditionFailure("internal inconsistency: a saved state has a type") }

    final var identity: Identity { Identity(state) }
}

/// The value of an observable of a known type.
final class StateOf<State: RecordableState>: SavedState {
    private let observable: State
    let value: State.Recorded

    init(_ observable: State, _ value: State.Recorded) {
        self.observable = observable
        self.value = value
    }

    override var state: any RecordableState { observable }
}

/// The direct reads of the cells of one observation. Guarded by the graph's lock.
///
/// Exclusivity is unchecked for the reason given at `Cell`.
final class DirectReads {
    /// An observable, and the version of its value.
    struct Read {
        let saved: SavedState
        let version: UInt64
    }

    /// The changes of direct reads in one update.
    struct Changes {
        /// The reads before the update, except those of cells that the update did not touch.
        private(set) var before: [Identity: Read] = [:]
        /// The reads after the update.
        private(set) var after: [Identity: Read] = [:]
        /// The observables in the order in which they were found.
        private(set) var order: [Identity] = []
        /// The cells whose earlier reads were already recorded in this update.
        fileprivate var noted: Set<Identity> = []

        fileprivate mutating func noteBefore(_ read: Read) {
            let identity = read.saved.identity
            // No test sees this always hold: only the first entry counts.
            if before[identity] == nil, after[identity] == nil { order.append(identity) }
            // No test sees this always hold: before an update, all cells have read the same value.
            if before[identity] == nil { before[identity] = read }
        }

        fileprivate mutating func noteAfter(_ read: Read) {
            let identity = read.saved.identity
            // No test sees this always hold: only the first entry counts.
            if before[identity] == nil, after[identity] == nil { order.append(identity) }
            after[identity] = read
        }
    }

    @exclusivity(unchecked) private var reads: [Identity: [Read]] = [:]

    /// Whether any cell has ever had direct reads.
    @exclusivity(unchecked) private(set) var haveBeenMet = false

    /// Records the direct reads of a cell that has just been walked.
    func note(_ cell: Cell, in record: ChangeRecord?) {
        forget(cell, in: record)
        var new: [Read] = []
        cell.forEachState { state in
            new.append(Read(saved: untracked { value(of: state) }, version: state.version))
        }
        // No test sees this always hold: a cell whose encoding is recorded contains one with direct reads.
        guard !new.isEmpty else { return }
        haveBeenMet = true
        reads[cell.identity] = new
        guard let record else { return }
        record.directReads.noted.insert(cell.identity)
        for read in new { record.directReads.noteAfter(read) }
    }

    /// Removes a cell that leaves.
    func forget(_ cell: Cell, in record: ChangeRecord?) {
        guard let old = reads.removeValue(forKey: cell.identity), let record,
            !record.directReads.noted.contains(cell.identity)
        else { return }
        for read in old { record.directReads.noteBefore(read) }
    }

    /// Removes all cells.
    // No test sees this: it only saves memory.
    func forgetAll() { reads = [:] }

    private func value<State: RecordableState>(of state: State) -> SavedState { StateOf(state, state.value) }
}
