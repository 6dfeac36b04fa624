// The origin of an atom's value.

/// The origin of an atom's value.
@frozen @usableFromInline
enum Origin: Hashable {
    /// The default, on first use.
    case initial
    case set
    case reset
    case restore
    /// An effect, by its index.
    case effect(Int)

    /// Whether it is the default.
    var isDefault: Bool { self == .initial || self == .reset }
}
