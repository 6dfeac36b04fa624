// The past of a graph, as recorded by an observation.
//
// A record of changes contains the old value of each observable that changed. The value of an observable at some moment
// is in the first later record that contains it. If there is none, it is the value that the observation knows, which is
// the value at the last record.
//
//     record 1 ──next──▶ record 2 ──next──▶ … ──▶ the cells
//        ▲ before 1          ▲ before 2 = after 1

import Reactive

/// The graph before or after one update.
final class RecordedPast: PastView, @unchecked Sendable {
    private let record: ChangeRecord
    private let isBefore: Bool

    init(_ record: ChangeRecord, isBefore: Bool) {
        self.record = record
        self.isBefore = isBefore
    }

    override func saved(of identity: Identity) -> SavedValue? {
        var record = isBefore ? record : record.next
        while let current = record {
            if let saved = current.saved(of: identity) { return saved }
            record = current.next
        }
        return self.record.observer.cells[identity]?.saved
    }

    /// Returns the value of a cell at the moment.
    func saved(ofCell cell: Cell) -> SavedValue? { saved(of: cell.identity) ?? cell.saved }
}
