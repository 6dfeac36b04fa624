// The number of elements as a source of its own: its observers do not run when an element is replaced.

import Reactive

/// The source that observers of an array's `count` and `isEmpty` read.
///
/// It exists while it has edges, and keeps the array. It stores the count only to compare the ends of a transaction:
/// what the count was, and whether it changed, comes from the array, which a roll-back may restore to a time before the
/// node.
@usableFromInline
final class CountNode<Element>: _StoredSource {
    let array: ObservableArray<Element>
    // Unchecked: the graph's lock makes the accesses exclusive.
    @exclusivity(unchecked) private var count = 0

    init(of array: ObservableArray<Element>) {
        self.array = array
        super.init(beside: array, isCounted: true)
    }

    /// Notes that the collection has a different number of elements than before. Under the lock.
    @usableFromInline
    func change(from old: Int, to new: Int) {
        if needsLogEntry() { log(old) }
        count = new
        noteChange()
    }

    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&count, &state.assumingMemoryBound(to: Int.self).pointee)
    }

    override func equalsState(logged state: UnsafeMutableRawPointer) -> Bool { count == state.load(as: Int.self) }

    override func lastEdgeWasRemoved() { array.countNode = nil }
}
