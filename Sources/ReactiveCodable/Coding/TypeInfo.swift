// Information about types of values, determined once for the first value of each type.

import Reactive

/// Information about the types that a coder has met. Used by one thread at a time.
///
/// Exclusivity is unchecked: no access to a property lasts while an `Info` is created, which queries the runtime about
/// the type.
final class TypeTable<Info: TypeInfo> {
    @exclusivity(unchecked) private var infos: [ObjectIdentifier: Info] = [:]
    /// The entry used last: neighbours often have the same type.
    @exclusivity(unchecked) private var latest: (type: any Any.Type, info: Info)?

    func info(of type: any Any.Type) -> Info {
        // No test sees this never hold: it only saves a look-up.
        if let latest, latest.type == type { return latest.info }
        let info = infos[ObjectIdentifier(type)] ?? makeInfo(type)
        // No test sees this: as above.
        latest = (type, info)
        return info
    }

    private func makeInfo(_ type: any Any.Type) -> Info {
        let info = Info(type)
        infos[ObjectIdentifier(type)] = info
        return info
    }
}

/// Information about a type.
class TypeInfo {
    /// The encoded form of values.
    enum Kind {
        case observable
        /// An `OptionalProperty`.
        case optionalProperty
        case string, bool, int, double, float, integer
        case date, data, url, decimal, json
        /// Dictionaries that every encoder encodes as objects with unchanged keys.
        case stringDictionary
        case otherDictionary
        case array
        /// Values of ordered collections, and of keyed ones that are encoded as objects.
        case orderedValue, keyedValue
        /// Sets, and dictionaries that are encoded as arrays: their order has no meaning in a different process.
        case unordered
        /// With their own `encode(to:)`.
        case other
    }

    final let kind: Kind
    /// Whether values can neither contain observables nor read any when they are encoded.
    final let isPlain: Bool
    /// Whether values are objects.
    final let isObject: Bool

    required init(_ type: any Any.Type) {
        kind = Kind(type)
        isPlain = ReactiveCodable.isPlain(type)
        isObject = type is AnyObject.Type
    }
}

extension TypeInfo.Kind {
    fileprivate init(_ type: any Any.Type) {
        self =
            switch type {
            case is any EncodableObservable.Type: .observable
            case is any AnyOptionalProperty.Type: .optionalProperty
            case is String.Type: .string
            case is Bool.Type: .bool
            case is Int.Type: .int
            case is Double.Type: .double
            case is Float.Type: .float
            case is any FixedWidthInteger.Type: .integer
            case is JSONValue.Type: .json
            case is any EncodableStringDictionary.Type: .stringDictionary
            case let dictionary as any AnyDictionary.Type: dictionary.hasKeys ? .otherDictionary : .unordered
            case is any UnorderedCollection.Type: .unordered
            case is any AnyArray.Type: .array
            case is any EncodableElements.Type: .orderedValue
            case is any MemberDictionary.Type: .keyedValue
            // No test sees this always hold: one that has members encodes a plain dictionary, which has its own kind.
            case let value as any KeyedValue.Type: value.isUnordered ? .unordered : .otherDictionary
            default: Self(foundationType: type) ?? .other
            }
    }
}

private protocol AnyDictionary {
    /// Whether dictionaries are encoded as objects, not as arrays of alternating keys and values.
    static var hasKeys: Bool { get }
}

extension Dictionary: AnyDictionary {
    fileprivate static var hasKeys: Bool {
        // No test sees this never hold: they are `CodingKeyRepresentable`, too, which older systems do not have.
        if Key.self == String.self || Key.self == Int.self { return true }
        // No test sees this: only older systems return here.
        guard #available(macOS 12.3, iOS 15.4, tvOS 15.4, watchOS 8.5, *) else { return false }
        return Key.self is any CodingKeyRepresentable.Type
    }
}

/// A collection that is encoded as an array whose order has no meaning.
protocol UnorderedCollection {}
extension Set: UnorderedCollection {}

private protocol AnyArray {}
extension Array: AnyArray {}

/// The types that are plain by definition.
private let plainTypes: Set<ObjectIdentifier> = {
    var types: [any Any.Type] = [
        Bool.self, String.self, Substring.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self,
        Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, JSONValue.self,
    ]
    types += plainFoundationTypes
    // No test sees this: they only save looking into the values.
    if #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) { types.append(Duration.self) }
    // No test sees this: as above.
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { types += [Int128.self, UInt128.self] }
    return Set(types.map { ObjectIdentifier($0) })
}()

/// Whether values of a type can neither contain observables nor read any when they are encoded.
func isPlain(_ type: any Any.Type) -> Bool {
    if plainTypes.contains(ObjectIdentifier(type)) { return true }
    guard let container = type as? any PlainIfPartsAre.Type else { return false }
    return container.partTypes.allSatisfy { isPlain($0) }
}

extension Optional: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Wrapped.self] }
}

extension Array: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}

extension ContiguousArray: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}

extension ArraySlice: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}

extension Set: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Element.self] }
}

extension Dictionary: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Key.self, Value.self] }
}

extension Range: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Bound.self] }
}

extension ClosedRange: PlainIfPartsAre {
    package static var partTypes: [any Any.Type] { [Bound.self] }
}
