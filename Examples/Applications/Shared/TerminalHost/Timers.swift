// Timers as a protocol, so that tests can supply their own.

/// A clock with timers: that of the event loop, or one that a test advances.
public protocol Timers: AnyObject {
    /// The seconds since an unspecified moment.
    var now: Double { get }

    /// Calls `action` every `seconds` until the timer is cancelled. Missed calls are skipped.
    func every(_ seconds: Double, _ action: @escaping () -> Void) -> ScheduledTimer
}

/// A scheduled timer.
public struct ScheduledTimer {
    private let end: () -> Void

    /// Creates a timer from its cancellation.
    public init(cancel: @escaping () -> Void) { end = cancel }

    /// Cancels the timer. A second call does nothing.
    public func cancel() { end() }
}
