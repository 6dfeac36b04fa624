// Writes what waits to be saved, in the background or synchronously, and reports how it went.
//
// Two locks, neither held while the graph's lock is taken or user code runs, a deinitialiser included: an encoding is
// the user's error, or bytes that the user's encoder may have brought a deallocator for.
//
//     writing     held while files are written: one writer at a time, who takes all that waits
//     state       held for a few instructions; may be taken under that of `writing`, and under the graph's lock
//
// Outcomes are published after both are released, to an observable. So whoever hears of a failure may save again from
// there.
//
// A saver has the lock of its file (FileLock.swift) from its beginning to its end. One that finds the lock taken is
// refused for good: what it would write was made without knowing what the other one has written.

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
        /// Whether asking for the lock can have another outcome than it had.
        var isLockOpen = true
        var refusal: SavingError?
        /// A block that will write is on its way.
        var isScheduled = false
        /// A thread is writing.
        var isWriting = false
        /// Nothing is to be written any more.
        var hasEnded = false
        /// How often writing was tried.
        var attempts = 0
        /// Whether there was ever something to publish.
        var hasNews = false
        /// What is to be reported to the user.
        var reports: [any Error] = []
    }

    package let contents: any SavedContents
    /// Its lock is held while files are written.
    // Of a state that has a size: the thread sanitizer takes the address of nothing for that of the object.
    private let writing = Guarded(false)
    private let queue = DispatchQueue(label: "autosave")
    private let state = Guarded(State())
    private var publishedAttempt = 0
    /// The outcome of the last attempt, if it failed.
    package let failure = Observable<(any Error)?>(nil, named: "failure of saving")
    /// The number of errors that were ever to be reported.
    let reportCount = Observable(0, named: "reports of saving")
    /// Called after each successful attempt, on the thread that wrote.
    private let afterWriting: Guarded<(@Sendable () -> Void)?> = Guarded(nil)

    package init(_ contents: any SavedContents) { self.contents = contents }

    /// Sets what is called after each attempt that succeeded, on the thread that wrote.
    package func afterWriting(_ body: @escaping @Sendable () -> Void) { afterWriting.withLock { $0 = body } }

    // MARK: - The lock

    /// Why this saver may not save, if somebody else saves to the file.
    package var refusal: SavingError? { state.withLock { $0.refusal } }

    /// Whether nothing is to be written any more.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Takes the lock of the file, if that can be done now. Publishes a refusal.
    package func begin() {
        writing.withLock { _ in claimLock() }
        guard let refusal else { return }
        let attempt = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        publish(attempt, refusal, wasThrown: false)
    }

    private func claimLock() {
        guard state.withLock({ $0.isLockOpen && $0.lock == nil }) else { return }
        guard let target = try? contents.file.resolvedPath() else { return }
        let claim = FileLock.claim(for: target)
        state.withLock { state in
            switch claim {
            case .held(let lock): state.lock = lock
            case .tooEarly: return
            case .unavailable: break
            case .refused(let owner): state.refusal = SavingError(path: contents.file.path, owner: owner)
            }
            state.isLockOpen = false
        }
    }

    /// Waits until nobody writes.
    package func waitForWriters() { writing.withLock { _ in } }

    /// Ends saving, and releases the lock once nobody writes. May be called under any lock.
    package func end() {
        let lock = state.withLock { state -> FileLock? in
            state.hasEnded = true
            return state.isWriting ? nil : state.lock.take()
        }
        withExtendedLifetime(lock) {}
    }

    // MARK: - Saving

    /// Writes what waits soon, on another thread.
    package func saveSoon() {
        let isScheduled = state.withLock { state in
            defer { state.isScheduled = true }
            return state.isScheduled || state.refusal != nil
        }
        if isScheduled { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            state.withLock { $0.isScheduled = false }
            let (attempt, error) = save()
            publish(attempt, error, wasThrown: false)
        }
    }

    /// Writes what waits now, after what is being written.
    package func saveNow() throws {
        let (attempt, error) = save()
        publish(attempt, error, wasThrown: true)
        if let error { throw error }
    }

    /// Writes what waits now, after what is being written, on another thread.
    package func saveInBackground() async throws {
        let error = await withCheckedContinuation { continuation in
            // One after the other: those that come while a file is written wait in the queue, not on threads.
            queue.async { [self] in
                let (attempt, error) = save()
                publish(attempt, error, wasThrown: true)
                continuation.resume(returning: error)
            }
        }
        if let error { throw error }
    }

    /// Whether the state must be encoded as a whole, because nothing that waits gives the files the right contents.
    package var needsEncoding: Bool { writing.withLock { _ in contents.needsEncoding } }

    /// Runs `body` while nobody writes. `body` must not lock a graph or run user code.
    package func withoutWriters<Result>(_ body: () -> Result) -> Result? {
        writing.withLock { _ in
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
        withExtendedLifetime(lock) {}
    }

    /// Writes what has not been written. Returns the number of the attempt and why it failed.
    private func save() -> (attempt: Int, error: (any Error)?) {
        let (attempt, written, error) = writing.withLock { _ -> (Int, Any?, (any Error)?) in
            let (attempt, mayWrite) = state.withLock { state in
                state.attempts += 1
                if !state.hasEnded { state.isWriting = true }
                return (state.attempts, !state.hasEnded)
            }
            guard mayWrite else { return (attempt, nil, nil) }
            defer { endWriting() }
            claimLock()
            if let refusal { return (attempt, nil, refusal) }
            do {
                let written = try contents.write { report in
                    state.withLock { $0.reports.append(report) }
                }
                return (attempt, written, nil)
            } catch {
                return (attempt, nil, error)
            }
        }
        // Released here, outside the locks.
        withExtendedLifetime(written) {}
        if error == nil { afterWriting.withLock { $0 }?() }
        return (attempt, error)
    }

    // MARK: - Reporting

    /// Publishes the outcome of work in the background that is no attempt to save.
    package func publishBackground(_ error: any Error) {
        state.withLock { state in
            state.reports.append(error)
            state.hasNews = true
        }
        let graph = GraphHandle(of: reportCount)
        graph.withUntrackedLock { reportCount.value += 1 }
    }

    private func publish(_ attempt: Int, _ error: (any Error)?, wasThrown: Bool) {
        let (hasNews, hasReports) = state.withLock { state in
            if let error, !wasThrown { state.reports.append(error) }
            if error != nil || !state.reports.isEmpty { state.hasNews = true }
            return (state.hasNews, !state.reports.isEmpty)
        }
        // Whoever enters the graph may have to run what others made due there. As long as all goes well, no thread of
        // ours does.
        guard hasNews else { return }
        GraphHandle(of: failure).withUntrackedLock {
            if hasReports { reportCount.value += 1 }
            guard attempt > publishedAttempt else { return }
            publishedAttempt = attempt
            if error != nil || failure.value != nil { failure.value = error }
        }
    }

    /// Takes the errors that are to be reported.
    func takeReports() -> [any Error] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }
}
