// Values that a scope provides to the scopes inside it, with the interface of SwiftUI's types of these names. With
// library evolution, the compiler demands that each file whose public code uses SwiftUI's imports SwiftUI.

#if canImport(SwiftUI)
import SwiftUI

/// SwiftUI's own environment.
public typealias EnvironmentValues = SwiftUI.EnvironmentValues
/// SwiftUI's own protocol of keys.
public typealias EnvironmentKey = SwiftUI.EnvironmentKey
#else
/// A key of a value in the environment.
///
/// ```swift
/// enum AccentKey: EnvironmentKey {
///     static var defaultValue: String { "blue" }
/// }
///
/// extension EnvironmentValues {
///     var accent: String {
///         get { self[AccentKey.self] }
///         set { self[AccentKey.self] = newValue }
///     }
/// }
/// ```
public protocol EnvironmentKey {
    /// The type of the value under the key.
    associatedtype Value

    /// The value where none has been set.
    static var defaultValue: Value { get }
}

/// The environment of a scope: values by keys, with the interface of SwiftUI's type of that name.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    /// Creates an environment in which every value is the default.
    public init() {}

    /// The value under a key.
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            guard let value = values[ObjectIdentifier(key)] else { return Key.defaultValue }
            return value as! Key.Value
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
#endif

extension EnvironmentValues {
    /// Whether this is certainly a copy of `other`, so that assigning it would change nothing.
    @inline(__always)
    func isCopy(of other: EnvironmentValues) -> Bool {
        #if canImport(SwiftUI)
        false
        #else
        // Both are references to the storage of a dictionary.
        unsafeBitCast(self, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
        #endif
    }
}

/// Returns a value in the environment of the current scope. Uses no slot: it may be called conditionally.
///
/// ```swift
/// let accent = useEnvironment(\.accent)
/// ```
///
/// - Parameter keyPath: The key path of the value.
/// - Returns: The value that the nearest scope around the call has set, or the default. Outside a scope: the default,
///   and an issue is reported.
public func useEnvironment<Value>(_ keyPath: KeyPath<EnvironmentValues, Value>) -> Value {
    environmentValue(keyPath, for: "useEnvironment") ?? EnvironmentValues()[keyPath: keyPath]
}

/// Returns a value in the environment of the current scope. Outside a scope it returns `nil`, and reports an issue that
/// names `hook`.
package func environmentValue<Value>(_ keyPath: KeyPath<EnvironmentValues, Value>, for hook: String) -> Value? {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside(hook)
        return nil
    }
    return scope.environment[keyPath: keyPath]
}
