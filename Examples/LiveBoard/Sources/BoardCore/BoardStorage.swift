// The storage of a session's board. The session uses every storage in the same way:
//
//     flush       before a command, with a shared storage: the board gets the saved changes of other servers
//     perform     a command runs as one transaction, which has a number
//     flush       the command is answered when its transaction is saved
//
//     FileStorage   a file and a journal, for one server
//     LogStorage    a log in a database, shared by several servers

import Foundation
import ReactiveSync

/// The storage of a board. Only its session uses it, on the session's actor.
protocol BoardStorage: AnyObject {
    /// Whether other servers may change the board.
    var isShared: Bool { get }

    /// The reason why the board may be out of date or cannot be saved. Observable.
    var trouble: Trouble? { get }

    /// Returns the number of the transaction that has just ended.
    func noteTransaction() -> Int

    /// Waits until all earlier transactions are saved and the board has the changes that other servers had saved before
    /// the call.
    ///
    /// - Throws: The reason for a delay. The changes are saved as soon as possible.
    func flush(isolation: isolated any Actor) async throws

    /// Whether a part of a transaction was dropped because of earlier changes by others. Known when the transaction is
    /// saved.
    func hasDropped(_ transaction: Int) -> Bool

    /// Saves as much as possible without waiting.
    ///
    /// - Returns: Whether everything is saved.
    func flushWithoutWaiting() -> Bool

    /// Saves everything and closes the storage. Closes it also if it throws.
    ///
    /// - Throws: The reason why something could not be saved.
    func close(isolation: isolated any Actor) async throws
}

/// The reason why a board may be out of date or cannot save changes.
package enum Trouble: Sendable, Equatable {
    /// The database cannot be reached.
    case offline
    /// Many changes of other servers have not arrived yet.
    case behind
    /// The database refuses the board, for the reason given. Waiting does not help.
    case refused(String)
}

/// The location of a board's storage.
package enum BoardHome: Sendable {
    /// In a file.
    case file(URL)
    /// In a log, which other servers may share. `patience` is the maximum time that a command waits for it.
    case log(any ReplicaLog, patience: Duration)
}
