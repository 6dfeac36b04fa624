// What is known of a type of values: found out once, for the first value of it.

import Foundation
import Reactive

/// What is known of the types that an observation has met.
final class ValueTypes {
    @exclusivity(unchecked) private var infos: [ObjectIdentifier: TypeInfo] = [:]
    /// The one asked for last: neighbours are often alike.
    @exclusivity(unchecked) private var latest: (type: any Any.Type, info: TypeInfo)?

    func info<Value>(of type: Value.Type) -> TypeInfo {
        if let latest, latest.type == type { return latest.info }
        let info = infos[ObjectIdentifier(type)] ?? makeInfo(type)
        latest = (type, info)
        return info
    }

    private func makeInfo<Value>(_ type: Value.Type) -> TypeInfo {
        let info = TypeInfo(type)
        infos[ObjectIdentifier(type)] = info
        return info
    }
}

/// What is known of a type.
final class TypeInfo {
    enum Kind {
        /// Values can neither contain observables nor read any when they are encoded.
        case plain
        case observable
        case other
    }

    let kind: Kind
    /// The type of the cells, if this is a type of observables.
    let cellType: Cell.Type?
    /// Whether it is one whose values are plain.
    let hasPlainValues: Bool
    /// Values are objects.
    let isObject: Bool
    /// Values are dictionaries that every encoder takes for objects with the keys as they are.
    let isStringKeyed: Bool
    /// The type's `encode(to:)` has been seen to read observables itself. Its values get cells of their own.
    var readsObservables = false

    init<Value>(_ type: Value.Type) {
        let observable = type as? any EncodableObservable.Type
        cellType = observable?.cellType
        hasPlainValues = observable.map { isPlain($0.valueType) } ?? false
        kind = observable != nil ? .observable : isPlain(type) ? .plain : .other
        isObject = type is AnyObject.Type
        isStringKeyed = type is any StringKeyed.Type
    }
}

extension EncodableObservable {
    fileprivate static var valueType: any Any.Type { Value.self }
}

/// The types that are plain by themselves.
private let plainTypes: Set<ObjectIdentifier> = {
    var types: [any Any.Type] = [
        Bool.self, String.self, Substring.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self,
        Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, Date.self, Data.self, URL.self,
        UUID.self, Decimal.self, DateComponents.self, DateInterval.self, URLComponents.self, TimeZone.self,
        Locale.self, Calendar.self, CharacterSet.self, IndexSet.self, IndexPath.self, PersonNameComponents.self,
    ]
    if #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) { types.append(Duration.self) }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { types += [Int128.self, UInt128.self] }
    return Set(types.map { ObjectIdentifier($0) })
}()

private func isPlain(_ type: any Any.Type) -> Bool {
    if plainTypes.contains(ObjectIdentifier(type)) { return true }
    guard let container = type as? any PlainIfPartsAre.Type else { return false }
    return container.partTypes.allSatisfy { isPlain($0) }
}

/// A type whose values are plain if those of certain other types are.
private protocol PlainIfPartsAre {
    static var partTypes: [any Any.Type] { get }
}

extension Optional: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Wrapped.self] }
}

extension Array: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Element.self] }
}

extension ContiguousArray: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Element.self] }
}

extension ArraySlice: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Element.self] }
}

extension Set: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Element.self] }
}

extension Dictionary: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Key.self, Value.self] }
}

extension Range: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Bound.self] }
}

extension ClosedRange: PlainIfPartsAre {
    fileprivate static var partTypes: [any Any.Type] { [Bound.self] }
}

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String, Value: Encodable {}
