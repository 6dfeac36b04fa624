// Creates a JSON Patch from changes. It needs the changes with their paths and old and new values, and a view of the
// graph for each of the two moments.
//
// A change may be inside the value of another change. The outer change comes first, and covers these parts:
//
//     an array          the elements that were inserted, removed or replaced. They are found by comparing bits
//                       (ElementComparison.swift); only they are encoded. Changes inside the other elements are changes
//                       of their own, at the paths of those elements after the outer operations.
//     a dictionary      with string or integer keys: the keys that were added or removed, or whose value was replaced,
//                       in the same manner (MemberComparison.swift)
//     an ObservableArray or ObservableSet: the rows that were inserted, removed or replaced, which the collection knows
//                       (RowComparison.swift)
//     any other value   everything that it contains: the difference of its values before and after
//
// So each path is right when its operation is applied, and no operation depends on a later one.
//
// A collection without an order, such as a plain set, is replaced as a whole: a change in it is a change of the
// collection.
//
// If keys have a strategy, the names of keys depend on the values on the path, so these must be read.

import Reactive

/// Creates the patch from one moment of a graph to another. Used with the graph locked, untracked.
struct PatchBuilder {
    /// An observable that changed, and one path to it.
    struct Change {
        /// The path after the change.
        let path: DeepPath
        /// The values at the two moments. The values inside them are those of the moment's view.
        let old: SavedValue?
        let new: SavedValue?
        /// The `KeyDifference` or `RowDifference` of the two values, if it is known.
        var difference: Any?
    }

    /// The graph at one moment.
    struct Moment {
        let view: PastView
        /// The whole root.
        let root: SavedValue?

        /// Returns the JSON of a value at this moment.
        func json(_ value: SavedValue?, _ strategies: CodingStrategies) throws -> JSONValue {
            try PastView.with(view) { try JSONValue(encoding: value ?? SavedValue(), strategies) }
        }

        /// Returns the root at this moment, which is read only along paths.
        func tree(_ strategies: CodingStrategies) throws -> JSONTree {
            try PastView.with(view) {
                try JSONTree(encoding: root ?? SavedValue(), strategies: strategies, isAnnotated: false)
            }
        }
    }

    let before: Moment
    let after: Moment
    let strategies: CodingStrategies
    /// Whether the changed members of a dictionary are named, even if replacing the dictionary would be smaller. A
    /// dictionary that has been emptied is replaced if that is smaller.
    var namesMembers = false

    /// Returns the patch of all changes between the two moments, on all paths to them.
    ///
    /// - Throws: Any error that encoding the values throws.
    func patch(of changes: [Change]) throws -> JSONPatch {
        var composition = PatchComposition(self, changes)
        return try composition.compose()
    }

    /// Returns the difference of the two documents as a patch.
    ///
    /// - Throws: Any error that encoding the root throws; `EncodingError` if it contains itself.
    func patchOfEverything() throws -> JSONPatch {
        try JSONPatch(from: before.json(before.root, strategies), to: after.json(after.root, strategies))
    }
}
