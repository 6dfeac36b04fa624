// Pauses between attempts: they double, and each is shortened at random, so that many replicas do not come back at once.

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

    /// Begins anew, after a success.
    mutating func reset() { next = first }

    /// The next pause.
    ///
    /// - Parameter isRefused: Whether the log has given its final answer: the pause is the longest one then.
    mutating func next(isRefused: Bool) -> Duration {
        let pause = isRefused ? longest : next
        next = min(longest, next * 2)
        return pause * Double.random(in: 0.5...1)
    }
}
