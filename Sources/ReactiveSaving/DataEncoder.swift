// The requirements of saving and loading on coders.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An encoder that produces data: `JSONEncoder`, `PropertyListEncoder`, or one of a third party.
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

/// A decoder that reads data: `JSONDecoder`, `PropertyListDecoder`, or one of a third party.
public protocol DataDecoder {
    /// Returns the value of a type that the data describes.
    func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T
}

extension JSONEncoder: DataEncoder {}
extension PropertyListEncoder: DataEncoder {}
extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
