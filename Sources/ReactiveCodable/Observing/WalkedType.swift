// What walks know of a type besides.

/// What is known of a type of which a walk has met values. Exclusivity is unchecked for the reason of `Cell`.
final class WalkedType: TypeInfo {
    /// The type of the cells, if this is a type of observables.
    let cellType: Cell.Type?
    /// Whether it is one whose values are plain.
    let hasPlainValues: Bool
    /// The type's `encode(to:)` has been seen to read observables itself. Its values get cells of their own.
    @exclusivity(unchecked) var readsObservables = false

    required init(_ type: any Any.Type) {
        let observable = type as? any EncodableObservable.Type
        cellType = observable?.cellType
        hasPlainValues = observable?.hasPlainValues ?? false
        super.init(type)
    }
}

extension EncodableObservable {
    fileprivate static var hasPlainValues: Bool { isPlain(Value.self) }
}
