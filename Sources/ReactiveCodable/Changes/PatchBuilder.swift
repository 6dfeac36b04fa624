// Changes as a JSON Patch, for everybody who knows what the graph was before and after: what changed, with its path and
// its two values, and a view of the past for each of the two moments.
//
// A change may lie in what another one contains. The outer one comes first, and says for what it speaks:
//
//     an array          for the elements that came, went or changed themselves. They are found by comparing bits
//                       (ElementComparison.swift); only they are encoded. What changed inside of the others are changes
//                       of their own, at the paths where those elements are after the outer operations.
//     a dictionary      with string or integer keys: for the keys that came or went, or whose value was replaced, in
//                       the same way (MemberComparison.swift)
//     an ObservableArray, or an ObservableSet: for the rows that came, went or were replaced; the collection knows which
//                       (RowComparison.swift)
//     anything else     for all that it contains: the difference of its values before and after
//
// So a path is right when its operation applies, and no operation depends on what a later one does.
//
// A collection without an order, a plain set for example, is replaced as a whole: a change in it is a change of it.
//
// Where keys have a strategy, what the keys are called is decided by what lies on the path, so that must be looked at.

import Reactive

/// Creates the patch that leads a graph from one moment to another. Used with the graph locked, untracked.
struct PatchBuilder {
    /// Something that changed, and one path to it.
    struct Change {
        /// Where it is after the change.
        let path: DeepPath
        /// What it was at the first moment, and at the second. What lies in it is as the moment's view says.
        let old: SavedValue?
        let new: SavedValue?
        /// The `KeyDifference` or `RowDifference` of the two, if it is known.
        var difference: Any?
    }

    /// The graph at one moment.
    struct Moment {
        let view: PastView
        /// The whole root.
        let root: SavedValue?

        /// The JSON of a value as it was then.
        func json(_ value: SavedValue?, _ strategies: CodingStrategies) throws -> JSONValue {
            try PastView.with(view) { try JSONValue(encoding: value ?? SavedValue(), strategies) }
        }

        /// The root as it was then, read as far as paths lead.
        func tree(_ strategies: CodingStrategies) throws -> JSONTree {
            try PastView.with(view) {
                try JSONTree(encoding: root ?? SavedValue(), strategies: strategies, isAnnotated: false)
            }
        }
    }

    let before: Moment
    let after: Moment
    let strategies: CodingStrategies

    /// The patch of changes: all that changed between the two moments, on all paths that lead to it.
    ///
    /// - Throws: What encoding the values throws.
    func patch(of changes: [Change]) throws -> JSONPatch {
        var composition = PatchComposition(self, changes)
        return try composition.compose()
    }

    /// The patch of everything: the difference of the two documents.
    ///
    /// - Throws: What encoding the root throws; `EncodingError` if it contains itself.
    func patchOfEverything() throws -> JSONPatch {
        try JSONPatch(from: before.json(before.root, strategies), to: after.json(after.root, strategies))
    }
}
