// When a hook does its work again: what React calls the array of dependencies.

import Reactive

/// When an effect runs again, a memo is made again, an operation is started again: once, or when values have changed. Where a hook takes an optional one, `nil`
/// means in each render.
public struct HookUpdateStrategy {
    /// What is compared from one render to the next.
    public let dependency: Dependency

    /// Creates a strategy that updates when `dependency` has changed.
    public init<D: Equatable>(dependency: D) {
        self.dependency = Dependency(dependency)
    }

    /// The first time only.
    public static var once: Self { Self(dependency: Once()) }

    /// The first time, and whenever one of the values differs from the render before (NaN does not differ from NaN).
    public static func preserved<First: Equatable, each Rest: Equatable>(
        by value: First, _ rest: repeat each Rest
    ) -> Self {
        var others: [Dependency] = []
        for value in repeat each rest { others.append(Dependency(value)) }
        return others.isEmpty ? Self(dependency: value) : Self(dependency: [Dependency(value)] + others)
    }

    private struct Once: Equatable {}

    /// A value of any type that can be compared.
    public struct Dependency: Equatable {
        private let value: Any
        private let equals: (Any) -> Bool

        /// Creates a dependency from a value; values of different types differ.
        public init<Value: Equatable>(_ value: Value) {
            if let dependency = value as? Dependency {
                self = dependency
                return
            }
            self.value = value
            equals = { other in
                guard let other = other as? Value else { return false }
                return Equality<Value>.automatic(value, other)
            }
        }

        /// Whether both hold equal values of the same type.
        public static func == (a: Self, b: Self) -> Bool { a.equals(b.value) }
    }
}
