// Conversions to protocols that types may conform to on an actor alone.
//
// In `@MainActor final class Leaf: @MainActor Codable`, the conformance belongs to the main actor, and so do those of
// `[Leaf]` and `Observable<[Leaf]>`. Casts of the runtime disagree about such conformances, also on the main actor: for
// one protocol the cast of a type succeeds and that of its value fails, for another one it is the other way round
// (measured with Swift 6.3). So these functions try the value first, and then its type. An encoder must not rely on
// either: a value that nothing matches is encoded by its own `encode(to:)`.

import Reactive

extension EncodableObservable {
    fileprivate static func converted(_ value: Any) -> (any EncodableObservable)? { value as? Self }
}

/// Returns state whose value can be encoded; `nil` if the value is none.
func encodableObservable<Value>(_ value: Value) -> (any EncodableObservable)? {
    value as? any EncodableObservable ?? (type(of: value as Any) as? any EncodableObservable.Type)?.converted(value)
}

extension EncodableElements {
    fileprivate static func converted(_ value: Any) -> (any EncodableElements)? { value as? Self }
}

/// Returns the value of an ordered collection; `nil` if the value is none.
func encodableElements<Value>(_ value: Value) -> (any EncodableElements)? {
    value as? any EncodableElements ?? (type(of: value as Any) as? any EncodableElements.Type)?.converted(value)
}

extension MemberDictionary {
    fileprivate static func converted(_ value: Any) -> (any MemberDictionary)? { value as? Self }
}

/// Returns a dictionary whose values can be encoded one by one; `nil` if the value is none.
func memberDictionary<Value>(_ value: Value) -> (any MemberDictionary)? {
    value as? any MemberDictionary ?? (type(of: value as Any) as? any MemberDictionary.Type)?.converted(value)
}

extension ElementArray {
    fileprivate static func converted(_ value: Any) -> (any ElementArray)? { value as? Self }
}

/// Returns an array whose elements can be encoded one by one; `nil` if the value is none.
func elementArray<Value>(_ value: Value) -> (any ElementArray)? {
    value as? any ElementArray ?? (type(of: value as Any) as? any ElementArray.Type)?.converted(value)
}

extension EncodableStringDictionary {
    fileprivate static func converted(_ value: Any) -> (any EncodableStringDictionary)? { value as? Self }
}

/// Returns a dictionary with strings as keys; `nil` if the value is none.
func encodableStringDictionary<Value>(_ value: Value) -> (any EncodableStringDictionary)? {
    value as? any EncodableStringDictionary
        ?? (type(of: value as Any) as? any EncodableStringDictionary.Type)?.converted(value)
}

extension LazilyEncodable {
    fileprivate static func converted(_ value: Any) -> (any LazilyEncodable)? { value as? Self }
}

/// Returns a container that can be encoded one element at a time; `nil` if the value is none.
func lazilyEncodable<Value>(_ value: Value) -> (any LazilyEncodable)? {
    value as? any LazilyEncodable ?? (type(of: value as Any) as? any LazilyEncodable.Type)?.converted(value)
}

extension Encodable {
    fileprivate static func converted(_ value: Any) -> (any Encodable)? { value as? Self }
}

/// Returns a value that can be encoded; `nil` if it cannot.
func encodable<Value>(_ value: Value) -> (any Encodable)? {
    value as? any Encodable ?? (type(of: value as Any) as? any Encodable.Type)?.converted(value)
}
