// `reaction`: tracks one closure, and runs a side effect in another.
//
// The overloads differ in the parameters of `onChange`, in the comparison of values (the type's own rule, a given rule,
// or a closure, which Swift does not convert to a rule), and in whether `onChange` has its label: `reaction({ … }, { …
// })`. All of them call `makeReaction` in ValueEffect.swift.

/// Evaluates `track` now, and calls `onChange` whenever its value changes.
///
/// ```swift
/// let observer = reaction { state.greeting } onChange: { print($0) }
/// state.greeting = "hello"  // prints "hello"
/// ```
///
/// Only `track` is tracked. On creation, `onChange` runs only if `fireImmediately` is set. Later it runs when the value
/// has changed. A value that cannot be compared counts as changed whenever something that `track` read has changed.
/// `onChange` may also take no parameter, or the new value and the previous one.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - equals: The comparison of two values; by default that of the type, see ``Equality``. With `.never`, every change
///     of what `track` read counts.
///   - fireImmediately: Whether to call `onChange` with the first value too. In a transaction that happens when it
///     ends.
///   - schedule: The schedule of due runs; by default they run immediately.
///   - isolation: The actor that the closures belong to; by default the caller's. Changes made outside that actor
///     arrive after one hop.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - track: Returns the value to follow. Runs with the graph locked, one thread at a time.
///   - onChange: Receives the new value. Runs untracked and outside the library's lock; its writes are batched. Its
///     runs never overlap and never go back in time; under contention they skip to the latest value. Both closures are
///     kept until the reaction is cancelled.
/// - Returns: The reaction, to cancel it; releasing it does not stop it.
@discardableResult @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` without arguments whenever the value changes.
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

/// Evaluates `track` now, and calls `onChange` with the new value and the previous one whenever the value changes. With
/// `fireImmediately`, the first call receives the same value twice.
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

/// Evaluates `track` now, and calls `onChange` with the new value whenever the value changes, as compared by a custom
/// rule.
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

/// Evaluates `track` now, and calls `onChange` without arguments whenever the value changes, as compared by a custom
/// rule.
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

/// Evaluates `track` now, and calls `onChange` with the new value and the previous one whenever the value changes, as
/// compared by a custom rule. With `fireImmediately`, the first call receives the same value twice.
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

/// Evaluates `track` now, and calls `onChange` with the new value whenever the value changes. The form without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` without arguments whenever the value changes. The form without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the previous one whenever the value changes. With
/// `fireImmediately`, the first call receives the same value twice. The form without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: Equality<V> = .automatic, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, equals, fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value whenever the value changes, as compared by a custom
/// rule. The form without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .newValue(onChange))
}

/// Evaluates `track` now, and calls `onChange` without arguments whenever the value changes, as compared by a custom
/// rule. The form without a label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping () -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .nothing(onChange))
}

/// Evaluates `track` now, and calls `onChange` with the new value and the previous one whenever the value changes, as
/// compared by a custom rule. With `fireImmediately`, the first call receives the same value twice. The form without a
/// label.
@discardableResult @_disfavoredOverload @inlinable
public func reaction<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool, fireImmediately: Bool = false,
    schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ track: @escaping () -> V, _ onChange: @escaping (V, V) -> Void
) -> Reaction {
    makeReaction(
        name, Equality(equals), fireImmediately, schedule, isolation, fileID, line, track, .bothValues(onChange))
}
