// Encodes observables with past values.
//
// Values in the graph contain observables, which return their present values. While a view of the past is current, an
// encoded observable uses the value in the view instead. The view is a task-local value, so that it works with any
// encoder.

import Reactive

/// The graph at one moment.
class PastView: PastValues, @unchecked Sendable {
    // Sendable because it is used only during one call of `encode(to:)`, with the graph locked.

    static var current: PastView? { EncodedPast.current.map { unsafeDowncast($0, to: PastView.self) } }

    /// Runs `body`, in which encoding uses the values of a view.
    static func with<Result>(_ view: PastView?, _ body: () throws -> Result) rethrows -> Result {
        try EncodedPast.$current.withValue(view, operation: body)
    }

    func value(of observable: AnyObject) -> (any Encodable)? { saved(of: observable) }

    /// Returns the past value of an observable or another object with an identity; `nil` if it is not known.
    func saved(of identity: Identity) -> SavedValue? { nil }

    /// Returns the past value of an observable; `nil` if it is not known.
    final func saved(of observable: AnyObject) -> SavedValue? { saved(of: Identity(observable)) }
}

/// A value at some moment.
class SavedValue: Encodable {
    func encode(to encoder: any Encoder) throws {}
    // No test sees this: all values that are asked belong to subclasses that override it.
    var isNil: Bool { false }

    /// Compares the elements with those of a later value, if both are arrays of one type.
    func elements(comparedTo new: SavedValue) -> (any SavedElements)? { nil }

    /// Compares the elements with those of a later value, if both belong to one ordered collection.
    ///
    /// - Parameter difference: The `RowDifference` of the two, if it is known.
    func rows(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedRows)? { nil }

    /// Compares the members with those of a later value, if both are dictionaries of one type that are encoded under
    /// their keys.
    ///
    /// - Parameter difference: The `KeyDifference` of the two, if it is known.
    func members(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedMembers)? { nil }
}

/// The elements of two saved arrays.
protocol SavedElements: ComparedElements {
    /// Returns an element of the old array.
    func oldElement(_ index: Int) -> SavedValue
    /// Returns an element of the new array.
    func newElement(_ index: Int) -> SavedValue
}

extension ElementComparison: SavedElements {
    func oldElement(_ index: Int) -> SavedValue { TypedValue(old.withElements { $0[index] }) }
    func newElement(_ index: Int) -> SavedValue { TypedValue(new.withElements { $0[index] }) }
}

/// A plain value. The observables in it use the values of the current view.
final class TypedValue<Value: Encodable>: SavedValue {
    let value: Value

    init(_ value: Value) { self.value = value }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    override var isNil: Bool { valueIsNil(value) }

    override func elements(comparedTo new: SavedValue) -> (any SavedElements)? {
        func compare<A: ElementArray>(_ old: A, _ new: Value) -> (any SavedElements)? {
            (new as? A).map { ElementComparison(old: old, new: $0) }
        }
        guard let new = new as? TypedValue<Value>, let old = elementArray(value) else { return nil }
        return compare(old, new.value)
    }

    override func rows(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedRows)? {
        func compare<V: EncodableElements>(_ old: V) -> (any SavedRows)? {
            (new as? TypedValue<V>).map { ComparedRows(old: old, new: $0.value, difference as? RowDifference) }
        }
        return encodableElements(value).flatMap { compare($0) }
    }

    override func members(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedMembers)? {
        func compare<D: MemberDictionary>(_ old: D, _ new: Value) -> (any SavedMembers)? {
            (new as? D).map { ComparedMembers(old: old, new: $0, difference as? KeyDifference<D.Key>) }
        }
        guard let new = new as? TypedValue<Value>, let old = memberDictionary(value) else { return nil }
        return compare(old, new.value)
    }
}

/// The identity of an object: its address. Code that keeps an identity must keep the object.
struct Identity: Hashable {
    private let address: UnsafeRawPointer

    init(_ object: AnyObject) { address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }

    /// Addresses are not untrusted input: a multiplication distributes them well enough, in a tenth of the time of the
    /// default.
    func _rawHashValue(seed: Int) -> Int {
        let product = (UInt64(UInt(bitPattern: address)) &>> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ (product &>> 32)) ^ seed
    }
}
