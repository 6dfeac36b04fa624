// Time, as something that is handed in.

/// Time that passes, and what happens when it has: the event loop's, or one that a test moves by hand.
public protocol Timers: AnyObject {
    /// Seconds since some moment.
    var now: Double { get }

    /// Calls `action` again and again, `seconds` apart, until the timer is cancelled. Calls that were missed are not made up for.
    func every(_ seconds: Double, _ action: @escaping () -> Void) -> ScheduledTimer
}

/// A timer that was asked for.
public struct ScheduledTimer {
    private let end: () -> Void

    /// Creates a timer from what cancels it.
    public init(cancel: @escaping () -> Void) { end = cancel }

    /// Ends it. Ending it again does nothing.
    public func cancel() { end() }
}
