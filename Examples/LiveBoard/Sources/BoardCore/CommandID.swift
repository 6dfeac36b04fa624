// Carries out each command once. A page that gets no answer sends its command again. In the meantime another user may
// have changed the same object, and the repeated command must not overwrite that change.
//
// A page numbers its commands and sends the next one when the last one is answered. So the last number of each page is
// sufficient. The board keeps these numbers as part of its state: a number changes in the transaction of its command,
// and both are saved in one file. So a repeated command is recognised even after `kill -9`.

import ReactiveCollections

/// The identity of a command: its page and its number on that page. As text, `PAGE-NUMBER`.
package struct CommandID: Sendable, Equatable, Identifiable, CustomStringConvertible {
    let page: ItemID
    let number: Int

    /// The page, because a board stores one command per page.
    package var id: ItemID { page }

    /// The text.
    package var description: String { "\(page)-\(number)" }

    /// Reads an identity.
    ///
    /// - Returns: The identity, or `nil` if the text is malformed.
    package init?(_ text: String) {
        guard let hyphen = text.lastIndex(of: "-"), let page = ItemID(String(text[..<hyphen])),
            let number = Int(text[text.index(after: hyphen)...]), number >= 0
        else { return nil }
        self.page = page
        self.number = number
    }
}

extension CommandID: Codable {
    private enum CodingKeys: CodingKey { case id, number }

    /// Reads a page and a number, or the text that earlier versions wrote.
    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            guard let id = CommandID(text) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "“\(text)” is not a command's identity"))
            }
            self = id
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        page = try container.decode(ItemID.self, forKey: .id)
        number = try container.decode(Int.self, forKey: .number)
    }

    /// Writes page and number. The page is the element's identity, so that all servers that share a board use the same
    /// one.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(page, forKey: .id)
        try container.encode(number, forKey: .number)
    }
}

extension ObservableArray<CommandID> {
    /// Whether a command has been carried out: its number is not higher than the last one of its page.
    func includes(_ id: CommandID) -> Bool { self[id: id.page].map { $0.number >= id.number } ?? false }

    /// Notes that a command has been carried out.
    func note(_ id: CommandID, limit: Int = Limits.rememberedPages) {
        remove(id: id.page)
        append(id)
        if count > limit { removeFirst(count - limit) }
    }
}
