// `reaction`: track one closure, act in another.
//
// The overloads differ in what `onChange` takes, in how values are compared (the type's own rule unless a rule is
// given, or a closure, which Swift does not convert to one), and in whether `onChange` has its label: `reaction({ … },
// { … })`. All of them call `makeReaction` in ValueEffect.swift.

/// Evaluates `track` now, and calls `onChange` whenever its value changes.
///
/// ```swift
/// let reaction = reaction { state.greeting } onChange: { print($0) }
/// state.greeting = "hello"  // prints "hello"
/// ```
///
/// Only `track` is tracked. `onChange` is not run on creation unless `fireImmediately` is set, and then only when the
/// value changed; for a value that cannot be compared, whenever something that `track` read has changed. `onChange` may
/// also take nothing, or the new value and the one before.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - equals: When two values count as the same; by default the type decides, see ``Equality``. With `.never`
///     every change of what was read counts.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: When runs that are due happen; by default immediately.
///   - isolation: The actor that the closures belong to; by default the caller's. Changes elsewhere reach it by one
///     hop.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - track: Returns the value to follow. Runs with the graph locked, one thread at a time.
///   - onChange: Gets the new value. Runs outside the library's lock, untracked, its writes batched; its runs never
///     overlap and never go back in time, and under contention they skip to the latest value. Both closures are kept
///     until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; dropping it does not stop it.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (with `fireImmediately`, at first
/// the same value twice) whenever its value changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value whenever its value, compared by a rule of your own,
/// changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value, compared by a rule of your own,
/// changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (with `fireImmediately`, at first
/// the same value twice) whenever its value, compared by a rule of your own, changes.
///
/// See `reaction { … } onChange: { newValue in … }` for the parameters.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}

// MARK: - Without a label

/// Evaluates `track` now, and calls `onChange` with the new value whenever its value changes: the spelling without a
/// label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value changes: the spelling without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (with `fireImmediately`, at first
/// the same value twice) whenever its value changes: the spelling without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value whenever its value, compared by a rule of your own,
/// changes: the spelling without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` with nothing whenever its value, compared by a rule of your own,
/// changes: the spelling without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the one before (with `fireImmediately`, at first
/// the same value twice) whenever its value, compared by a rule of your own, changes: the spelling without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}
