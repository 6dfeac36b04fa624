// A binding to a value whose reading may fail.

/// A way to read and write a value whose reading may fail.
public struct ThrowingBinding<Value> {
    private let get: () throws -> Value
    private let set: (Value) -> Void

    /// Creates a binding from a way to read and a way to write.
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

    /// The value, or `nil` if reading it fails. Setting `nil` does nothing.
    public var value: Value? {
        get { try? get() }
        nonmutating set { if let newValue { set(newValue) } }
    }

    /// The value of what cannot fail.
    ///
    /// - Precondition: Reading does not fail.
    public var unsafeValue: Value {
        do {
            return try get()
        } catch {
            fatalError("ReactiveAtoms: unsafeValue found an error: \(error). Use `wrappedValue` to handle it.")
        }
    }
}
