// Hooks that connect a render with the core: state, derivations and reactions that live as long as their slot.
//
// Reading an observable that lives elsewhere needs no hook: renders are tracked.

import Reactive
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// Keeps an `Observable` from render to render, to share it with code outside the render: computeds, reactions, other
/// components.
///
/// - Parameters:
///   - initialValue: The value in the first render; ignored afterwards.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The same observable in each render. Reading its value in the render subscribes the render.
@inlinable
public func useObservable<Value>(
    _ initialValue: Value, fileID: StaticString = #fileID, line: UInt = #line
) -> Observable<Value> {
    useMemo(.once) { Observable(initialValue, equals: .automatic, fileID: fileID, line: line) }
}

/// Subscribes the render to an `Observable` that lives elsewhere, and returns a binding to it.
///
/// - Parameter observable: The observable.
/// - Returns: A binding that reads and writes it.
@inlinable
public func useObservable<Value>(_ observable: Observable<Value>) -> Binding<Value> {
    _ = observable.value
    return observable.projectedValue
}

/// Keeps a `Computed` from render to render, and subscribes the render to its value. If a value that `compute` has read
/// changes, this renders only if the result is different.
///
/// ```swift
/// let isFull = useComputed { items >= 3 }
/// ```
///
/// - Parameters:
///   - updateStrategy: When to create the computed again, because `compute` captures different values.
///   - compute: Returns the value; see `Computed` for when and where it runs.
/// - Returns: The value.
@inlinable
public func useComputed<Value>(
    _ updateStrategy: HookUpdateStrategy = .once, _ compute: @escaping () -> Value
) -> Value {
    useMemo(updateStrategy) { Computed(equals: .automatic, compute) }.value
}

/// Runs a `reaction` for as long as the scope is rendered: it follows a value without rendering.
///
/// ```swift
/// useReaction { items } onChange: { print("items:", $0) }
/// ```
///
/// - Parameters:
///   - updateStrategy: When to create the reaction again, because the closures capture different values.
///   - fireImmediately: Whether to call `onChange` with the first value too.
///   - track: Returns the value to follow. Tracked. It first runs after the host has received the output.
///   - onChange: Receives each new value; runs as in `reaction`: outside the lock, untracked.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
@inlinable
public func useReaction<Value>(
    _ updateStrategy: HookUpdateStrategy = .once, fireImmediately: Bool = false,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ track: @escaping () -> Value, onChange: @escaping (Value) -> Void
) {
    useEffect(updateStrategy) {
        let reaction = reaction(
            fireImmediately: fireImmediately, isolation: isolation, fileID: fileID, line: line, track,
            onChange: onChange)
        return { reaction.cancel() }
    }
}
