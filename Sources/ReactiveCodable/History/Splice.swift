// Where an array was changed, as far as others must know it: the elements stay with those who know their type.
//
// Changes that are no step (`history.untracked { }`) move what steps have recorded. In the array below, three elements
// are loaded at the front, and the splice of an entry moves by three:
//
//     a b X c           X: inserted by the entry, start 2
//     l l l a b X c     start 5
//
// An entry that is further away than others is moved by what the others leave of the change: each of them maps it to
// the array as it was before them.

/// The replacement of a part of an array.
struct Splice {
    var start: Int
    var removed: Int
    var inserted: Int

    /// The splice that takes this one back.
    var inverse: Splice { Splice(start: start, removed: inserted, inserted: removed) }

    /// Moves a splice that led to an array in which now `change` has happened, and returns what `change` is in the array
    /// that the splice came from.
    ///
    /// Where the two overlap, the splice stays, and the change counts as one before it or behind it.
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
