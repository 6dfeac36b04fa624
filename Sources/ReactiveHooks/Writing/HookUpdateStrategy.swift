// When a hook does its work again: React's array of dependencies.

import Reactive

/// When an effect, a memo or an operation runs again: never, or when values have changed. For hooks that take an
/// optional strategy, `nil` means in each render.
@frozen
public struct HookUpdateStrategy {
    /// The value that is compared from one render to the next.
    public let dependency: Dependency

    /// Creates a strategy that updates when `dependency` has changed.
    @inlinable
    public init<D: Equatable>(dependency: D) { self.dependency = Dependency(dependency) }

    /// In the first render only.
    @inlinable
    public static var once: Self { Self(dependency: Dependency(newest: nil)) }

    /// In the first render, and whenever `value` differs from the previous render's (NaN does not differ from NaN).
    @inlinable
    public static func preserved<Value: Equatable>(by value: Value) -> Self { Self(dependency: value) }

    /// In the first render, and whenever one of the values differs from the previous render's (NaN does not differ from
    /// NaN).
    @inlinable
    public static func preserved<First: Equatable, each Rest: Equatable>(
        by value: First, _ rest: repeat each Rest
    ) -> Self {
        var newest = DependencyValue.created(of: value, behind: nil)
        for value in repeat each rest { newest = DependencyValue.created(of: value, behind: newest) }
        return Self(dependency: Dependency(newest: newest))
    }

    /// A value of any type that can be compared.
    @frozen
    public struct Dependency: Equatable {
        /// The last of the values, which refers to those before it; `nil` for no values, which never change.
        @usableFromInline let newest: DependencyValue?

        @inlinable
        init(newest: DependencyValue?) { self.newest = newest }

        /// Creates a dependency from a value; values of different types differ.
        @inlinable
        public init<Value: Equatable>(_ value: Value) {
            if Value.self == Dependency.self {
                self = unsafeBitCast(value, to: Dependency.self)
            } else {
                newest = DependencyValue.created(of: value, behind: nil)
            }
        }

        /// Whether both hold equal values of the same type.
        @inlinable
        public static func == (a: Self, b: Self) -> Bool {
            a.newest === b.newest || DependencyValue.areEqual(a.newest, b.newest)
        }
    }
}

/// One of the values of a dependency.
@usableFromInline
class DependencyValue {
    /// The value before it.
    private let previous: DependencyValue?

    @usableFromInline
    init(behind previous: DependencyValue?) { self.previous = previous }

    @inlinable
    static func created<Value: Equatable>(of value: Value, behind previous: DependencyValue?) -> DependencyValue {
        DependencyValueOf(value, behind: previous)
    }

    /// Whether two lists have equal values of the same types.
    @usableFromInline
    static func areEqual(_ a: DependencyValue?, _ b: DependencyValue?) -> Bool {
        var (a, b) = (a, b)
        while let first = a, let second = b {
            guard type(of: first) == type(of: second), first.hasValue(of: second) else { return false }
            (a, b) = (first.previous, second.previous)
        }
        return a == nil && b == nil
    }

    /// Whether the values are equal. Precondition: both are of one class.
    @usableFromInline
    func hasValue(of other: DependencyValue) -> Bool { false }
}

@usableFromInline
final class DependencyValueOf<Value: Equatable>: DependencyValue {
    private let value: Value

    @usableFromInline
    init(_ value: Value, behind previous: DependencyValue?) {
        self.value = value
        super.init(behind: previous)
    }

    @usableFromInline
    override func hasValue(of other: DependencyValue) -> Bool {
        let other = unsafeDowncast(other, to: DependencyValueOf.self).value
        if value == other { return true }
        // A value that equals itself is no NaN, so the type's rule of equality need not be found.
        return value != value && Equality<Value>.automatic(value, other)
    }
}
