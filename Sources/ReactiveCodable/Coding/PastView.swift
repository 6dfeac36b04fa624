// Encoding things as they were.
//
// Values in the graph hold observables, and those show what they are now. While a view of the past is current, an
// observable that is encoded shows what the view knows of it instead. The view is a task-local value, so that it
// reaches through any encoder.

import Reactive

/// The graph at one moment.
class PastView: PastValues, @unchecked Sendable {
    // Sendable because it is used inside one call of `encode(to:)` alone, with the graph locked.

    static var current: PastView? { EncodedPast.current.map { unsafeDowncast($0, to: PastView.self) } }

    /// Runs `body`, in which encoding shows what a view knows.
    static func with<Result>(_ view: PastView?, _ body: () throws -> Result) rethrows -> Result {
        try EncodedPast.$current.withValue(view, operation: body)
    }

    func value(of observable: AnyObject) -> (any Encodable)? { saved(of: observable) }

    /// What an observable, or what else has an identity, was then; `nil` if nothing is known of it.
    func saved(of identity: Identity) -> SavedValue? { nil }

    /// What an observable was then; `nil` if nothing is known of it.
    final func saved(of observable: AnyObject) -> SavedValue? { saved(of: Identity(observable)) }
}

/// What something was at some moment.
class SavedValue: Encodable {
    func encode(to encoder: any Encoder) throws {}
    var isNil: Bool { false }

    /// Compares its elements with those of a later value, if both are arrays of one type.
    func elements(comparedTo new: SavedValue) -> (any SavedElements)? { nil }

    /// Compares its elements with those of a later value, if both are of one ordered collection.
    ///
    /// - Parameter difference: The `RowDifference` of the two, if it is known.
    func rows(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedRows)? { nil }

    /// Compares its members with those of a later value, if both are dictionaries of one type that are encoded under
    /// their keys.
    ///
    /// - Parameter difference: The `KeyDifference` of the two, if it is known.
    func members(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedMembers)? { nil }
}

/// The elements of two arrays that were saved.
protocol SavedElements: ComparedElements {
    /// An element of the old array.
    func oldElement(_ index: Int) -> SavedValue
    /// An element of the new array.
    func newElement(_ index: Int) -> SavedValue
}

extension ElementComparison: SavedElements {
    func oldElement(_ index: Int) -> SavedValue { TypedValue(old.withElements { $0[index] }) }
    func newElement(_ index: Int) -> SavedValue { TypedValue(new.withElements { $0[index] }) }
}

/// A value as such: the observables in it show what the current view says.
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
        guard let new = new as? TypedValue<Value>, let old = value as? any ElementArray else { return nil }
        return compare(old, new.value)
    }

    override func rows(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedRows)? {
        func compare<V: EncodableElements>(_ old: V) -> (any SavedRows)? {
            (new as? TypedValue<V>).map { ComparedRows(old: old, new: $0.value, difference as? RowDifference) }
        }
        return (value as? any EncodableElements).flatMap { compare($0) }
    }

    override func members(comparedTo new: SavedValue, _ difference: Any?) -> (any SavedMembers)? {
        func compare<D: MemberDictionary>(_ old: D, _ new: Value) -> (any SavedMembers)? {
            (new as? D).map { ComparedMembers(old: old, new: $0, difference as? KeyDifference<D.Key>) }
        }
        guard let new = new as? TypedValue<Value>, let old = value as? any MemberDictionary else { return nil }
        return compare(old, new.value)
    }
}

/// Which object something is: its address. Whoever keeps an identity keeps the object.
struct Identity: Hashable {
    private let address: UnsafeRawPointer

    init(_ object: AnyObject) { address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }

    /// Addresses are no input from outside: a multiplication spreads them well enough, in a tenth of the time of the
    /// default.
    func _rawHashValue(seed: Int) -> Int {
        let product = (UInt64(UInt(bitPattern: address)) &>> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ (product &>> 32)) ^ seed
    }
}
