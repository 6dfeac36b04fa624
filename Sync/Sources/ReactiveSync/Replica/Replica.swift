// The replica, as programs see it. ReplicaState.swift has the model and its documents. ReplicaDriver.swift has the
// loops that move entries between them and the log.

public import Foundation
import Reactive

/// A model that is shared with other processes through a log.
///
/// ```swift
/// let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
/// let shared = try await Replica(of: board, log: log)
/// inTransaction {
///     board.title = "New"  // here immediately, elsewhere soon
///     board.cards.append(card)
/// }
/// try await shared.synchronised()
/// ```
///
/// - Each transaction that changes the encoded form of the model becomes one entry of the log. It is applied here
///   immediately, and sent in the background. Entries of other replicas are written into the model as they arrive, each
///   batch as one transaction.
/// - *The order of the log decides.* Of two writes to one value, the later one wins. Elements of arrays are named by
///   their member `id`, and members of dictionaries by their keys, so inserting and removing other elements is no
///   conflict. Texts that the settings name are merged. An edit that does not fit any more is dropped, and reported as
///   a ``ReplicaConflict``.
/// - If entries of others come first, the model changes only where the result differs. Reactions to other values do not
///   run, and objects keep their identity.
/// - The replica works without the log: transactions wait until it can be reached again. With a journal, the document
///   and the waiting transactions survive the process, and a program can begin offline.
/// - If a reaction writes in response to an entry, that write is a change of this replica. If all replicas have that
///   reaction, all of them send the change. So let it write a value that does not depend on the replica.
///
/// To stop sharing, release the replica or call ``end()``. The model stays usable. Have one replica for each model.
///
/// All members may be used from any thread. The model is read and written in the isolation that created the replica.
public final class Replica<Root: Codable>: Sendable {
    private let state: ReplicaState
    private let driver: ReplicaDriver
    private let tasks: [Task<Void, Never>]

    /// Shares a model: replaces its values by those of the log, and follows the log from then on.
    ///
    /// The log wins: its document replaces the values of the model, and also changes that are made before the
    /// initialiser returns. Only if the log has no document yet, the values of the model become the document.
    ///
    /// - Parameters:
    ///   - root: The model. Kept alive as long as the replica.
    ///   - log: The log.
    ///   - journal: A file that stores the document and the pending transactions. Its folder must exist. One replica at
    ///     a time may use it, always with the same log. If it has a document, the replica begins with that, and does
    ///     not wait for the log.
    ///   - settings: The settings.
    ///   - clock: The clock for the pauses between attempts to reach the log. Tests pass their own.
    ///   - name: The name of the replica in diagnostics; by default its file and line.
    ///   - isolation: The actor that the model belongs to; by default the caller's. If there is none, any thread must
    ///     be able to use the model. Transactions that are made elsewhere before the actor runs become one entry: pass
    ///     `nil` if threads change the model that are not on the actor.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    ///   - onConflict: Receives the edits of this replica that were dropped or may have been dropped; see
    ///     ``ReplicaConflict``. It runs in the isolation, outside transactions. What it writes is a new transaction. If
    ///     there is no isolation, it may run before the initialiser has returned. Without a handler, conflicts go to
    ///     `Diagnostics.onIssue`. Kept alive as long as the replica.
    /// - Throws: ``ReplicaError/refused(_:)`` if the log refuses the replica, if the version of its entries is unknown,
    ///   or if its document does not fit the model. The model then keeps its values. The error of the log if that
    ///   cannot be reached and there is no document in a journal. `LoadingError` if the journal is damaged.
    ///   `SavingError` if the journal cannot be written, or a different replica uses it.
    /// - Complexity: O(*n*) for the document and the entries after the latest snapshot.
    public init<C: Clock>(
        of root: Root, log: any ReplicaLog, journal: URL? = nil, settings: ReplicaSettings = ReplicaSettings(),
        clock: C = ContinuousClock(), named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, onConflict: ((ReplicaConflict) -> Void)? = nil
    ) async throws where C.Duration == Duration {
        let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state = try ReplicaState(
            root, settings: settings, named: name, isolation: isolation, fileID: fileID, line: line,
            onPending: {
                request.yield()
                change.yield()
            })
        let model = ModelAccess(
            state: state, isolation: isolation, onConflict: onConflict, name: name ?? "\(fileID):\(line)")
        driver = ReplicaDriver(
            state, log, journal.map { ReplicaJournal($0) }, settings: settings, model: model, requests: requests,
            changes: changes,
            pause: { try await clock.sleep(for: $0) })
        do {
            try await driver.begin()
        } catch {
            state.end()
            await driver.releaseJournal()
            throw error
        }
        tasks = [
            Task { [driver] in await driver.read() }, Task { [driver] in await driver.send() },
            Task { [driver] in await driver.keep() },
        ]
        request.yield()
    }

    deinit {
        for task in tasks { task.cancel() }
        Task { [driver] in await driver.end() }
    }

    /// The status of the replica. Observers that read it are notified of its changes.
    public var status: ReplicaStatus { state.status.value }

    /// The number of transactions of this replica that became entries. ``ReplicaConflict/number`` is such a number.
    ///
    /// Each process counts from 1. A replica that begins with a journal counts the pending transactions in it, too.
    public var lastNumber: Int { state.counts.made }

    /// Waits until the log has all transactions made so far, and the model has all entries that the log had.
    ///
    /// While the log cannot be reached, it waits without a time limit. It ends the current pause between attempts, so
    /// the replica tries to reach the log immediately.
    ///
    /// - Throws: ``ReplicaError`` if the replica is refused or has ended; `CancellationError` if the task is cancelled.
    ///   The transactions stay pending.
    public func synchronised() async throws { try await driver.synchronise() }

    #if DEBUG
    /// A sentence for each broken invariant of the replica and of its journal; empty if none is. In the isolation of the
    /// model.
    package func brokenInvariants(isolation: isolated (any Actor)? = #isolation) async throws -> [String] {
        try state.brokenInvariants + (await driver.brokenInvariants)
    }
    #endif

    /// Stops sharing. Pending transactions stay in the journal, if there is one. To send them, call ``synchronised()``
    /// first.
    ///
    /// After it has returned, the model is not written any more, and a new replica may use the journal.
    public func end() async {
        for task in tasks { task.cancel() }
        state.end()
        await driver.end()
        for task in tasks { await task.value }
    }
}
