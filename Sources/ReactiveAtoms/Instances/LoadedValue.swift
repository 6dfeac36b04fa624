// Values of asynchronous nodes without their types.
//
// Only an instance knows the type of its node's value. `Loader`, `Run` and `ResultCache` pass values on and compare
// them, and are compiled once: generic code would ask the runtime for its types on each call.

/// A value whose type only the instance knows.
class AnyLoadedValue: @unchecked Sendable {
    // Sendable because it is immutable, and values of nodes are.
}

/// A value of an asynchronous node.
final class LoadedValue<T: Sendable>: AnyLoadedValue, @unchecked Sendable {
    // Sendable as its superclass is.
    let value: T

    init(_ value: T) { self.value = value }
}
