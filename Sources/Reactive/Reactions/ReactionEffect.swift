// The effect of a reaction, which runs outside the lock after the tracked closure.

/// The second half of a reaction: the result of its tracked closure, and the side effect that uses it outside the lock.
@usableFromInline
class ReactionEffect {
    /// Whether the effect must run. Guarded by the graph's lock; unchecked for the reason given at `ReactionOptions`.
    @exclusivity(unchecked) @usableFromInline final var isDue = false

    /// Fixes, under the lock, the values that `run` will use. Resets `isDue`.
    func take(for reaction: Reaction) { isDue = false }

    /// Runs the effect, outside the lock. It never overlaps with itself.
    func run() {}

    /// Discards the result of the first run, because that was rolled back. Under the lock, before the next run.
    func startOver() { isDue = false }

    /// The run that takes over whatever `run` creates; `nil` if this reaction keeps it.
    var heir: OwnerRun? { nil }

    /// Releases closures that objects other than the reaction may keep alive. Under the lock, when the reaction has
    /// been cancelled.
    func end() {}
}
