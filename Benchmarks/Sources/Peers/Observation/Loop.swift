// The part that Observation leaves to its user: running closures again after changes of the values that they read.

import Observation

/// A queue of closures to run again, as a stand-in for a run loop. `onChange` is called before the value changes, so
/// running must wait.
///
/// Unchecked `Sendable`, because each queue belongs to one test, which runs on one thread.
final class Loop: @unchecked Sendable {
    private var due: [() -> Void] = []

    /// Runs `body`, and again in the first `drain` after a change of a value that it has read.
    func autorun(_ body: @escaping () -> Void) {
        // Unsafe, because only the test's thread calls this closure.
        nonisolated(unsafe) let body = body
        withObservationTracking(body) {
            self.due.append { self.autorun(body) }
        }
    }

    /// Runs all due closures.
    @inline(__always)
    func drain() {
        if !due.isEmpty { runAll() }
    }

    private func runAll() {
        while !due.isEmpty {
            let now = due
            due.removeAll()
            for run in now { run() }
        }
    }
}
