// What all spellings of `reaction` come down to: a tracked part that yields a value, and an effect that gets it when it changed.

func makeReaction<V>(
    _ name: String?, _ equality: Equality<V>, _ fireImmediately: Bool, _ schedule: Schedule,
    _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt, _ track: @escaping () -> V,
    _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    let effect = ValueEffect(equality, firesImmediately: fireImmediately, onChange)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line,
        extras: ReactionExtras(isolation: isolation, schedule: schedule, effect: effect)
    ) {
        effect.observe(track())
    }
    reaction.start()
    return reaction
}

/// Follows a value and hands the newest one to a closure when it differs from the last one handed over.
final class ValueEffect<V>: ReactionEffect {
    private let equality: Equality<V>
    private let onChange: (V, V) -> Void
    /// The newest value, if it has not been taken yet.
    private var latest: V?
    /// The last value that was handed over, or the first.
    private var current: V?
    /// The first value is to be handed over too, and has not been.
    private var firstIsPending: Bool
    /// What `run` hands over.
    private var change: (new: V, old: V)?

    init(_ equality: Equality<V>, firesImmediately: Bool, _ onChange: @escaping (V, V) -> Void) {
        self.equality = equality
        firstIsPending = firesImmediately
        self.onChange = onChange
    }

    /// Under the lock, inside the tracked part.
    func observe(_ value: V) {
        guard let current else {
            current = value
            if firstIsPending {
                latest = value
                isDue = true
            }
            return
        }
        if let replaced = latest { Trash.add(value: replaced) }
        if !firstIsPending, untracked({ equality.areEqual(current, value) }) {
            // Back to what was handed over last, before the change in between was.
            latest = nil
            isDue = false
        } else {
            latest = value
            isDue = true
        }
    }

    override func startOver() {
        super.startOver()
        if let forgotten = current { Trash.add(value: forgotten) }
        if let forgotten = latest { Trash.add(value: forgotten) }
        current = nil
        latest = nil
    }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        guard let new = latest else { return }
        change = (new, firstIsPending ? new : current ?? new)
        firstIsPending = false
        current = new
        latest = nil
    }

    override func run() {
        guard let (new, old) = change else { return }
        change = nil
        onChange(new, old)
    }
}
