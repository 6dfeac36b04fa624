// The storage behind a binding.

#if !canImport(SwiftUI)
/// Storage that bindings read and write. A binding to state of the library refers to that state, and allocates nothing.
@usableFromInline
package protocol BindingLocation<Value>: AnyObject {
    associatedtype Value

    /// Returns the value. Called on any thread.
    func read() -> Value
    /// Stores a value. Called on any thread.
    func write(_ newValue: Value)
}

/// A value that is read and written by two closures.
final class ClosureLocation<Value>: BindingLocation {
    private let get: () -> Value
    private let set: (Value) -> Void

    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    func read() -> Value { get() }
    func write(_ newValue: Value) { set(newValue) }
}
#endif
