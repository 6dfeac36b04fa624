// The identities of cards and columns in commands, in the page and in the file.

/// The identity of a card or a column: 1 to 40 letters, digits and hyphens of ASCII.
///
/// Pages create them, so that a command that is sent twice creates one card.
package struct ItemID: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let description: String

    /// Creates an identity from a text.
    ///
    /// - Returns: The identity, or `nil` if the text is too long, empty, or has other characters.
    package init?(_ text: String) {
        guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy(ItemID.isAllowed) else { return nil }
        description = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension ItemID: Codable {
    /// Decodes a text. Throws if it is not a valid identity.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = ItemID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an identity must be 1 to 40 letters, digits and hyphens")
        }
        self = id
    }

    /// Encodes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
