// Errors of a history.

/// The error of a history that cannot undo or redo, or of a log that does not fit.
///
/// An entry from a log that no longer applies, because unobserved state of the root was changed, throws a
/// `JSONPatchError` instead.
public struct HistoryError: Error, CustomStringConvertible, Sendable {
    /// The kinds of errors.
    public enum Kind: Hashable, Sendable {
        /// There is no entry to undo.
        case nothingToUndo
        /// There is no entry to redo.
        case nothingToRedo
        /// The history has ended.
        case ended
        /// The call is part of a transaction that can still be rolled back, or of a transaction of a different graph.
        case insideTransaction
        /// The log was created from a different root, or from a different state of it.
        case logDoesNotFit
    }

    /// The kind of the error.
    public let kind: Kind
    /// The number of the log's entry that does not fit, if there is one. The first done entry has the number 1; the
    /// undone entries follow the done ones.
    public let entry: Int?
    /// The problem and its remedy.
    public let description: String

    private init(kind: Kind, entry: Int? = nil, description: String) {
        self.kind = kind
        self.entry = entry
        self.description = description
    }

    static func nothing(toRedo: Bool) -> HistoryError {
        toRedo
            ? HistoryError(
                kind: .nothingToRedo, description: "There is nothing to redo. Check `canRedo` before redo().")
            : HistoryError(
                kind: .nothingToUndo, description: "There is nothing to undo. Check `canUndo` before undo().")
    }

    static let ended = HistoryError(
        kind: .ended, description: "The history has ended and no longer records changes. Create a new History(root).")

    static func insideTransaction(_ call: String) -> HistoryError {
        HistoryError(
            kind: .insideTransaction,
            description: """
                \(call) was called inside a transaction that can throw, or inside a transaction of a different graph. \
                A rollback would leave the root and the history inconsistent. Call \(call) after the transaction.
                """)
    }

    static func logDoesNotFit(_ entry: Int?, _ reason: String, separator: String = ": ") -> HistoryError {
        let entryText = entry.map { "entry \($0)\(separator)" } ?? ""
        return HistoryError(
            kind: .logDoesNotFit, entry: entry, description: "The log does not fit the root: \(entryText)\(reason)")
    }
}
