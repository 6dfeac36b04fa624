// Writes waiting contents, in the background or synchronously, and reports the outcome.
//
// There are two locks. While one is held, this code neither locks a graph nor runs user code, deinitializers included:
// an encoding is the user's error, or data for which the user's encoder may have provided a deallocator.
//
//     writing     held while files are written: one writer at a time, which takes all waiting contents
//     state       held for a few instructions; may be taken while `writing` or the graph's lock is held
//
// Outcomes are published to an observable, after both locks are released. So an observer of a failure may save again
// from there.
//
// A saver holds the lock of its file (FileLock.swift) from its beginning to its end. If the lock is taken, the saver is
// refused permanently: its contents were created without knowing what the other saver has written.

import Dispatch
package import Reactive

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The writer of one file. Any thread may use it.
// Sendable because `publishedAttempt` is guarded by the graph's lock.
package final class FileSaver: @unchecked Sendable {
    private struct State {
        var lock: FileLock?
        /// Whether requesting the lock again can have a different outcome.
        var isLockOpen = true
        var refusal: SavingError?
        /// Whether a block is scheduled that will write.
        var isScheduled = false
        /// Whether a thread is writing.
        var isWriting = false
        /// Whether saving has ended.
        var hasEnded = false
        /// Whether the user ends it, and not only the end of its reactions.
        var isCancelled = false
        /// The actor that encodes; kept only while something is waiting to be saved.
        var actor: ClosureIsolation?
        /// Whether something has changed after the end of that actor.
        var hasLostChange = false
        /// The number of attempts to write.
        var attempts = 0
        /// The outcome of the last attempt that has ended.
        var outcome: (attempt: Int, error: (any Error)?) = (0, nil)
        /// Whether there was ever an outcome to publish.
        var hasNews = false
        /// The errors to report to the user.
        var reports: [any Error] = []
        /// The handler of the reports of the write in progress, if the reaction that reports has ended meanwhile.
        var lastHandler: ReportHandler?
    }

    package let contents: any SavedContents
    /// Its lock is held while files are written.
    // The state has a size because the thread sanitizer takes the address of an empty one for that of the object.
    // No test sees this: nothing reads the value.
    private let writing = Guarded(false)
    private let queue = DispatchQueue(label: "autosave")
    private let state = Guarded(State())
    private var publishedAttempt = 0
    /// The outcome of the last attempt, if it failed.
    package let failure = Observable<(any Error)?>(nil, named: "failure of saving")
    /// The number of errors to report so far.
    let reportCount = Observable(0, named: "reports of saving")
    /// Called after each successful attempt, on the thread that wrote.
    private let afterWriting: Guarded<(@Sendable () -> Void)?> = Guarded(nil)

    package init(_ contents: any SavedContents) { self.contents = contents }

    /// Sets the closure that runs after each successful attempt, on the thread that wrote.
    package func afterWriting(_ body: @escaping @Sendable () -> Void) { afterWriting.withLock { $0 = body } }

    // MARK: - The lock

    /// The error of this saver if a different saver holds the lock of the file.
    package var refusal: SavingError? { state.withLock { $0.refusal } }

    /// Whether saving has ended.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The error of saving after the reactions of this saver have ended: changes may be unsaved. `nil` if the
    /// user has ended it.
    package var lossError: SavingError? {
        guard state.withLock({ $0.hasEnded && !$0.isCancelled }) else { return nil }
        let reason =
            isActorGone
            ? """
            its autosave has ended, because the actor that it was created on is gone. The last changes are not saved. \
            Call flush() and cancel() before you release the actor
            """
            : "its autosave has ended, because its reactions were cancelled. Call flush() before cancelReactions()"
        return SavingError(path: contents.file.path, reason: reason)
    }

    /// Takes the lock of the file, if that is possible now. Publishes a refusal.
    ///
    /// - Parameter actor: The actor that encodes.
    package func begin(on actor: (any Actor)? = nil) {
        state.withLock { $0.actor = actor.map { ClosureIsolation($0) } }
        writing.withLock { _ in claimLock() }
        guard let refusal else { return }
        state.withLock { state in
            state.attempts += 1
            state.outcome = (state.attempts, refusal)
            state.reports.append(refusal)
        }
        publish()
    }

    private func claimLock() {
        guard state.withLock({ $0.isLockOpen }) else { return }
        guard let target = try? contents.file.resolvedPath() else { return }
        let claim = FileLock.claim(for: target)
        state.withLock { state in
            switch claim {
            case .held(let lock): state.lock = lock
            case .tooEarly: return
            case .unavailable: break
            case .refused(let owner, let isThisProcess):
                state.refusal = SavingError(path: contents.file.path, owner: owner, isThisProcess: isThisProcess)
            }
            state.isLockOpen = false
        }
    }

    /// Waits until no thread is writing.
    package func waitForWriters() { writing.withLock { _ in } }

    /// Declares that the user wants saving to end, and unsaved contents to be dropped. `end` must follow.
    package func willCancel() { state.withLock { $0.isCancelled = true } }

    /// Ends saving, and releases the lock when no thread is writing. May be called under any lock.
    package func end() {
        let lock = state.withLock { state -> FileLock? in
            state.hasEnded = true
            return state.isWriting ? nil : state.lock.take()
        }
        lock?.release()
    }

    /// Whether the actor that encodes is gone.
    private var isActorGone: Bool { state.withLock { $0.actor }.map { $0.actor == nil } ?? false }

    /// Ends saving if the actor that encodes is gone: nothing is unsaved but what could not be written, and that was
    /// reported.
    func endIfActorIsGone() {
        guard isActorGone else { return }
        end()
        withExtendedLifetime(contents.discard()) {}
    }

    /// Ends saving, because something has changed after the end of the actor that encodes. Reports that, once, unless
    /// the user has ended saving.
    package func loseChange() {
        end()
        let isNews = state.withLock { state in
            defer { state.hasLostChange = true }
            return !state.hasLostChange
        }
        guard isNews, let lossError else { return }
        publishBackground(lossError)
    }

    // MARK: - Saving

    /// Schedules writing the waiting contents on a different thread. Keeps the actor that encodes until they are
    /// written: changes that it encodes meanwhile are written after them.
    package func saveSoon() {
        let (isScheduled, isRefused, isolation) = state.withLock { state in
            // No test sees this: a second block finds nothing to write, or repeats an attempt that failed.
            defer { state.isScheduled = true }
            return (state.isScheduled, state.refusal != nil, state.actor)
        }
        // No test sees this never hold: it only saves a block, as above.
        if isScheduled { return }
        if isRefused { return }
        let actor = isolation?.actor
        DispatchQueue.global(qos: .utility).async { [self] in
            // No test sees this left out: the line stays in a branch then, and a closure keeps what it names.
            defer { withExtendedLifetime(actor) {} }
            let hasEnded = state.withLock { state in
                state.isScheduled = false
                return state.hasEnded
            }
            if hasEnded { return }
            _ = save(reportsError: true)
            publish()
            handleLastReports()
        }
    }

    /// Writes the waiting contents now, after a write in progress.
    package func saveNow() throws {
        let error = save(reportsError: false)
        publish()
        handleLastReports()
        if let error { throw error }
    }

    /// Writes the waiting contents now, after a write in progress, on a different thread.
    package func saveInBackground() async throws {
        let error = await withCheckedContinuation { continuation in
            // One after the other: calls during a write wait in the queue and block no threads.
            queue.async { [self] in
                let error = save(reportsError: false)
                publish()
                handleLastReports()
                continuation.resume(returning: error)
            }
        }
        if let error { throw error }
    }

    /// Whether the state must be encoded as a whole, because no waiting contents would make the files right.
    package var needsEncoding: Bool { writing.withLock { _ in contents.needsEncoding } }

    /// Runs `body` while no thread is writing. `body` must not lock a graph or run user code.
    package func withoutWriters<Result>(_ body: () -> Result) -> Result? {
        defer { handleLastReports() }
        return writing.withLock { _ in
            guard
                state.withLock({ state in
                    if !state.hasEnded { state.isWriting = true }
                    return !state.hasEnded
                })
            else { return nil }
            defer { endWriting() }
            return body()
        }
    }

    private func endWriting() {
        let lock = state.withLock { state -> FileLock? in
            state.isWriting = false
            return state.hasEnded ? state.lock.take() : nil
        }
        lock?.release()
    }

    /// Writes unsaved contents. Returns the error if that failed.
    ///
    /// - Parameter reportsError: Whether that error is one of the reports. If so, it is one before the write ends, so
    ///   that `waitForWriters` waits for all reports.
    private func save(reportsError: Bool) -> (any Error)? {
        let (written, error) = writing.withLock { _ -> (Any?, (any Error)?) in
            let (attempt, mayWrite) = state.withLock { state in
                state.attempts += 1
                if !state.hasEnded { state.isWriting = true }
                return (state.attempts, !state.hasEnded)
            }
            func recorded(_ error: (any Error)?, isReport: Bool = false) -> (any Error)? {
                state.withLock { state in
                    if isReport, let error { state.reports.append(error) }
                    state.outcome = (attempt, error)
                }
                return error
            }
            guard mayWrite else { return (nil, recorded(lossError)) }
            defer { endWriting() }
            claimLock()
            do {
                if let refusal { throw refusal }
                let written = try contents.write { report in
                    state.withLock { $0.reports.append(report) }
                }
                return (written, recorded(nil))
            } catch {
                return (nil, recorded(error, isReport: reportsError))
            }
        }
        // Released here, outside the locks.
        // No test sees this left out: only an optimiser may release it earlier.
        withExtendedLifetime(written) {}
        if error == nil { afterWriting.withLock { $0 }?() }
        return error
    }

    // MARK: - Reporting

    /// Publishes the outcome of background work that is not an attempt to save.
    package func publishBackground(_ error: any Error) {
        state.withLock { $0.reports.append(error) }
        let graph = GraphHandle(of: reportCount)
        graph.withUntrackedLock { reportCount.value += 1 }
    }

    /// Publishes the outcome of the last attempt, and that there are reports.
    private func publish() {
        let (outcome, hasNews, hasReports) = state.withLock { state in
            if state.outcome.error != nil || !state.reports.isEmpty { state.hasNews = true }
            return (state.outcome, state.hasNews, !state.reports.isEmpty)
        }
        // A thread that enters the graph may have to run reactions that other threads made due. So the saver's thread
        // does not enter the graph as long as all attempts succeed.
        guard hasNews else { return }
        GraphHandle(of: failure).withUntrackedLock {
            // No test sees this always hold: the reaction would find no reports.
            if hasReports { reportCount.value += 1 }
            publish(outcome)
        }
    }

    /// Publishes an outcome, unless a later one has been published. Under the graph's lock.
    private func publish(_ outcome: (attempt: Int, error: (any Error)?)) {
        guard outcome.attempt > publishedAttempt else { return }
        publishedAttempt = outcome.attempt
        if outcome.error != nil || failure.value != nil { failure.value = outcome.error }
    }

    /// Whether there are errors to report.
    var hasReports: Bool { state.withLock { !$0.reports.isEmpty } }

    /// Ends reporting: passes the last reports to the handler, now or when the write in progress has ended.
    func endReports(to handler: ReportHandler) {
        let isWriting = state.withLock { state in
            if state.isWriting { state.lastHandler = handler }
            return state.isWriting
        }
        if !isWriting { handler.handleLastReports() }
    }

    /// Passes on the reports of a write that has ended after reporting has. Outside both locks.
    private func handleLastReports() {
        let handler = state.withLock { $0.isWriting ? nil : $0.lastHandler.take() }
        handler?.handleLastReports()
    }

    /// Removes and returns the errors to report. The outcomes of attempts that come with them have been published then:
    /// a different thread that publishes may be the one that finds the report of an attempt.
    func takeReports() -> [any Error] {
        let (reports, outcome) = state.withLock { state in
            defer { state.reports = [] }
            return (state.reports, state.outcome)
        }
        // No test sees this always hold: it only saves the lock.
        if !reports.isEmpty { GraphHandle(of: failure).withUntrackedLock { publish(outcome) } }
        return reports
    }
}
