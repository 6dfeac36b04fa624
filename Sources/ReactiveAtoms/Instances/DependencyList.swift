// What the last evaluation of a selector has read.
//
// As the core does it: an evaluation that reads what the last one read only moves a cursor along the list. Where it
// deviates, the rest of the list is forgotten.

import Reactive

/// What an evaluation has read, in the order of the first reads.
///
/// Each once, unless another selector was evaluated in between and has read it too.
@frozen @usableFromInline
struct DependencyList {
    @usableFromInline var list: [_AnyNodeInstance] = []
    @usableFromInline var cursor = 0
    /// The number of the evaluation in progress; 0 if there is none.
    @usableFromInline var evaluation: UInt64 = 0

    @inlinable
    init() {}

    /// What the evaluation in progress has read up to now, or else what the last one read.
    var instances: [_AnyNodeInstance] { evaluation == 0 ? list : Array(list.prefix(cursor)) }

    /// Begins an evaluation.
    mutating func begin(_ number: UInt64) {
        evaluation = number
        cursor = 0
    }

    /// Notes that the evaluation in progress reads an instance. Does nothing if there is none.
    mutating func note(_ instance: _AnyNodeInstance) {
        if evaluation == 0 { return }
        if cursor < list.count, list[cursor] === instance {
            cursor += 1
        } else if instance.notedBy != evaluation {
            forget(from: cursor)
            list.append(instance)
            cursor += 1
        }
        instance.notedBy = evaluation
    }

    /// Ends the evaluation.
    mutating func end() {
        forget(from: cursor)
        evaluation = 0
    }

    /// Forgets everything.
    mutating func removeAll() { forget(from: 0) }

    /// Forgets the entries from an index on. What they keep is freed once the graph is unlocked.
    private mutating func forget(from index: Int) {
        while list.count > index { list.removeLast().releaseLater() }
    }
}
