// Encoding things as they were.
//
// Values in the graph hold observables, and those show what they are now. While a view of the past is current, an
// observable that is encoded shows what the view knows of it instead. The view is a task-local value, so that it
// reaches through any encoder.

/// The graph at one moment.
class PastView: @unchecked Sendable {
    // Sendable because it is used inside one call of `encode(to:)` alone, with the graph locked.

    @TaskLocal static var current: PastView?

    /// What an observable, or what else has an identity, was then; `nil` if nothing is known of it.
    func saved(of identity: Identity) -> SavedValue? { nil }

    /// What an observable was then; `nil` if nothing is known of it.
    final func saved(of observable: AnyObject) -> SavedValue? { saved(of: Identity(observable)) }
}

/// What something was at some moment.
class SavedValue: Encodable {
    func encode(to encoder: any Encoder) throws {}
    var isNil: Bool { false }
}

/// A value as such: the observables in it show what the current view says.
final class TypedValue<Value: Encodable>: SavedValue {
    private let value: Value

    init(_ value: Value) { self.value = value }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    override var isNil: Bool { valueIsNil(value) }
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
