// The promises that the worlds check, in the words of the pages that give them.

#if DEBUG
/// A promise of the library.
enum Promise: String {
    // Saving.md
    case complete = """
        If the program is killed or the disk is full, the file keeps the contents of the last completed save.
        """
    case flushed = "If the program is killed at any moment, everything is saved for which `flush` has returned."
    case oneState = "A save contains one state. It never contains a part of a transaction."
    case flushSucceeds = "A failed save loses nothing. The next change or `flush` tries it again."
    case files = "A temporary file exists beside it while a save writes. A file that loads is not moved aside."
    // UndoAndRedo.md, History.swift
    case history = """
        Undo writes the old values back, redo the new ones. You can continue a history from the end of its log.
        """
    // README.md
    case observers = "A computed or a reaction never sees a mix of old and new values."
    case rollBack = "If the body throws, all its writes are rolled back and no reaction runs."
    // OneModelManyMachines.md
    case localFirst = "A transaction changes the model immediately."
    case convergence = "Replicas that have read the same entries, and have nothing pending, have equal models."
    case exactlyOnce = """
        A transaction takes effect once, however many connections are lost and however often it is sent.
        """
    case durability = "When `synchronised()` returns, the log has all transactions that were made before the call."
    case journal = "With a journal, the document and the pending transactions survive the process."
    case noSilentLoss = "A replica reports each part of a transaction that cannot be applied."
    case noRefusal = "The replica works without the log: transactions wait until it can be reached again."
    // Of the engine
    case invariants = "The invariants of graphs, journals and replicas hold after each step."
    case noIssue = "Nothing is reported that is not expected."
    case progress = "Everything ends when nothing disturbs it any more."
}

/// A promise that a world has found broken.
struct BrokenPromise: Error, CustomStringConvertible {
    let promise: Promise
    let detail: String

    var description: String { "\(promise): \(detail)\n    promised: \(promise.rawValue)" }
}
#endif
