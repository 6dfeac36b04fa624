// The loops of a replica. They move entries between its state, its journal and its log, and run independently:
//
//     reading   entries after the position ─▶ the model; wait for more; repeat          each round is counted
//     sending   pending entries ─▶ the journal ─▶ the log; wait for more; repeat
//     keeping   pending entries ─▶ the journal; wait for more; repeat                   also while sending pauses
//
// If the log cannot be reached, reading and sending pause, each for itself. A pause is longer than the one before. It
// ends early if a caller wants a round.

import Foundation
import Reactive

/// The loops of one replica.
actor ReplicaDriver {
    private let state: ReplicaState
    private let log: any ReplicaLog
    private let journal: ReplicaJournal?
    private let settings: ReplicaSettings
    private let model: ModelAccess
    private let pause: @Sendable (Duration) async throws -> Void
    /// Receives an element when there are entries to send.
    private let requests: AsyncStream<Void>
    /// Receives an element when there are changes to keep in the journal.
    private let changes: AsyncStream<Void>

    /// The number of rounds of reading that have begun.
    private var begunRounds = 0
    /// The number of the last round of reading that succeeded.
    private var completedRound = 0
    /// The number of the round that a caller waits for. Until it has begun, reading does not pause.
    private var wantedRound = 0
    private var hasEnded = false
    /// The current waits of the reading loop and of the sending loop.
    private var waiting: [Task<Void, any Error>?] = [nil, nil]
    private var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]

    init(
        _ state: ReplicaState, _ log: any ReplicaLog, _ journal: ReplicaJournal?, settings: ReplicaSettings,
        model: ModelAccess, requests: AsyncStream<Void>, changes: AsyncStream<Void>,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.state = state
        self.log = log
        self.journal = journal
        self.settings = settings
        self.model = model
        self.requests = requests
        self.changes = changes
        self.pause = pause
    }

    /// The maximum number of entries that are read at a time.
    private let batchCount = 1_000
    /// The size in bytes at which a batch of entries to send ends.
    private let batchByteCount = 1 << 18

    // MARK: - Beginning

    /// Writes the document of the journal or of the log into the model.
    ///
    /// - Throws: ``ReplicaError/refused(_:)``; the error of the log, if there is no document in a journal; the error of
    ///   reading the journal.
    func begin() async throws {
        do {
            if let journal, let kept = try await journal.load(limits: settings.limits) {
                state.collectForJournal()
                try await model.run { try $0.begin(with: kept.loaded, identity: kept.identity, pending: kept.pending) }
                // The loops find out whether the log can be reached.
                return
            }
            let identity = state.withLock { state.identity }
            let loaded = try await load(creating: true)
            if journal != nil { state.collectForJournal() }
            try await model.run { try $0.begin(with: loaded, identity: identity) }
            if let journal { try await journal.begin(loaded, identity: identity) }
        } catch let refusal as ReplicaRefusal {
            throw ReplicaError.refused(refusal)
        } catch let error as LogError {
            throw ReplicaError.refused(.log(error.description))
        }
    }

    /// Reads the latest snapshot and all entries after it.
    ///
    /// - Parameter creating: Whether to save the model's JSON as the first snapshot, if there is none.
    private func load(creating: Bool) async throws -> LoadedDocument {
        var hasSaved = false
        while true {
            let identity = state.withLock { state.identity }
            let start = try await log.start(of: identity)
            state.connect {
                $0.end = start.end
                $0.hasAnswered = true
            }
            guard let snapshot = start.snapshot else {
                guard creating else { throw LogError.unknownPosition }
                guard !hasSaved else {
                    throw LogError.refused("the log did not store a snapshot: start(of:) returns none after save(_:)")
                }
                hasSaved = true
                // If several replicas do so, the log keeps the first snapshot, and all of them begin with that.
                let version = settings.versions.upperBound
                try await log.save(LogSnapshot(position: 0, version: version, content: state.content))
                continue
            }
            var loaded = try LoadedDocument(snapshot, lastNumber: start.lastNumber, limits: settings.limits)
            do {
                repeat {
                    let entries = try await log.entries(after: loaded.position, limit: batchCount)
                    if entries.isEmpty { break }
                    loaded.apply(entries, notingThoseOf: identity)
                } while loaded.position < start.end
                return loaded
            } catch LogError.pruned {
                // A later snapshot was saved, and the entries after this one were pruned.
            }
        }
    }

    // MARK: - Reading

    /// Follows the log until the task is cancelled.
    func read() async {
        var backoff = Backoff(settings)
        while !Task.isCancelled {
            begunRounds += 1
            let round = begunRounds
            do {
                try await pull(toTheEnd: round <= wantedRound)
                state.connect {
                    $0.reading = nil
                    $0.hasAnswered = true
                }
                backoff.reset()
                completedRound = round
                resumeWaiters()
                if state.takeSnapshotRequest() { saveSnapshot() }
                if round < wantedRound { continue }
                let position = state.withLock { state.position }
                try await wait(as: .reading) { [log] in try await log.waitForEntries(after: position) }
            } catch LogError.pruned {
                do {
                    let loaded = try await load(creating: false)
                    try await model.beginAgain(with: loaded)
                    if let journal { await journal.save { [state] in state.takeUnsaved() } }
                } catch {
                    await rest(after: error, \.reading, &backoff)
                }
            } catch {
                await rest(after: error, \.reading, &backoff)
            }
        }
    }

    /// Applies the entries that the log has after the position.
    ///
    /// A log may return fewer entries than it has, if they are large. Without a waiting caller, the entries after those
    /// are read in the next round, which begins immediately: the log has entries after the position.
    ///
    /// - Parameter toTheEnd: Whether to read until the log has no entry after the position.
    private func pull(toTheEnd: Bool) async throws {
        while true {
            let position = state.withLock { state.position }
            let entries = try await log.entries(after: position, limit: batchCount)
            if entries.isEmpty, !state.hasOverdue { return }
            let identity = state.withLock { state.identity }
            state.connect {
                $0.end = max($0.end, position + entries.count)
                $0.ownEntries = entries.count { $0.replica == identity }
            }
            defer {
                state.connect { $0.ownEntries = 0 }
                resumeWaiters()
            }
            try await model.receive(entries)
            if let journal { await journal.save { [state] in state.takeUnsaved() } }
            if entries.isEmpty || (entries.count < batchCount && !toTheEnd) { return }
        }
    }

    private func saveSnapshot() {
        let (document, position, version) = state.agreement
        Task.detached(priority: .utility) { [log, model] in
            do {
                let content = document.json.description
                try await log.save(LogSnapshot(position: position, version: version, content: content))
            } catch let error as LogError {
                Diagnostics.report(
                    .saving,
                    """
                    The log has refused a snapshot of \(model.name): \(error). Until it accepts one, new replicas read \
                    all entries after the last snapshot.
                    """, site: model.name)
            } catch {
                // The log cannot be reached. A replica saves the next snapshot after more entries.
            }
        }
    }

    // MARK: - Sending

    /// Sends the pending entries until the task is cancelled.
    func send() async {
        var backoff = Backoff(settings)
        for await _ in requests {
            var isDone = false
            while !isDone, !Task.isCancelled {
                do {
                    if let journal { await journal.save { [state] in state.takeUnsaved() } }
                    // If the model cannot be written now, the next entry that arrives rolls the transaction back.
                    if state.hasOversized { try? await model.receive([]) }
                    if case .unknownVersion? = state.refusal { break }
                    let entries = state.unsent(upTo: batchByteCount)
                    isDone = entries.isEmpty
                    guard let identity = entries.first?.replica else { break }
                    if let journal, await journal.savedIdentity != identity {
                        // The next process would find the entries in its journal under the former identity, and send
                        // them again.
                        let duration = backoff.next(isRefused: false)
                        try? await wait(as: .sending) { [pause] in try await pause(duration) }
                        continue
                    }
                    try await log.append(entries)
                    state.acknowledge(entries)
                    state.connect { $0.sending = nil }
                    backoff.reset()
                } catch LogError.identityInUse {
                    // The reading loop finds the entry of the other process, and requests sending under a new identity.
                    isDone = true
                } catch {
                    await rest(after: error, \.sending, &backoff)
                }
            }
            if Task.isCancelled { return }
        }
    }

    // MARK: - Keeping

    /// Keeps the pending entries in the journal, until the task is cancelled.
    func keep() async {
        guard let journal else { return }
        for await _ in changes { await journal.save { [state] in state.takeUnsaved() } }
    }

    // MARK: - Pauses

    private enum Loop: Int {
        case reading, sending
    }

    /// Records an error in the status, and pauses.
    private func rest(
        after error: any Error, _ obstacle: WritableKeyPath<ReplicaState.Connection, ReplicaState.Obstacle?>,
        _ backoff: inout Backoff
    ) async {
        if error is CancellationError { return }
        let found: ReplicaState.Obstacle =
            switch error {
            case let refusal as ReplicaRefusal: .refused(refusal)
            case let error as LogError: .refused(.log(error.description))
            default: .offline
            }
        state.connect { $0[keyPath: obstacle] = found }
        resumeWaiters()
        let duration = backoff.next(isRefused: found != .offline)
        if obstacle == \.reading, begunRounds < wantedRound { return }
        try? await wait(as: obstacle == \.reading ? .reading : .sending) { [pause] in try await pause(duration) }
    }

    /// Waits for `body`, or until a caller wants a round.
    private func wait(as loop: Loop, for body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        waiting[loop.rawValue] = task
        defer { waiting[loop.rawValue] = nil }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: - Waiting

    /// Waits until all entries made so far were read back, and a round of reading that began later has succeeded.
    func synchronise() async throws {
        try await model.run { try $0.catchUp() }
        let made = state.counts.made
        let round = begunRounds + 1
        wantedRound = max(wantedRound, round)
        for task in waiting { task?.cancel() }
        while completedRound < round || state.counts.confirmed < made {
            try Task.checkCancellation()
            if hasEnded { throw ReplicaError.ended }
            if let refusal = state.refusal { throw ReplicaError.refused(refusal) }
            await waitForNews()
        }
    }

    private func waitForNews() async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || hasEnded { return continuation.resume() }
                waiters[id] = continuation
            }
        } onCancel: {
            Task { await self.resume(id) }
        }
    }

    private func resume(_ id: UUID) { waiters.removeValue(forKey: id)?.resume() }

    private func resumeWaiters() {
        let resumed = waiters.values
        waiters = [:]
        for waiter in resumed { waiter.resume() }
    }

    #if DEBUG
    /// A sentence for each broken invariant of the journal; empty if none is.
    var brokenInvariants: [String] { get async { await journal?.brokenInvariants ?? [] } }
    #endif

    /// Releases the journal of a replica that has not begun, so that a new one may use it.
    func releaseJournal() async { await journal?.end() }

    /// Ends all waits, and closes the journal. Called after the loops were cancelled.
    func end() async {
        hasEnded = true
        resumeWaiters()
        if let journal {
            await journal.save { [state] in state.takeUnsaved() }
            await journal.end()
        }
    }
}
