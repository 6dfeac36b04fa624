// The cart: codes and numbers of pieces. All other product data comes from the catalogue.

import Conversation

/// The contents of a cart in the order of insertion.
package struct Cart: Hashable, Sendable, Codable {
    /// Some pieces of a product.
    package struct Entry: Hashable, Sendable, Codable {
        package let code: String
        package var pieces: Int
    }

    /// The possible numbers of pieces of a product.
    static let possiblePieces = 1...9999

    package private(set) var entries: [Entry] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// The number of pieces of a product. Setting it to 0 removes the product.
    package subscript(code code: String) -> Int {
        get { indices[code].map { entries[$0].pieces } ?? 0 }
        set {
            switch (indices[code], newValue) {
            case (let index?, 0): remove(at: index)
            case (let index?, _): entries[index].pieces = newValue
            case (nil, 0): break
            case (nil, _): append(Entry(code: code, pieces: newValue))
            }
        }
    }

    private mutating func append(_ entry: Entry) {
        indices[entry.code] = entries.count
        entries.append(entry)
    }

    private mutating func remove(at index: Int) {
        indices[entries.remove(at: index).code] = nil
        for later in entries.indices[index...] { indices[entries[later].code] = later }
    }

    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let entry = try container.decode(Entry.self)
            guard Self.possiblePieces ~= entry.pieces, self[code: entry.code] == 0 else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: """
                        \(entry.pieces) pieces of \(entry.code.shortened); write each product once, \
                        with 1 to \(Self.possiblePieces.upperBound) pieces
                        """)
            }
            append(entry)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for entry in entries { try container.encode(entry) }
    }
}
