// Information about types, for walks.

import Reactive

/// Information about a type of walked values. Exclusivity is unchecked for the reason given at `Cell`.
final class WalkedType: TypeInfo {
    /// The type of the cells, if this is a type of observables.
    let cellType: Cell.Type?
    /// Whether it is a type of observables with plain values.
    let hasPlainValues: Bool
    /// Whether values are arrays, to be walked element by element.
    let hasElements: Bool
    /// Whether values are those of ordered collections, to be walked row by row.
    let hasRows: Bool
    /// Whether values are dictionaries, to be walked value by value.
    let hasMembers: Bool
    /// Whether the type's `encode(to:)` was seen to read observables itself. Its values then get cells of their own.
    @exclusivity(unchecked) var readsObservables = false

    required init(_ type: any Any.Type) {
        let observable =
            type as? any EncodableObservable.Type ?? (type as? any AnyOptionalProperty.Type)?.observableType
        cellType = observable?.cellType
        // No test sees this: only types of observables are asked.
        hasPlainValues = observable?.hasPlainValues ?? false
        hasElements = type is any ElementArray.Type
        hasRows = type is any EncodableElements.Type
        hasMembers = type is any MemberDictionary.Type
        super.init(type)
    }
}

extension EncodableObservable {
    fileprivate static var hasPlainValues: Bool { isPlain(Recorded.self) }
}
