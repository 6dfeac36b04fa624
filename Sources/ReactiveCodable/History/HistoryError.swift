// Why a step of a history cannot be taken.

/// Says why a history cannot undo or redo, or why a log does not fit.
///
/// A patch that no longer fits the root, because it was changed where nothing observes it, is a `JSONPatchError`
/// instead.
public struct HistoryError: Error, CustomStringConvertible, Sendable {
    /// What sort of thing went wrong.
    public enum Kind: Hashable, Sendable {
        /// There is no entry to undo.
        case nothingToUndo
        /// There is no entry to redo.
        case nothingToRedo
        /// The history has ended.
        case ended
        /// The call is part of a transaction that can still be rolled back, or of a transaction of another graph.
        case insideTransaction
        /// The log was made from another root, or from another state of it.
        case logDoesNotFit
    }

    /// What sort of thing went wrong.
    public let kind: Kind
    /// What happened, and what to do.
    public let description: String

    static func nothing(toRedo: Bool) -> HistoryError {
        toRedo
            ? HistoryError(
                kind: .nothingToRedo, description: "There is nothing to redo. Ask `canRedo` before calling redo().")
            : HistoryError(
                kind: .nothingToUndo, description: "There is nothing to undo. Ask `canUndo` before calling undo().")
    }

    static let ended = HistoryError(
        kind: .ended, description: "The history has ended and knows no changes since. Make a new History(root).")

    static func insideTransaction(_ call: String) -> HistoryError {
        HistoryError(
            kind: .insideTransaction,
            description: """
                \(call) was called inside a transaction that can throw, or in one of another graph. If that was rolled \
                back, root and history would no longer agree. Call \(call) when the transaction is over.
                """)
    }

    static func logDoesNotFit(_ reason: String) -> HistoryError {
        HistoryError(kind: .logDoesNotFit, description: "The log does not fit the root: \(reason)")
    }
}
