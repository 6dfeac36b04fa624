// The pauses between attempts to reach a log. They double, and each is shortened at random, so that many replicas do
// not connect again at the same moment.

/// The pauses of one loop.
struct Backoff {
    private let first: Duration
    private let longest: Duration
    private var next: Duration

    init(_ settings: ReplicaSettings) {
        first = settings.firstPause
        longest = max(settings.firstPause, settings.longestPause)
        next = first
    }

    /// Starts again with the first pause, after a success.
    mutating func reset() { next = first }

    /// Returns the next pause.
    ///
    /// - Parameter isRefused: Whether the log has given a final answer. The pause then is the longest one.
    mutating func next(isRefused: Bool) -> Duration {
        let pause = isRefused ? longest : next
        next = min(longest, next * 2)
        return pause * Double.random(in: 0.5...1)
    }
}
