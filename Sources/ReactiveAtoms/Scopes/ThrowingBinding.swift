// A binding to a value whose read may fail.

/// A binding to a value whose read may fail.
public struct ThrowingBinding<Value> {
    private let get: () throws -> Value
    private let set: (Value) -> Void

    /// Creates a binding from two functions.
    ///
    /// - Parameters:
    ///   - get: Returns the value or throws.
    ///   - set: Stores a value.
    public init(get: @escaping () throws -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// The value.
    public var wrappedValue: Value {
        get throws { try get() }
    }

    /// The value, or `nil` if the read fails. Setting `nil` does nothing.
    public var value: Value? {
        get { try? get() }
        nonmutating set { if let newValue { set(newValue) } }
    }

    /// The value, if the read cannot fail.
    ///
    /// - Precondition: The read does not fail.
    public var unsafeValue: Value {
        do {
            return try get()
        } catch {
            fatalError("ReactiveAtoms: unsafeValue failed: \(error). Use `try wrappedValue` to handle the error.")
        }
    }
}
