// A place in the log of a collection, for followers that are not rolled back.
//
// A view is rolled back together with its collection, cursor included. The observer of a graph is not: it may have
// looked in the middle of a transaction. A roll-back cuts the log, so that such a cursor would later mean different
// entries. Therefore a mark also counts the cuts that there were, and is void once a later cut was before it.

/// How far a follower has read.
struct LogMark: Equatable {
    let cursor: Int
    fileprivate let cutCount: Int
}

/// Where a log was cut, as far as later cuts are not before that. Guarded by the graph's lock.
@usableFromInline
struct LogCuts {
    private static var capacity: Int { 32 }

    private var count = 0
    /// The number of each cut and the end of the log after it; both ascend.
    private var ends: [(number: Int, end: Int)] = []
    /// The cuts up to this number have been forgotten: marks from before are void.
    private var forgotten = 0

    @usableFromInline init() {}

    /// Notes that the collection was rolled back to what it was at a cursor.
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
