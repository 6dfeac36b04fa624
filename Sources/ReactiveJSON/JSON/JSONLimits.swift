// How large JSON from strangers may be.
//
// The parser checks each limit as it goes, before it allocates. A patch can make a document larger than its own text:
// a `copy` of the document into itself doubles it. So applying a patch checks the limits too (JSONTree+Limits.swift).

/// The limits for JSON that comes from elsewhere: nesting, the number of values and the size of the text.
///
/// Parsing and patching check the limits and throw an error that names the limit and the location.
/// ``default`` is generous for honest documents, and protects a process from small texts that do great harm.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum number of levels of arrays and objects in a document: ``JSONValue/depth``.
    ///
    /// This module itself does not recurse. The limit protects what the document is given to: coders and the types
    /// that are decoded with them, which do.
    public var depth: Int

    /// The maximum number of values in a document: ``JSONValue/valueCount``. It bounds memory.
    ///
    /// While a text is parsed, all its values count, those of repeated keys included. While a patch is applied, the
    /// values of the document count.
    public var valueCount: Int

    /// The maximum size of a document in bytes of UTF-8.
    ///
    /// While a text is parsed, this is the size of the text. While a patch is applied, the strings, keys and numbers of
    /// the document count, and a byte for each value.
    public var byteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: The maximum number of levels of arrays and objects.
    ///   - valueCount: The maximum number of values.
    ///   - byteCount: The maximum size in bytes of UTF-8.
    public init(depth: Int = 512, valueCount: Int = 10_000_000, byteCount: Int = 256 << 20) {
        self.depth = depth
        self.valueCount = valueCount
        self.byteCount = byteCount
    }

    /// The limits that apply if no others are given: 512 levels, ten million values, 256 MB.
    public static let `default` = JSONLimits()

    /// No limits, for documents whose origin you trust. Memory alone limits their depth and size.
    public static let unlimited = JSONLimits(depth: .max, valueCount: .max, byteCount: .max)
}

extension JSONLimits {
    /// The reasons of errors.
    static func reasonForDepth(_ limit: Int) -> String {
        "more than \(limit) levels of nesting (JSONLimits.depth)"
    }

    static func reasonForValueCount(_ limit: Int) -> String {
        "more than \(limit) values (JSONLimits.valueCount)"
    }

    static func reasonForByteCount(_ limit: Int) -> String {
        "more than \(limit) bytes (JSONLimits.byteCount)"
    }
}

extension Int {
    /// The sum, or `Int.max` if it is larger. For counts: both are positive.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
