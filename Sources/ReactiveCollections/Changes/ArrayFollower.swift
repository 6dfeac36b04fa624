// The state of a reaction to an ordered view: the elements by row and the order, as they were delivered last.
//
//     follow     under the lock   reads the log of the view, and collects the changed rows with their elements
//     take       under the lock   moves the collected rows to the delivery
//     deliver    unlocked         computes the edits from values only, and calls the user's closure

import Reactive

/// A follower that delivers the edits of a view.
final class ArrayFollower<Element>: ReactionFollower {
    private let view: LiveArray<Element>
    private let onChange: (CollectionChanges<Element>) -> Void
    // The graph's lock guards all of this except `delivery`, which only one thread at a time uses. Unchecked
    // exclusivity: no access is in progress while user code runs.
    /// The cursor in the view's log; `nil` before the first run.
    @exclusivity(unchecked) private var cursor: Int?
    /// The elements by row, as read last.
    @exclusivity(unchecked) private var elements = Chunked<Element?>()
    /// The order as read last, and as delivered last.
    @exclusivity(unchecked) private var order = RowOrder()
    @exclusivity(unchecked) private var deliveredOrder = RowOrder()
    /// The rows that changed since the last delivery, each once.
    @exclusivity(unchecked) private var changed: [ChangedRow<Element>] = []
    @exclusivity(unchecked) private var isReordered = false
    @exclusivity(unchecked) private var delivery: RowEdits<Element>?

    init(_ view: LiveArray<Element>, _ onChange: @escaping (CollectionChanges<Element>) -> Void) {
        self.view = view
        self.onChange = onChange
    }

    func follow() -> Bool {
        view.stage.refresh()
        guard let cursor else {
            begin()
            // No test sees this: a delivery without edits calls nobody.
            return false
        }
        if let changes = view.log.log.changes(since: cursor) {
            order = view.ordering.snapshot
            if changes.isReordered { isReordered = true }
            for change in changes { note(change.row, change.reasons) }
        } else {
            noteAll()
        }
        self.cursor = view.log.log.end
        return isReordered || !changed.isEmpty
    }

    private func begin() {
        view.log.isFollowed = true
        cursor = view.log.log.end
        order = view.ordering.snapshot
        deliveredOrder = order
        view.forEachRow { row, element in
            store(element, at: row)
            return true
        }
    }

    /// Notes that a row has changed.
    private func note(_ row: Row, _ reasons: RowChange.Reasons) {
        let old = Int(row) < elements.count ? elements[Int(row)] : nil
        let isIn = order.contains(row)
        // No test sees this never hold: a row that was not there and is not there gives no edit.
        if old == nil, !isIn { return }
        // After a mere move, the element is the same.
        // No test sees this never hold: it only saves a read of the view.
        let new = !isIn ? nil : reasons == .moved ? old : view.element(row)
        store(new, at: row)
        changed.append(ChangedRow(row: row, reasons: reasons, old: old, new: new))
    }

    /// Notes that all rows have been replaced.
    private func noteAll() {
        let before = order
        order = view.ordering.snapshot
        before.forEach { row -> Void in note(row, .renewed) }
        order.forEach { row -> Void in
            if !before.contains(row) { note(row, .renewed) }
        }
    }

    private func store(_ element: Element?, at row: Row) {
        while elements.count <= Int(row) { elements.append(nil) }
        elements[Int(row)] = element
    }

    func take() {
        delivery = RowEdits(
            before: deliveredOrder, after: order, rows: changed, reordered: isReordered ? elements : nil)
        deliveredOrder = order
        changed = []
        isReordered = false
    }

    func deliver() {
        guard let delivery else { return }
        self.delivery = nil
        let changes = CollectionChanges(delivery)
        if !changes.isEmpty { onChange(changes) }
    }

    func startOver() {
        view.stage.node.release(later: elements)
        cursor = nil
        elements = Chunked()
    }
}
