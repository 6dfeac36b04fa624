// Carries out each command once. A page that gets no answer sends its command again. By then somebody else may have
// changed the same thing, which the repeated command must not overwrite.
//
// A page numbers its commands and sends the next one when the last one is answered. So it is enough to know the last
// number of each page. The board keeps these numbers as part of its state: a number changes in the transaction of its
// command, and both are saved in one file. So a repeated command is recognized after `kill -9`, too.

import ReactiveCollections

/// The identity of a command: the page that it comes from, and its number there. As text, `PAGE-NUMBER`.
package struct CommandID: Sendable, Equatable, Identifiable, CustomStringConvertible {
    let page: ItemID
    let number: Int

    /// A board knows one command of each page.
    package var id: ItemID { page }

    /// The text.
    package var description: String { "\(page)-\(number)" }

    /// Reads an identity.
    ///
    /// - Returns: `nil` if the text is none.
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

    /// Writes page and number. The page is the identity, so that servers that share a board name the command by it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(page, forKey: .id)
        try container.encode(number, forKey: .number)
    }
}

extension ObservableArray<CommandID> {
    /// Whether a command has been carried out: it is not newer than the last one of its page.
    func includes(_ id: CommandID) -> Bool { self[id: id.page].map { $0.number >= id.number } ?? false }

    /// Notes that a command has been carried out.
    func note(_ id: CommandID, limit: Int = Limits.rememberedPages) {
        remove(id: id.page)
        append(id)
        if count > limit { removeFirst(count - limit) }
    }
}
