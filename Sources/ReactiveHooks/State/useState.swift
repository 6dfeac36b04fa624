// `useState`: a value that lives as long as its slot.

import Reactive
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// Keeps a value from render to render, and renders again when it changes.
///
/// ```swift
/// let count = useState(0)
/// ```
///
/// The binding reads and writes the current state, even if it was kept from an earlier render. Writing an equal value
/// (see `Equality`) changes nothing. Writing after the hook's end is ignored. The binding may be written from any
/// thread.
///
/// - Parameters:
///   - initialState: The value in the first render; ignored afterwards.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: A binding to the state.
@inlinable
public func useState<State>(
    _ initialState: State, fileID: StaticString = #fileID, line: UInt = #line
) -> Binding<State> {
    useCell(fileID, line) { initialState }.binding
}

/// Keeps a value from render to render, and renders again when it changes.
///
/// - Parameters:
///   - initialState: Returns the value for the first render. Called once, untracked.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: A binding to the state; see ``useState(_:fileID:line:)-(State,_,_)``.
@inlinable
public func useState<State>(
    _ initialState: @escaping () -> State, fileID: StaticString = #fileID, line: UInt = #line
) -> Binding<State> {
    useCell(fileID, line, initialState).binding
}

/// Keeps a value from render to render, and renders again when it changes: ``useState(_:fileID:line:)-(State,_,_)``, as
/// a pair.
///
/// ```swift
/// let (width, setWidth) = useSetState(80)
/// ```
///
/// `setWidth(100)` sets the value. `setWidth { $0 + 20 }` changes the value that is current then.
///
/// - Parameters:
///   - initialState: The value in the first render; ignored afterwards.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The value as of this render, and a setter. The setter may be called from any thread, if values are safe
///   to use there.
@inlinable
public func useSetState<State>(
    _ initialState: State, fileID: StaticString = #fileID, line: UInt = #line
) -> (State, StateSetter<State>) {
    let cell = useCell(fileID, line) { initialState }
    return (cell.value, StateSetter(cell: cell))
}

/// Keeps a value from render to render, and renders again when it changes.
///
/// - Parameters:
///   - initialState: Returns the value for the first render. Called once, untracked.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The value as of this render, and a setter. The setter may be called from any thread, if values are safe
///   to use there.
@inlinable
public func useSetState<State>(
    _ initialState: @escaping () -> State, fileID: StaticString = #fileID, line: UInt = #line
) -> (State, StateSetter<State>) {
    let cell = useCell(fileID, line, initialState)
    return (cell.value, StateSetter(cell: cell))
}

/// Sets the state of a ``useSetState(_:fileID:line:)-(State,_,_)``: to a value, or by a function of the old one.
///
/// It is the same in each render. Calls after the hook's end are ignored.
@frozen
public struct StateSetter<State>: Sendable {
    @usableFromInline let cell: StateCell<State>

    @inlinable
    init(cell: StateCell<State>) { self.cell = cell }

    /// Sets the state.
    ///
    /// - Parameter newValue: The new value. An equal one changes nothing.
    @inlinable
    public func callAsFunction(_ newValue: State) { cell.set(newValue) }

    /// Changes the state.
    ///
    /// - Parameter change: Returns the new value for the old one. No other write can happen in between. Called once,
    ///   immediately, untracked, with the graph locked.
    @inlinable
    public func callAsFunction(_ change: (State) -> State) { cell.update(change) }
}
