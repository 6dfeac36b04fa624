// `useReducer`: state that changes by actions.

import Reactive

/// Keeps state that changes by actions, and renders again when it changes.
///
/// ```swift
/// enum Action { case increment, decrement }
///
/// func reducer(state: Int, action: Action) -> Int {
///     switch action {
///     case .increment: state + 1
///     case .decrement: state - 1
///     }
/// }
///
/// let (count, dispatch) = useReducer(reducer, initialState: 0)
/// ```
///
/// The reducer of the latest render applies every action, in order. An action that a reducer dispatches is applied
/// after the current one. An equal state does not render. An action after the hook's end is ignored.
///
/// - Parameters:
///   - reducer: Returns the next state. Runs untracked, with the graph locked; it should have no side effects.
///   - initialState: The state in the first render; ignored afterwards.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The state as of this render, and a function that sends an action. It may be called from any thread, if
///   states and actions are safe to use there.
public func useReducer<State, Action>(
    _ reducer: @escaping (State, Action) -> State, initialState: State, fileID: StaticString = #fileID,
    line: UInt = #line
) -> (state: State, dispatch: @Sendable (Action) -> Void) {
    useHook(ReducerHook(reducer: reducer, initialState: { initialState }, fileID: fileID, line: line))
}

/// Keeps state that changes by actions; see ``useReducer(_:initialState:fileID:line:)``.
///
/// ```swift
/// let (cart, dispatch) = useReducer(reducer) { loadCart() }
/// ```
///
/// - Parameters:
///   - reducer: Returns the next state. Runs untracked, with the graph locked; it should have no side effects.
///   - initialState: Returns the state for the first render. Called once, untracked.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call, for diagnostics.
/// - Returns: The state as of this render, and a function that sends an action. It may be called from any thread, if
///   states and actions are safe to use there.
public func useReducer<State, Action>(
    _ reducer: @escaping (State, Action) -> State, fileID: StaticString = #fileID, line: UInt = #line,
    initialState: @escaping () -> State
) -> (state: State, dispatch: @Sendable (Action) -> Void) {
    useHook(ReducerHook(reducer: reducer, initialState: initialState, fileID: fileID, line: line))
}

private struct ReducerHook<Value, Action>: Hook {
    let reducer: (Value, Action) -> Value
    let initialState: () -> Value
    let fileID: StaticString
    let line: UInt
    var updateStrategy: HookUpdateStrategy? { nil }

    func makeState() -> Store { Store(initialState(), reducer, fileID, line) }

    func updateState(coordinator: Coordinator) { coordinator.state.reducer = reducer }

    func value(coordinator: Coordinator) -> (state: Value, dispatch: @Sendable (Action) -> Void) {
        let store = coordinator.state
        return (store.cell.value, { store.dispatch($0) })
    }

    func dispose(state: Store) { state.end() }

    /// The state, and the actions that are not applied yet.
    final class Store: @unchecked Sendable {
        // Sendable because everything is touched under the graph's lock.
        let cell: StateCell<Value>
        /// `nil` after the hook's end, because a reducer may keep the dispatch function alive.
        var reducer: ((Value, Action) -> Value)?
        private var actions: [Action] = []
        private var isReducing = false

        init(_ state: Value, _ reducer: @escaping (Value, Action) -> Value, _ fileID: StaticString, _ line: UInt) {
            cell = StateCell(state, fileID: fileID, line: line)
            self.reducer = reducer
        }

        func dispatch(_ action: Action) {
            cell.locked {
                actions.append(action)
                guard !isReducing else { return }
                isReducing = true
                defer { isReducing = false }
                cell.update { state in
                    var state = state
                    while let reducer, !actions.isEmpty { state = reducer(state, actions.removeFirst()) }
                    return state
                }
                actions = []
            }
        }

        func end() {
            // Released outside the lock.
            _ = cell.locked {
                cell.end()
                defer { reducer = nil }
                return reducer
            }
        }
    }
}
