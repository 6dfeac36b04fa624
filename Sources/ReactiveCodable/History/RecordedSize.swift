// Estimates the memory of a value without reading its elements.

import Reactive

/// Returns the estimated size of a value: its inline bytes, the text of strings, and for collections the stride of an
/// element times the number of elements.
func estimatedByteCount<Value>(of value: Value) -> Int {
    if let value = value as? any SizedValue { return MemoryLayout<Value>.stride + value.storedByteCount }
    return MemoryLayout<Value>.stride + collectionByteCount(of: value)
}

/// Whether values of a type are collections, apart from those of observable collections: their changes are recorded by
/// element, or together with another change that does not merge.
func isCollection(_ type: any Any.Type) -> Bool {
    (type as? any SizedValue.Type)?.isCollection ?? false
}

/// Returns the size of the storage of a collection.
private func collectionByteCount(of value: Any) -> Int {
    func size<V: OrderedValue>(_ value: V) -> Int { value.elementCount * MemoryLayout<V.Element>.stride }
    func size<V: KeyedValue>(_ value: V) -> Int {
        value.memberCount * (MemoryLayout<V.Key>.stride + MemoryLayout<V.Member>.stride)
    }
    if let value = value as? any OrderedValue { return size(value) }
    if let value = value as? any KeyedValue { return size(value) }
    return 0
}

/// A type whose values have storage of their own.
private protocol SizedValue {
    var storedByteCount: Int { get }
    static var isCollection: Bool { get }
}

extension String: SizedValue {
    fileprivate var storedByteCount: Int { utf8.count }
    fileprivate static var isCollection: Bool { false }
}

extension Optional: SizedValue {
    fileprivate var storedByteCount: Int {
        map { ($0 as? any SizedValue)?.storedByteCount ?? 0 } ?? 0
    }
    fileprivate static var isCollection: Bool { (Wrapped.self as? any SizedValue.Type)?.isCollection ?? false }
}

extension Array: SizedValue {
    fileprivate var storedByteCount: Int { count * MemoryLayout<Element>.stride }
    fileprivate static var isCollection: Bool { true }
}

extension ContiguousArray: SizedValue {
    fileprivate var storedByteCount: Int { count * MemoryLayout<Element>.stride }
    fileprivate static var isCollection: Bool { true }
}

extension Set: SizedValue {
    fileprivate var storedByteCount: Int { count * MemoryLayout<Element>.stride }
    fileprivate static var isCollection: Bool { true }
}

extension Dictionary: SizedValue {
    fileprivate var storedByteCount: Int {
        count * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
    }
    fileprivate static var isCollection: Bool { true }
}
