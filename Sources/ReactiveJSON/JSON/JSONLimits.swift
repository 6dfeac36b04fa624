// Limits for JSON from untrusted sources.
//
// The parser checks each limit while it reads, before it allocates. A patch can make a document larger than the patch's
// own text: a `copy` of the document into itself doubles it. So applying a patch checks the limits too
// (JSONTree+Limits.swift).

/// The limits for JSON from untrusted sources: nesting, the number of values and the size of the text.
///
/// Parsing and patching check the limits and throw an error that names the limit and the location.
/// The ``default`` limits are generous for normal documents. They protect a process from small texts that need much
/// memory.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum number of levels of arrays and objects in a document: ``JSONValue/depth``.
    ///
    /// This module does not recurse. The limit protects code that receives the document and does recurse: coders and
    /// the types that they decode.
    public var depth: Int

    /// The maximum number of values in a document: ``JSONValue/valueCount``. It bounds memory.
    ///
    /// In a text, all values count, including those of repeated keys. While a patch is applied, the values of the
    /// document count.
    public var valueCount: Int

    /// The maximum size of a document in bytes of UTF-8.
    ///
    /// In a text, this is the size of the text. While a patch is applied, the strings, keys and numbers of the document
    /// count, and one byte for each value.
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

    /// The default limits: 512 levels, ten million values, 256 MB.
    public static let `default` = JSONLimits()

    /// No limits, for documents whose origin you trust. Memory alone limits their depth and size.
    public static let unlimited = JSONLimits(depth: .max, valueCount: .max, byteCount: .max)
}

extension JSONLimits {
    /// Returns the reason of an error.
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
    /// Returns the sum, or `Int.max` if it is larger. For counts: both are positive.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
