// Code without a library: a value with a list of closures to call after changes.

/// A value and its listeners.
final class Value<Wrapped: Equatable> {
    private var listeners: [(Wrapped) -> Void] = []

    var value: Wrapped {
        didSet {
            guard value != oldValue else { return }
            for listener in listeners { listener(value) }
        }
    }

    init(_ value: Wrapped) { self.value = value }

    /// Calls `listener` now and after each change.
    func observe(_ listener: @escaping (Wrapped) -> Void) {
        listeners.append(listener)
        listener(value)
    }

    /// Returns a value that is derived from this one.
    func map<Result: Equatable>(_ transform: @escaping (Wrapped) -> Result) -> Value<Result> {
        let result = Value<Result>(transform(value))
        listeners.append { result.value = transform($0) }
        return result
    }
}
