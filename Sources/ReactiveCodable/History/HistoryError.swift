// Why a step of a history cannot be taken.

/// Says why a history cannot undo or redo, or why a log does not fit.
///
/// An entry that comes from a log, and no longer fits because the root was changed where nothing observes it, is a
/// `JSONPatchError` instead.
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
    /// The number of the log's entry that does not fit, if it is one; the first one done is 1, and those that were undone
    /// follow.
    public let entry: Int?
    /// What happened, and what to do.
    public let description: String

    private init(kind: Kind, entry: Int? = nil, description: String) {
        self.kind = kind
        self.entry = entry
        self.description = description
    }

    static func nothing(toRedo: Bool) -> HistoryError {
        toRedo
            ? HistoryError(
                kind: .nothingToRedo, description: "There is nothing to redo. Ask `canRedo` before calling redo().")
            : HistoryError(
                kind: .nothingToUndo, description: "There is nothing to undo. Ask `canUndo` before calling undo().")
    }

    static let ended = HistoryError(
        kind: .ended, description: "The history has ended and knows no changes since. Create a new History(root).")

    static func insideTransaction(_ call: String) -> HistoryError {
        HistoryError(
            kind: .insideTransaction,
            description: """
                \(call) was called inside a transaction that can throw, or in one of another graph. If that was rolled \
                back, root and history would no longer agree. Call \(call) when the transaction is over.
                """)
    }

    static func logDoesNotFit(_ entry: Int?, _ reason: String, separator: String = ": ") -> HistoryError {
        let entryText = entry.map { "entry \($0)\(separator)" } ?? ""
        return HistoryError(
            kind: .logDoesNotFit, entry: entry, description: "The log does not fit the root: \(entryText)\(reason)")
    }
}
