// Encoding things as they were.
//
// Values in the graph hold observables, and those show what they are now. While a view of the past is current, an observable that is
// encoded shows what the view knows of it instead. The view is a task-local value, so that it reaches through any encoder.
//
// A record of changes keeps the old value of each observable that changed. What anything was like at some moment is found in the first
// record since then that mentions it; if there is none, it is what the observation knows it to be, which is what it was when the last
// record was made.
//
//     record 1 ──next──▶ record 2 ──next──▶ … ──▶ the cells
//        ▲ before 1          ▲ before 2 = after 1

import Reactive

/// What one observable, or one region, was at some moment.
class SavedValue: Encodable {
    func encode(to encoder: any Encoder) throws {}
    var isNil: Bool { false }
}

/// A value as such: the observables in it show what the current view says.
final class TypedValue<Value: Encodable>: SavedValue {
    private let value: Value

    init(_ value: Value) { self.value = value }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    override var isNil: Bool { valueIsNil(value) }
}

/// Whether a value of any type is `nil`.
func valueIsNil(_ value: Any) -> Bool { (value as? any MayBeNil)?.isNil ?? false }

private protocol MayBeNil {
    var isNil: Bool { get }
}

extension Optional: MayBeNil {
    fileprivate var isNil: Bool { self == nil }
}

/// The graph at one moment.
final class PastView: @unchecked Sendable {
    // Sendable because it is used inside one call of `encode(to:)` alone, with the graph locked.

    @TaskLocal static var current: PastView?

    private let record: ChangeRecord
    private let isBefore: Bool

    init(_ record: ChangeRecord, isBefore: Bool) {
        self.record = record
        self.isBefore = isBefore
    }

    /// The graph that the observed root belongs to.
    var graph: GraphHandle { record.observer.graph }

    /// What an observable or cell was, or `nil` if nothing is known of it.
    func saved(of object: AnyObject) -> SavedValue? {
        saved(of: Identity(object))
    }

    func saved(of identity: Identity) -> SavedValue? {
        var record = isBefore ? record : record.next
        while let current = record {
            if let saved = current.saved(of: identity) { return saved }
            record = current.next
        }
        return self.record.observer.cells[identity]?.saved
    }
}
