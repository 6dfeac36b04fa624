// What saving and loading ask of a coder.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An encoder that makes data of values: `JSONEncoder`, `PropertyListEncoder`, or one of a third party.
///
/// ```swift
/// extension YAMLEncoder: DataEncoder {
///     public func encode<T: Encodable>(_ value: T) throws -> Data {
///         let text: String = try encode(value)
///         return Data(text.utf8)
///     }
/// }
/// ```
public protocol DataEncoder {
    /// Returns a value in encoded form.
    func encode<T: Encodable>(_ value: T) throws -> Data
}

/// A decoder that makes values of data: `JSONDecoder`, `PropertyListDecoder`, or one of a third party.
public protocol DataDecoder {
    /// Returns the value of a type that the data describes.
    func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T
}

extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}
extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
