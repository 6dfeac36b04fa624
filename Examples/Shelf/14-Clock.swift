// A clock as state: it ticks while it is observed.
//
//     swift run --package-path Examples Clock

import Reactive

/// Counts the time in steps, and only while it is observed.
@MainActor final class Clock {
    private let step: Duration
    private let zero = ContinuousClock.now
    private var ticking: Task<Void, Never>?
    private lazy var source = Source(
        named: "clock", onObserved: { @MainActor [weak self] in self?.start() },
        onUnobserved: { @MainActor [weak self] in self?.stop() })

    init(every step: Duration) { self.step = step }

    /// The number of steps since the clock was created. It is correct without an observer, too.
    var ticks: Int {
        source.track()
        return Int((ContinuousClock.now - zero) / step)
    }

    private func start() {
        print("starts")
        ticking = Task { [source, step] in
            while (try? await Task.sleep(for: step)) != nil { source.changed() }
        }
    }

    private func stop() {
        print("stops")
        ticking?.cancel()
    }
}

let clock = Clock(every: .milliseconds(100))
let isLate = Computed { clock.ticks >= 3 }

// Computeds without observers do not start it.
print("late:", isLate.value)  // prints "late: false"

let display = autorun { print("shows", isLate.value) }
// prints:
// shows false
// starts
try await when { isLate.value }  // prints "shows true"
// It ticked three times or more. The display ran only when its text was different.
print("runs:", display.runCount)  // prints "runs: 2"
display.cancel()  // prints "stops"
