// The position of a change in an array. The elements themselves stay in the code that knows their type.
//
// Changes that are not recorded (`history.untracked { }`) move the elements of entries. In the array below, three
// elements are loaded at the front, and the splice of an entry moves by three:
//
//     a b X c           X: inserted by the entry, start 2
//     l l l a b X c     start 5
//
// Such a change is passed to the nearest entry first. Each entry maps it to the array as it was before that entry, and
// passes the result to the next one.

/// The replacement of a part of an array.
struct Splice {
    var start: Int
    var removed: Int
    var inserted: Int

    /// The splice in the opposite direction.
    var inverse: Splice { Splice(start: start, removed: inserted, inserted: removed) }

    /// Moves a splice whose result was changed by `change`, and returns `change` mapped to the array before the splice.
    ///
    /// If the two overlap, the splice stays where it is, and the change counts as one before or after it.
    mutating func makeRoom(for change: Splice) -> Splice {
        if change.start + change.removed <= start {
            let moved = start + change.inserted - change.removed
            start = moved
            return change
        }
        var change = change
        if change.start >= start + inserted {
            change.start += removed - inserted
        } else {
            change.start = min(change.start, start)
            change.removed = 0
            change.inserted = 0
        }
        return change
    }
}
