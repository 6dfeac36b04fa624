// The rules by which a new value counts as unchanged.

/// A rule that decides whether a new value equals the old one, in which case no observer is notified.
///
/// Without a rule, the type decides: an `Equatable` value uses `==` (NaN equals NaN), an object that is not `Equatable`
/// uses its identity, and any other value always counts as changed. An optional of such an object is one of these other
/// values. To decide differently, pass a rule or a closure as `equals:`.
///
/// ```swift
/// @Observable(equals: { $0.id == $1.id }) var user = User()
/// let observer = autorun { print("user", user.id) }  // prints "user 1"
/// user = User(id: 1, name: "Anne")
/// user = User(id: 2, name: "Bob")  // prints "user 2"
/// ```
@frozen
public struct Equality<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool

    /// Creates a rule from a comparison.
    ///
    /// - Parameter areEqual: Returns whether two values count as the same. Called with the graph locked and untracked,
    ///   on the thread that writes or evaluates. It should be fast and have no side effects.
    @inlinable
    public init(_ areEqual: @escaping @Sendable (Value, Value) -> Bool) {
        self.areEqual = { old, new in untracked { areEqual(old, new) } }
    }

    /// Creates a rule from a comparison that reads no state, or that is called untracked.
    @inlinable
    init(plain areEqual: @escaping (Value, Value) -> Bool) { self.areEqual = areEqual }

    /// A rule by which no two values are the same: every write counts as a change.
    @inlinable
    public static var never: Equality { Equality(plain: { _, _ in false }) }
}

extension Equality: @unchecked Sendable {
    // A user's comparison is a sendable closure, and the library's comparisons capture only such closures. (A library
    // cannot refuse an `==` that belongs to an actor; see *Threads and isolation*.)
}

extension Equality where Value: Equatable {
    /// A rule by which values are the same if `==` returns true.
    @inlinable
    public static var equatable: Equality { Equality(plain: { $0 == $1 }) }
}

extension Equality where Value: FloatingPoint {
    /// A rule by which values are the same if `==` returns true, or if both are NaN.
    @inlinable
    public static var equatable: Equality { Equality(plain: { $0 == $1 || ($0.isNaN && $1.isNaN) }) }
}

extension Equality where Value: AnyObject {
    /// A rule by which objects are the same if they are identical.
    @inlinable
    public static var identity: Equality { Equality(plain: { $0 === $1 }) }
}

// MARK: - Finding the rule at run time

extension Equality {
    /// The default rule of the type, looked up at run time: `==` for `Equatable` values (NaN equals NaN), identity for
    /// other objects, and ``never`` for anything else, such as optionals of these objects.
    ///
    /// Use it in functions that are generic over all values. Where the compiler knows the type, omit `equals:`.
    @inlinable @inline(__always)
    public static var automatic: Equality {
        // Where the compiler knows the type, it resolves this. Looking up a rule at run time takes thousands of
        // instructions.
        // No test sees this never hold: it only saves steps.
        if Value.self == Int.self { return unsafeBitCast(Equality<Int>.equatable, to: Equality.self) }
        // No test sees this never hold: it only saves steps.
        if Value.self == String.self { return unsafeBitCast(Equality<String>.equatable, to: Equality.self) }
        // No test sees this never hold: it only saves steps.
        if Value.self == Bool.self { return unsafeBitCast(Equality<Bool>.equatable, to: Equality.self) }
        // No test sees this never hold: it only saves steps.
        if Value.self == Double.self { return unsafeBitCast(Equality<Double>.equatable, to: Equality.self) }
        return found
    }

    @usableFromInline @inline(never)
    static var found: Equality {
        if let type = ComparableValues<Value>.self as? any ComparesValues.Type {
            return type.rule as! Equality
        }
        guard Value.self is AnyObject.Type else { return .never }
        return Equality(plain: { ($0 as AnyObject) === ($1 as AnyObject) })
    }
}

/// A type that conforms to `ComparesValues` exactly if its values can be compared.
private enum ComparableValues<Value> {}

private protocol ComparesValues {
    static var rule: Any { get }
}

extension ComparableValues: ComparesValues where Value: Equatable {
    static var rule: Any {
        if let type = FloatingPointValues<Value>.self as? any ComparesValues.Type { return type.rule }
        return Equality<Value>.equatable
    }
}

private enum FloatingPointValues<Value> {}

extension FloatingPointValues: ComparesValues where Value: FloatingPoint {
    static var rule: Any { Equality<Value>.equatable }
}
