// Asynchronous operations that a test answers explicitly.

import Foundation

/// Questions that wait for answers.
final class Answers<Answer: Sendable>: @unchecked Sendable {
    // Sendable because the state is touched under the lock only.
    private struct State {
        var asked: [String: CheckedContinuation<Answer, any Error>] = [:]
        var cancelled: Set<String> = []
        var waiting: [(isMet: (State) -> Bool, goOn: CheckedContinuation<Void, Never>)] = []

        mutating func takeMet() -> [CheckedContinuation<Void, Never>] {
            let met = waiting.filter { $0.isMet(self) }
            let rest = waiting.filter { !$0.isMet(self) }
            waiting = rest
            return met.map(\.goOn)
        }
    }

    private let lock = NSLock()
    private var state = State()

    /// Waits for the answer to `question`. Records the cancellation of the task, and continues to wait.
    func ask(_ question: String) async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.asked[question] = continuation }
            }
        } onCancel: {
            change { _ = $0.cancelled.insert(question) }
        }
    }

    /// Answers a pending question.
    func answer(_ question: String, _ answer: Answer) { take(question)?.resume(returning: answer) }

    /// Makes a pending question fail.
    func fail(_ question: String, _ error: any Error) { take(question)?.resume(throwing: error) }

    /// Returns once `question` waits for its answer.
    func isAsked(_ question: String) async { await wait { $0.asked[question] != nil } }

    /// Returns once the task that asks `question` has been cancelled.
    func isCancelled(_ question: String) async { await wait { $0.cancelled.contains(question) } }

    private func take(_ question: String) -> CheckedContinuation<Answer, any Error>? {
        lock.withLock { state.asked.removeValue(forKey: question) }
    }

    private func change(_ body: (inout State) -> Void) {
        let met = lock.withLock {
            body(&state)
            return state.takeMet()
        }
        met.forEach { $0.resume() }
    }

    private func wait(_ isMet: @escaping (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiting.append((isMet, continuation)) }
        }
    }
}
