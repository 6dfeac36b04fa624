// The number of elements as a separate source, so that its observers do not run when an element is replaced.

import Reactive

/// The source that observers of an array's `count` and `isEmpty` read.
///
/// It exists while it has edges, and keeps the array alive. It stores the count only to compare the start and the end
/// of a transaction. The array passes the previous count with each change, because a roll-back may restore the array to
/// a time before the node existed.
@usableFromInline
final class CountNode<Element>: _StoredSource {
    let array: ObservableArray<Element>
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) private var count = 0

    init(of array: ObservableArray<Element>) {
        self.array = array
        super.init(beside: array, isCounted: true)
    }

    /// Notes that the number of elements has changed. Called under the lock.
    @usableFromInline
    func change(from old: Int, to new: Int) {
        // No test sees this always hold: it only saves entries.
        if needsLogEntry() { log(old) }
        count = new
        noteChange()
    }

    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&count, &state.assumingMemoryBound(to: Int.self).pointee)
    }

    override func equalsState(logged state: UnsafeMutableRawPointer) -> Bool { count == state.load(as: Int.self) }

    override func lastEdgeWasRemoved() { array.countNode = nil }

    #if DEBUG
    override var storingNode: _Node? { array }
    #endif
}
