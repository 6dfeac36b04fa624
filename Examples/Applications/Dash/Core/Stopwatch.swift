// A stopwatch: `useEffect` starts a timer while the watch runs, and its clean-up cancels the timer.

import Foundation
import ReactiveHooks
import TerminalHost

/// A stopwatch that can be started, stopped and reset.
func stopwatch() -> View {
    let timers = useScreen().timers
    let isRunning = useState(false)
    let elapsed = useState(0.0)
    /// The elapsed time and the time of day when the watch was last started or reset.
    let start = useRef((elapsed: 0.0, time: 0.0))

    useEffect(.preserved(by: isRunning.wrappedValue)) {
        guard isRunning.wrappedValue else { return nil }
        start.current = (elapsed.wrappedValue, timers.now)
        let timer = timers.every(0.1) {
            elapsed.wrappedValue = start.current.elapsed + timers.now - start.current.time
        }
        return { timer.cancel() }
    }

    return row(spacing: 2) {
        text(clockText(elapsed.wrappedValue), .bold)
        text(isRunning.wrappedValue ? "running" : "stopped", .dim)
    }.onKey { key in
        switch key {
        case .character("s"): isRunning.wrappedValue.toggle()
        case .character("z"):
            start.current = (0, timers.now)
            elapsed.wrappedValue = 0
        default: return false
        }
        return true
    }
}

/// Minutes, seconds and tenths.
private func clockText(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return String(format: "%02d:%02d.%d", tenths / 600, tenths / 10 % 60, tenths % 10)
}
