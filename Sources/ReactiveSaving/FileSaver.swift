// Writes the newest encoded state to a file, in the background or at once, and keeps what has not been written.
//
// Encodings are numbered. Two locks, neither held while the graph's lock is taken or user code runs, a deinitialiser
// included: an encoding is the user's error, or bytes that the user's encoder may have brought a deallocator for.
//
//     file        held while the file is written: one writer at a time, who takes the newest encoding
//     state       held for a few instructions; may be taken under that of `file`, and under the graph's lock
//
// Outcomes are published after both are released, to an observable. So whoever hears of a failure may save again from
// there.

import Dispatch
import Reactive

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Sendable because `publishedAttempt` is guarded by the graph's lock.
final class FileSaver: @unchecked Sendable {
    struct Failure: Sendable {
        let error: any Error
        /// Somebody has got it as a thrown error.
        let wasThrown: Bool
    }

    private struct State {
        typealias Unsaved = (number: Int, result: Result<Data, any Error>)

        /// The newest encoding and its number, unless it has been written.
        var unsaved: Unsaved?
        var number = 0
        /// A block that will write is on its way.
        var isScheduled = false
        /// How often writing was tried.
        var attempts = 0
        /// Whether that has ever failed.
        var hasFailed = false
    }

    /// Its lock is held while the file is written.
    private let file: Guarded<AtomicFile>
    private let queue = DispatchQueue(label: "autosave")
    private let state = Guarded(State())
    private var publishedAttempt = 0
    /// The outcome of the last attempt, if it failed.
    let failure = Observable<Failure?>(nil, named: "failure of saving")

    init(_ file: AtomicFile) { self.file = Guarded(file) }

    /// Takes over a new encoding, which replaces the one before.
    func take(_ result: Result<Data, any Error>) {
        state.withLock { state in
            state.number += 1
            state.unsaved = (state.number, result)
        }
    }

    /// Writes the newest encoding soon, on another thread.
    func saveSoon() {
        let isScheduled = state.withLock { state in
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if isScheduled { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            state.withLock { $0.isScheduled = false }
            let (attempt, error) = save()
            publish(attempt, error.map { Failure(error: $0, wasThrown: false) })
        }
    }

    /// Writes the newest encoding now, after what is being written.
    func saveNow() throws {
        let (attempt, error) = save()
        publish(attempt, error.map { Failure(error: $0, wasThrown: true) })
        if let error { throw error }
    }

    /// Writes the newest encoding now, after what is being written, on another thread.
    func saveInBackground() async throws {
        let error = await withCheckedContinuation { continuation in
            // One after the other: those that come while a file is written wait in the queue, not on threads.
            queue.async { [self] in
                let (attempt, error) = save()
                publish(attempt, error.map { Failure(error: $0, wasThrown: true) })
                continuation.resume(returning: error)
            }
        }
        if let error { throw error }
    }

    /// Writes what has not been written. Returns the number of the attempt and why it failed.
    private func save() -> (attempt: Int, error: (any Error)?) {
        let (attempt, unsaved, error) = file.withLock { file -> (Int, State.Unsaved?, (any Error)?) in
            let (attempt, unsaved) = state.withLock { state in
                state.attempts += 1
                return (state.attempts, state.unsaved)
            }
            guard let unsaved else { return (attempt, nil, nil) }
            do {
                try file.replaceContents(with: unsaved.result.get())
            } catch {
                state.withLock { $0.hasFailed = true }
                return (attempt, unsaved, error)
            }
            state.withLock { state in
                if state.unsaved?.number == unsaved.number { state.unsaved = nil }
            }
            return (attempt, unsaved, nil)
        }
        // Released here, outside the locks.
        withExtendedLifetime(unsaved) {}
        return (attempt, error)
    }

    private func publish(_ attempt: Int, _ outcome: Failure?) {
        // Whoever enters the graph may have to run what others made due there. As long as all goes well, no thread of
        // ours does.
        guard state.withLock({ $0.hasFailed }) else { return }
        GraphHandle(of: failure).withUntrackedLock {
            guard attempt > publishedAttempt else { return }
            publishedAttempt = attempt
            if outcome != nil || failure.value != nil { failure.value = outcome }
        }
    }
}
