// When a value counts as unchanged.

/// A rule that says whether a new value is the same as the old one, so that nobody needs to hear of it.
///
/// Without a rule the type decides: an `Equatable` value uses `==` (with NaN equal to NaN), an object that is not
/// `Equatable` its identity, and anything else always counts as changed. Pass a rule, or a closure, as `equals:` to
/// decide otherwise:
///
/// ```swift
/// @Observable(equals: { $0.id == $1.id }) var user = User()
/// let reaction = autorun { print("user", user.id) }  // prints "user 1"
/// user = User(id: 1, name: "Anne")
/// user = User(id: 2, name: "Bob")  // prints "user 2"
/// ```
@frozen
public struct Equality<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool

    /// Creates a rule from a comparison.
    ///
    /// - Parameter areEqual: Returns whether two values count as the same. Called with the graph locked and untracked,
    ///   on the thread that writes or evaluates; it should be quick and do nothing else.
    @inlinable
    public init(_ areEqual: @escaping @Sendable (Value, Value) -> Bool) {
        self.areEqual = { old, new in untracked { areEqual(old, new) } }
    }

    /// Creates a rule from a comparison that reads no state, or is called untracked.
    @inlinable
    init(plain areEqual: @escaping (Value, Value) -> Bool) { self.areEqual = areEqual }

    /// No two values are the same: every write counts as a change.
    @inlinable
    public static var never: Equality { Equality(plain: { _, _ in false }) }
}

extension Equality: @unchecked Sendable {
    // A comparison of the user's is a sendable closure, and those of the library capture nothing but such. (An `==`
    // that belongs to an actor is beyond what a library can refuse; see *Threads and isolation*.)
}

extension Equality where Value: Equatable {
    /// Values are the same if `==` says so.
    @inlinable
    public static var equatable: Equality { Equality(plain: { $0 == $1 }) }
}

extension Equality where Value: FloatingPoint {
    /// Values are the same if `==` says so, or if both are NaN.
    @inlinable
    public static var equatable: Equality { Equality(plain: { $0 == $1 || ($0.isNaN && $1.isNaN) }) }
}

extension Equality where Value: AnyObject {
    /// Objects are the same if they are one and the same object.
    @inlinable
    public static var identity: Equality { Equality(plain: { $0 === $1 }) }
}

// MARK: - Finding the rule at run time

extension Equality {
    /// The rule that the type itself implies, found at run time: `==` for `Equatable` values (with NaN equal to NaN),
    /// identity for other objects, and ``never`` for anything else.
    ///
    /// Use it in functions that are generic over every value. Where the compiler knows the type, leave `equals:` out.
    @inlinable @inline(__always)
    public static var automatic: Equality {
        // The compiler decides this where it knows the type. Finding a rule at run time takes thousands of instructions.
        if Value.self == Int.self { return unsafeBitCast(Equality<Int>.equatable, to: Equality.self) }
        if Value.self == String.self { return unsafeBitCast(Equality<String>.equatable, to: Equality.self) }
        if Value.self == Bool.self { return unsafeBitCast(Equality<Bool>.equatable, to: Equality.self) }
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

/// Conforms to `ComparesValues` exactly if its values can be compared.
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
