// Where a session keeps its board. The session knows one story, whatever the storage is:
//
//     flush       the board shows what others have kept: with a shared storage, before a command changes it
//     perform     a command becomes one transaction, which has a number
//     flush       the command is answered when its transaction is kept
//
//     FileStorage   a file and a journal of this server alone
//     LogStorage    a log in a database, which several servers share

import Foundation
import ReactiveSync

/// Keeps the board of a session, which alone uses it, on its actor.
protocol BoardStorage: AnyObject {
    /// Whether other servers may change the board.
    var isShared: Bool { get }

    /// What keeps the board from being up to date or from being kept. Reading it in an observer subscribes.
    var trouble: Trouble? { get }

    /// Returns the number of the transaction that has just ended.
    func noteTransaction() -> Int

    /// Waits until all transactions that were made before are kept, and the board shows what others had kept.
    ///
    /// - Throws: Why not yet. It is kept as soon as possible.
    func flush(isolation: isolated any Actor) async throws

    /// Whether a part of a transaction was dropped, because others were faster. Known when the transaction is kept.
    func hasDropped(_ transaction: Int) -> Bool

    /// Keeps what can be kept without waiting.
    ///
    /// - Returns: Whether everything is kept.
    func flushWithoutWaiting() -> Bool

    /// Keeps everything, and ends. Also ends if it throws.
    ///
    /// - Throws: Why something is not kept.
    func close(isolation: isolated any Actor) async throws
}

/// Why a board may be out of date, or does not keep what is changed.
package enum Trouble: Sendable, Equatable {
    /// The database cannot be reached.
    case offline
    /// Many changes of other servers are not shown yet.
    case behind
    /// The database refuses the board, for the reason given. Waiting does not help.
    case refused(String)
}

/// Where boards are kept.
package enum BoardHome: Sendable {
    /// In a file.
    case file(URL)
    /// In a log, which other servers may use as well, and for which a command waits so long.
    case log(any ReplicaLog, patience: Duration = Limits.patience)
}
