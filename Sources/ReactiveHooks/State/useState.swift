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
/// The binding reads and writes the state as it is now, also when it is kept from an earlier render. A write of an equal value (see `Equality`) changes
/// nothing; one after the hook's end is ignored. It may be written from any thread.
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

/// Keeps a value from render to render, and renders again when it changes: ``useState(_:fileID:line:)-(State,_,_)``, as a pair.
///
/// ```swift
/// let (width, setWidth) = useSetState(80)
/// ```
///
/// `setWidth(100)` sets the value, `setWidth { $0 + 20 }` changes the one that is there by then.
///
/// - Parameters:
///   - initialState: The value in the first render; ignored afterwards.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The value as of this render, and how to set it: from any thread, if values may go there.
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
/// - Returns: The value as of this render, and how to set it: from any thread, if values may go there.
@inlinable
public func useSetState<State>(
    _ initialState: @escaping () -> State, fileID: StaticString = #fileID, line: UInt = #line
) -> (State, StateSetter<State>) {
    let cell = useCell(fileID, line, initialState)
    return (cell.value, StateSetter(cell: cell))
}

/// Sets the state of a ``useSetState(_:fileID:line:)-(State,_,_)``: to a value, or by a function of the old one.
///
/// Calls after the hook's end are ignored. It is the same in each render.
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
    /// - Parameter change: Returns the new value for the old one, which no other write can come after. Called once, immediately, untracked, with
    ///   the graph locked.
    @inlinable
    public func callAsFunction(_ change: (State) -> State) { cell.update(change) }
}
