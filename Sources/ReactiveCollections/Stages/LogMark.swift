// A position in the log of a collection, for followers that are not rolled back.
//
// A roll-back restores a view, including its cursor, together with its collection. It does not restore observers of
// object graphs, which may have read the log inside the transaction. A roll-back cuts the log, so such a cursor would
// later mean different entries. Therefore a mark also has the number of cuts so far. It becomes invalid when a later
// cut lies before it.

/// A follower's position in a log.
struct LogMark: Equatable {
    let cursor: Int
    fileprivate let cutCount: Int
}

/// The cuts of a log, without those that lie after a later cut. Guarded by the graph's lock.
@usableFromInline
struct LogCuts {
    private static var capacity: Int { 32 }

    private var count = 0
    /// The number of each cut and the end of the log after the cut; both are ascending.
    private var ends: [(number: Int, end: Int)] = []
    /// The number of the last removed cut: earlier marks are invalid.
    private var forgotten = 0

    @usableFromInline init() {}

    /// Notes that the collection was rolled back to its state at a cursor.
    @usableFromInline
    mutating func note(end: Int) {
        count += 1
        while let last = ends.last, last.end >= end { ends.removeLast() }
        ends.append((count, end))
        if ends.count > LogCuts.capacity { forgotten = ends.removeFirst().number }
    }

    func mark(_ cursor: Int) -> LogMark { LogMark(cursor: cursor, cutCount: count) }

    func isValid(_ mark: LogMark) -> Bool {
        guard mark.cutCount >= forgotten else { return false }
        guard let next = ends.first(where: { $0.number > mark.cutCount }) else { return true }
        return next.end >= mark.cursor
    }
}
