// Who has set an atom.

/// Who gave an atom its value.
@frozen @usableFromInline
enum Origin: Hashable {
    /// Its default, on first use.
    case initial
    case set
    case reset
    case restore
    /// One of its effects, by its place among them.
    case effect(Int)

    /// Whether it is the default.
    var isDefault: Bool { self == .initial || self == .reset }
}
