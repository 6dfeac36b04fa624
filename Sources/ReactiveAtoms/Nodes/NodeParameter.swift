// The value that distinguishes the nodes of one location, or of one type: the parameter of a family, an owner, or a
// node's own value.
//
// A store compares keys on each access, so this is no `AnyHashable`, which takes a hundred times as long. An `Int` is
// stored directly. Any other value is boxed with its hash, which is computed once, when the node is created.

/// The part of a key that comes from a user's value.
@frozen @usableFromInline
enum NodeParameter {
    case none
    case number(Int)
    case value(AnyParameter)

    /// Creates the parameter of a member of a family.
    @inlinable @inline(__always)
    init<Value: Hashable>(_ value: Value) {
        if Value.self == Int.self {
            self = .number(unsafeBitCast(value, to: Int.self))
        } else {
            self = .value(Parameter(value))
        }
    }

    /// Creates the parameter of a node of the user's type. A type without stored properties has one value.
    @inlinable @inline(__always)
    init<Node: Hashable>(node: Node) {
        self = MemoryLayout<Node>.size == 0 ? .none : .value(Parameter(node))
    }

    /// Returns the value that the parameter was created from.
    ///
    /// - Precondition: The value is of this type.
    @inlinable @inline(__always)
    func value<Value: Hashable>(as type: Value.Type) -> Value {
        switch self {
        case .number(let number) where Value.self == Int.self: return unsafeBitCast(number, to: Value.self)
        case .value(let parameter): return unsafeDowncast(parameter, to: Parameter<Value>.self).value
        default: fatalError("internal inconsistency: a node of a family has no parameter")
        }
    }

    var hash: UInt64 {
        switch self {
        case .none: 0
        case .number(let number): UInt64(bitPattern: Int64(number))
        case .value(let parameter): UInt64(bitPattern: Int64(parameter.hash))
        }
    }

    var owner: OwnerIdentity? {
        guard case .value(let parameter) = self else { return nil }
        return (parameter as? Parameter<OwnerIdentity>)?.value
    }

    /// The description of the value; `nil` if there is none to describe.
    var text: String? {
        switch self {
        case .none: nil
        case .number(let number): "\(number)"
        case .value(let parameter): parameter.text
        }
    }
}

extension NodeParameter: Equatable {
    /// Whether both are equal values of one type. May run the user's `==`.
    @usableFromInline
    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.none, .none): true
        case (.number(let a), .number(let b)): a == b
        case (.value(let a), .value(let b)): a === b || (a.hash == b.hash && a.isEqual(to: b))
        default: false
        }
    }
}

extension NodeParameter {
    /// A parameter without a reference of its own. Valid while the parameter is held.
    @frozen @usableFromInline
    enum Bits {
        case none
        case number(Int)
        case value(Unmanaged<AnyParameter>)

        var hash: UInt64 {
            switch self {
            case .none: 0
            case .number(let number): UInt64(bitPattern: Int64(number))
            case .value(let parameter): UInt64(bitPattern: Int64(parameter._withUnsafeGuaranteedRef { $0.hash }))
            }
        }
    }

    @inlinable
    var bits: Bits {
        @inline(__always) get {
            switch self {
            case .none: .none
            case .number(let number): .number(number)
            case .value(let parameter): .value(.passUnretained(parameter))
            }
        }
    }

    /// Whether the bits are those of an equal parameter. May run the user's `==`.
    @inline(__always)
    func isParameter(of bits: Bits) -> Bool {
        switch (self, bits) {
        case (.none, .none): true
        case (.number(let a), .number(let b)): a == b
        case (.value(let a), .value(let b)):
            Unmanaged.passUnretained(a).toOpaque() == b.toOpaque()
                || b._withUnsafeGuaranteedRef { a.hash == $0.hash && a.isEqual(to: $0) }
        default: false
        }
    }
}

/// A boxed value with its hash.
@_fixed_layout @usableFromInline
class AnyParameter {
    @usableFromInline final let hash: Int

    @inlinable
    init(hash: Int) { self.hash = hash }

    /// Returns whether the other parameter has an equal value of the same type.
    @usableFromInline
    func isEqual(to other: AnyParameter) -> Bool { false }

    var text: String { "?" }
}

@_fixed_layout @usableFromInline
final class Parameter<Value: Hashable>: AnyParameter {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
        super.init(hash: value.hashValue)
    }

    @usableFromInline
    override func isEqual(to other: AnyParameter) -> Bool {
        guard let other = other as? Parameter else { return false }
        return value == other.value
    }

    override var text: String { "\(value)" }
}
