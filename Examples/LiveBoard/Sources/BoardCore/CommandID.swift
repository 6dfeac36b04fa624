// Carries out each command once. A page that gets no answer sends its command again. By then somebody else may have
// changed the same thing, which the repeated command must not overwrite.
//
// A page numbers its commands and sends the next one when the last one is answered. So it is enough to know the last
// number of each page. The board keeps these numbers as part of its state: a number changes in the transaction of its
// command, and both are saved in one file. So a repeated command is recognized after `kill -9`, too.

/// The identity of a command: the page that it comes from, and its number there. As text, `PAGE-NUMBER`.
package struct CommandID: Sendable, Equatable, CustomStringConvertible {
    let page: ItemID
    let number: Int

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

/// The last command that was carried out for each page, of the pages that sent one lately. In JSON: a list of texts,
/// oldest first.
package struct LastCommands: Sendable, Equatable {
    private var ids: [CommandID] = []

    /// Creates a list without any.
    package init() {}

    func contains(_ id: CommandID) -> Bool { ids.contains { $0.page == id.page && $0.number >= id.number } }

    mutating func insert(_ id: CommandID, limit: Int = Limits.rememberedPages) {
        ids.removeAll { $0.page == id.page }
        ids.append(id)
        if ids.count > limit { ids.removeFirst(ids.count - limit) }
    }
}

extension LastCommands: Codable {
    /// Reads a list, and ignores texts that are no identities.
    package init(from decoder: any Decoder) throws {
        ids = try decoder.singleValueContainer().decode([String].self).compactMap(CommandID.init)
    }

    /// Writes the texts.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ids.map(\.description))
    }
}
