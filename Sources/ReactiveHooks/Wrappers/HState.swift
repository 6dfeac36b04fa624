// Hooks as property wrappers, for local variables of a body.

import Reactive
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// A variable whose value `useState` keeps.
///
/// ```swift
/// let toggle = HookRenderer {
///     @HState var isOn = false
///     return (isOn, flip: { isOn.toggle() })
/// }
/// ```
///
/// `$isOn` is the binding. Declaring the variable calls the hook, so the rules of hooks apply.
@frozen @propertyWrapper
public struct HState<Value> {
    /// The binding.
    public let projectedValue: Binding<Value>

    /// Calls `useState`.
    @inlinable
    public init(wrappedValue: Value, fileID: StaticString = #fileID, line: UInt = #line) {
        projectedValue = useState(wrappedValue, fileID: fileID, line: line)
    }

    /// Calls `useState` with a closure that is called once. Name the type of the value:
    /// `@HState<Int> var count = { 0 }`.
    @inlinable
    public init(wrappedValue: @escaping () -> Value, fileID: StaticString = #fileID, line: UInt = #line) {
        projectedValue = useState(wrappedValue, fileID: fileID, line: line)
    }

    /// The current state.
    @inlinable
    public var wrappedValue: Value {
        get { projectedValue.wrappedValue }
        nonmutating set { projectedValue.wrappedValue = newValue }
    }
}

/// A variable whose value `useRef` keeps. Changing it does not render.
@frozen @propertyWrapper
public struct HRef<Value> {
    /// The box.
    public let projectedValue: RefObject<Value>

    /// Calls `useRef`.
    @inlinable
    public init(wrappedValue: Value) { projectedValue = useRef(wrappedValue) }

    /// The value in the box.
    @inlinable
    public var wrappedValue: Value {
        get { projectedValue.current }
        nonmutating set { projectedValue.current = newValue }
    }
}

/// A constant whose value `useMemo` keeps.
///
/// ```swift
/// @HMemo(.preserved(by: names)) var sorted = names.sorted()
/// ```
@frozen @propertyWrapper
public struct HMemo<Value> {
    /// The value.
    public let wrappedValue: Value

    /// Calls `useMemo`. The initial value is evaluated only when a new value is required.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, _ updateStrategy: HookUpdateStrategy = .once) {
        self.wrappedValue = useMemo(updateStrategy, wrappedValue)
    }
}

/// A constant from the environment, as `useEnvironment` returns it.
///
/// ```swift
/// @HEnvironment(\.accent) var accent
/// ```
@frozen @propertyWrapper
public struct HEnvironment<Value> {
    /// The value.
    public let wrappedValue: Value

    /// Calls `useEnvironment`.
    @inlinable
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { wrappedValue = useEnvironment(keyPath) }
}

/// A constant from a context, as `useContext` returns it.
///
/// ```swift
/// @HContext(UserContext.self) var user
/// ```
@frozen @propertyWrapper
public struct HContext<Value> {
    /// The value.
    public let wrappedValue: Value

    /// Calls `useContext`.
    @inlinable
    public init(_ context: Context<Value>.Type) { wrappedValue = useContext(context) }
}
