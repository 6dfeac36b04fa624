// `reaction`: track one closure, act in another.
//
// The overloads differ in what `onChange` takes and in how values are compared; all come down to `makeReaction`.

/// Evaluates `track` now, and calls `onChange` whenever its value changes.
///
/// ```swift
/// reaction { state.greeting } onChange: { print($0) }
/// ```
///
/// Only `track` is tracked. `onChange` is not run on creation unless `fireImmediately` is set, and then only when the value changed; for
/// a value that cannot be compared, whenever something that `track` read has changed.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it ends.
///   - schedule: When runs that are due happen; by default at once.
///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one hop.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - track: Returns the value to follow. Runs with the graph locked, one thread at a time.
///   - onChange: Gets the new value. Runs outside the library's lock, untracked, its writes batched; its runs never overlap and never go
///     back in time, and under contention they skip to the latest value. Both closures are kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
@discardableResult
public func reaction<V>(
    named name: String? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, .automatic, fireImmediately, schedule, isolation, fileID, line, track, { new, _ in onChange(new) })
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value, compared as the type implies, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, .automatic, fireImmediately, schedule, isolation, fileID, line, track, { _, _ in onChange() })
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (the first time, with `fireImmediately`: the same value twice) whenever its value, compared as the type implies, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, .automatic, fireImmediately, schedule, isolation, fileID, line, track, onChange)
}

/// Evaluates `track` now, and calls `onChange` with the new value whenever its value, compared by the given rule (`.never`: every change of what was read counts), changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: Equality<V>, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, { new, _ in onChange(new) })
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value, compared by the given rule (`.never`: every change of what was read counts), changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: Equality<V>, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, { _, _ in onChange() })
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (the first time, with `fireImmediately`: the same value twice) whenever its value, compared by the given rule (`.never`: every change of what was read counts), changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: Equality<V>, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, onChange)
}

/// Evaluates `track` now, and calls `onChange` with the new value whenever its value, compared by a rule of your own, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: @escaping (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, { new, _ in onChange(new) })
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value, compared by a rule of your own, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: @escaping (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, { _, _ in onChange() })
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (the first time, with `fireImmediately`: the same value twice) whenever its value, compared by a rule of your own, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult
public func reaction<V>(
    named name: String? = nil, equals: @escaping (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, onChange)
}

private func makeReaction<V>(
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
private final class ValueEffect<V>: ReactionEffect {
    private let equality: Equality<V>
    private let firesImmediately: Bool
    private let onChange: (V, V) -> Void
    /// The newest value, if it has not been taken yet.
    private var latest: V?
    /// The last value that was handed over, or the first.
    private var current: V?
    /// What `run` hands over.
    private var change: (new: V, old: V)?

    init(_ equality: Equality<V>, firesImmediately: Bool, _ onChange: @escaping (V, V) -> Void) {
        self.equality = equality
        self.firesImmediately = firesImmediately
        self.onChange = onChange
    }

    /// Under the lock, inside the tracked part.
    func observe(_ value: V) {
        guard let current else {
            current = value
            if firesImmediately {
                latest = value
                isDue = true
            }
            return
        }
        if let replaced = latest { Trash.add(value: replaced) }
        if !firstIsPending, let areEqual = equality.areEqual, untracked({ areEqual(current, value) }) {
            // Back to what was handed over last, before the change in between was.
            latest = nil
            isDue = false
        } else {
            latest = value
            isDue = true
        }
    }

    /// The first value has not been handed over yet, although it is to be.
    private var firstIsPending: Bool { firesImmediately && !hasFired }
    private var hasFired = false

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        guard let new = latest else { return }
        change = (new, hasFired || !firesImmediately ? current ?? new : new)
        hasFired = true
        current = new
        latest = nil
    }

    override func run() {
        guard let (new, old) = change else { return }
        change = nil
        onChange(new, old)
    }
}
