// The values of observables, with their types, so that they can be written back.
//
// Most observables of a graph have cells, which know their last values. Where an `encode(to:)` reads an observable
// itself (`try container.encode(title, forKey: .title)`), no encoder meets the observable. But the engine knows what
// the cell of that value depends on: its *direct reads*. Those behind computeds count too.

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

/// What the cells of one observation read themselves. Guarded by the graph's lock.
///
/// Exclusivity is unchecked for the reason of `Cell`.
final class DirectReads {
    /// An observable, and the version of its value.
    struct Read {
        let saved: SavedState
        let version: UInt64
    }

    /// What one update found out of direct reads.
    struct Changes {
        /// What was read before the update, and by no reader that was left alone.
        private(set) var before: [Identity: Read] = [:]
        /// What is read now.
        private(set) var after: [Identity: Read] = [:]
        /// The observables in the order in which they were met.
        private(set) var order: [Identity] = []
        /// The cells whose reads were noted in the update: what these read before is known already.
        fileprivate var noted: Set<Identity> = []

        fileprivate mutating func noteBefore(_ read: Read) {
            let identity = read.saved.identity
            if before[identity] == nil, after[identity] == nil { order.append(identity) }
            if before[identity] == nil { before[identity] = read }
        }

        fileprivate mutating func noteAfter(_ read: Read) {
            let identity = read.saved.identity
            if before[identity] == nil, after[identity] == nil { order.append(identity) }
            after[identity] = read
        }
    }

    @exclusivity(unchecked) private var reads: [Identity: [Read]] = [:]

    /// Whether any cell has ever read anything itself.
    @exclusivity(unchecked) private(set) var haveBeenMet = false

    /// Notes what a cell that has just been walked reads.
    func note(_ cell: Cell, in record: ChangeRecord?) {
        forget(cell, in: record)
        var new: [Read] = []
        cell.forEachState { state in
            new.append(Read(saved: untracked { value(of: state) }, version: state.version))
        }
        guard !new.isEmpty else { return }
        haveBeenMet = true
        reads[cell.identity] = new
        guard let record else { return }
        record.directReads.noted.insert(cell.identity)
        for read in new { record.directReads.noteAfter(read) }
    }

    /// Forgets a cell that leaves.
    func forget(_ cell: Cell, in record: ChangeRecord?) {
        guard let old = reads.removeValue(forKey: cell.identity), let record,
            !record.directReads.noted.contains(cell.identity)
        else { return }
        for read in old { record.directReads.noteBefore(read) }
    }

    private func value<State: RecordableState>(of state: State) -> SavedState { StateOf(state, state.value) }
}
