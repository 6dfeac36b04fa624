// What Observation leaves to its user: running again what read a value that has changed.

import Observation

/// A queue of closures to run again, standing for a run loop. `onChange` is called before the value changes, so running must wait.
///
/// Unchecked: each belongs to one test, which runs on one thread.
final class Loop: @unchecked Sendable {
    private var due: [() -> Void] = []

    /// Runs `body`, and again in the first `drain` after a change of what it read.
    func autorun(_ body: @escaping () -> Void) {
        // Unsafe: a closure that only the test's thread calls, as said above.
        nonisolated(unsafe) let body = body
        withObservationTracking(body) {
            self.due.append { self.autorun(body) }
        }
    }

    /// Runs what is due.
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
