// The replica: what programs see. ReplicaState.swift has the model and its documents, ReplicaDriver.swift the loops that
// move entries between them and the log.

public import Foundation
import Reactive

/// A model that is shared with other processes by way of a log.
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
/// - Each transaction that changes anything that encoding the model reaches becomes one entry of the log. It is applied
///   here immediately and sent in the background. Entries of other replicas are written into the model as they arrive,
///   each batch as one transaction.
/// - *The order of the log decides*: of two writes to one value, the later one stands. Elements of arrays are named by
///   their member `id`, members of dictionaries by their keys, so inserting and removing elsewhere is no conflict. Texts
///   that the settings name are merged. An edit that does not fit any more is dropped and reported as a
///   ``ReplicaConflict``.
/// - When entries of others come first, the model changes only where the result differs. Reactions to other values do not
///   run, and objects keep their identity.
/// - The replica works without the log: changes wait until it can be reached again. With a journal they also survive the
///   process, and so does the document, so that a program can begin offline.
/// - What a reaction writes in answer to an entry is a change of this replica. If all replicas have that reaction, all of
///   them send the change, so let it write what does not depend on which replica runs it.
///
/// Release the replica, or call ``end()``, to stop sharing. The model stays usable. Have one replica for each model.
///
/// May be used from any thread.
public final class Replica<Root: Codable>: Sendable {
    private let state: ReplicaState
    private let driver: ReplicaDriver
    private let tasks: [Task<Void, Never>]

    /// Shares a model: replaces its content by that of the log, and follows the log from then on.
    ///
    /// If the log has no document yet, the model's content becomes the document. Changes that are made before the
    /// initialiser returns are replaced, too.
    ///
    /// - Parameters:
    ///   - root: The model. Kept as long as the replica.
    ///   - log: The log.
    ///   - journal: A file that keeps the document and what was not sent yet; the folder must exist. One replica at a
    ///     time may use it. If it has a document, the replica begins with that and does not wait for the log.
    ///   - settings: The settings.
    ///   - clock: The clock of the pauses between attempts to reach the log; tests pass their own.
    ///   - name: What diagnostics call the replica. Without one: the file and line that created it.
    ///   - isolation: The actor that the model belongs to; by default the caller's. If there is none, any thread must be
    ///     able to use the model.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - onConflict: Gets what was dropped of the model's transactions, and what may have been dropped; see
    ///     ``ReplicaConflict``. Runs in the isolation, outside of transactions; what it writes is a new transaction.
    ///     Without it, conflicts go to `Diagnostics.onIssue`. Kept as long as the replica.
    /// - Throws: ``ReplicaError/refused(_:)`` if the log refuses the replica, has entries of an unknown version, or its
    ///   document does not fit the model, which then stays as it is. What the log throws if it cannot be reached and
    ///   there is no journal to begin with. `LoadingError` if the journal is damaged.
    /// - Complexity: O(document and the entries behind the latest snapshot).
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

    /// How the replica stands to its log. Reading it in an observer subscribes.
    public var status: ReplicaStatus { state.status.value }

    /// The number of the last transaction of the model that became an entry; 0 before the first. A ``ReplicaConflict``
    /// names transactions by these numbers.
    public var lastNumber: Int { state.counts.made }

    /// Waits until the log has all changes that were made so far, and the model has all entries that the log had.
    ///
    /// While the log cannot be reached, it waits.
    ///
    /// - Throws: ``ReplicaError`` if the replica is refused or has ended; `CancellationError` if the task is cancelled.
    ///   The changes stay pending.
    public func synchronised() async throws { try await driver.synchronise() }

    /// Stops sharing. What was not sent stays in the journal, if there is one; to send it, call ``synchronised()`` first.
    ///
    /// When it returns, the model is not written any more, and the journal may be used by a new replica.
    public func end() async {
        for task in tasks { task.cancel() }
        state.end()
        await driver.end()
        for task in tasks { await task.value }
    }
}
