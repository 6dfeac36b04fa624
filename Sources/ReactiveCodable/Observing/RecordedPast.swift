// The past as an observation has recorded it.
//
// A record of changes keeps the old value of each observable that changed. What anything was like at some moment is
// found in the first record since then that mentions it; if there is none, it is what the observation knows it to be,
// which is what it was when the last record was made.
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

    /// What a cell was then.
    func saved(ofCell cell: Cell) -> SavedValue? { saved(of: cell.identity) ?? cell.saved }
}
