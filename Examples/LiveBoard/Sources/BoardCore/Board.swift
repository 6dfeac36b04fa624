// The state: columns of cards, as `Codable` structs with observable properties. Rendering, sending and saving are
// implemented in other files, without code here. The names appear in the inspector.

import ReactiveCollections

/// The contents of a board's file and pages.
package struct Board: Codable, Sendable {
    @Observable package var title: String
    /// All columns, including recently removed ones.
    package let columns: ObservableArray<Column>
    /// The recent removals, the newest last.
    package let removals: ObservableArray<Removal>
    /// The last command of each page that recently sent one; the oldest first.
    package let lastCommands: ObservableArray<CommandID>

    /// The name of ``lastCommands`` in the inspector.
    static let lastCommandsName = "last commands"

    /// The progress of the whole board.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey { case title, columns, removals, lastCommands }

    /// Creates a board.
    package init(title: String, columns: [Column], removals: [Removal] = [], lastCommands: [CommandID] = []) {
        _title = Observable(wrappedValue: title, named: "title")
        self.columns = ObservableArray(columns, named: "columns")
        self.removals = ObservableArray(removals, named: "removals")
        self.lastCommands = ObservableArray(lastCommands, named: Board.lastCommandsName)
        progress = self.columns.live.sum(named: "progress of the board") { $0.progress.value }
    }

    /// The part that the history of a board records.
    var contents: BoardContents { BoardContents(title: _title, columns: columns, removals: removals) }

    /// Reads a board. Identities must be unique. Files of earlier versions have neither removals nor commands. Command
    /// identities that are malformed are ignored.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let columns = try container.decode([Column].self, forKey: .columns)
        for ids in [columns.map(\.id), columns.flatMap { $0.cards.map(\.id) }] {
            var seen: Set<ItemID> = []
            if let twice = ids.first(where: { !seen.insert($0).inserted }) {
                throw DecodingError.dataCorruptedError(
                    forKey: .columns, in: container,
                    debugDescription: "two cards or columns have the identity \(twice)")
            }
        }
        let lastCommands = try container.decodeIfPresent([LenientCommandID].self, forKey: .lastCommands) ?? []
        self.init(
            title: try container.decode(String.self, forKey: .title), columns: columns,
            removals: try container.decodeIfPresent([Removal].self, forKey: .removals) ?? [],
            lastCommands: lastCommands.compactMap(\.id))
    }
}

/// The identity of a command, or a malformed one from an earlier version.
private struct LenientCommandID: Decodable {
    let id: CommandID?

    init(from decoder: any Decoder) throws { id = try? CommandID(from: decoder) }
}

/// A list of cards with a title.
package struct Column: Codable, Sendable, Identifiable {
    package let id: ItemID
    @Observable package var title: String
    package let cards: ObservableArray<Card>
    /// Whether the column has been removed. It stays in its list, hidden, so that it can be restored.
    @Observable package var isRemoved: Bool

    /// Whether pages show the column. A removed column with a card is shown: another server has added the card at the
    /// moment of the removal, and it would be lost with the column.
    package var isShown: Bool { !isRemoved || !cards.isEmpty }

    /// The progress of the column. A tick updates it in time that does not depend on the number of cards.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey { case id, title, cards, isRemoved }

    /// Creates a column.
    package init(id: ItemID, title: String, cards: [Card] = [], isRemoved: Bool = false) {
        self.id = id
        _isRemoved = Observable(wrappedValue: isRemoved, named: "removal of \(id)")
        _title = Observable(wrappedValue: title, named: "title of \(id)")
        self.cards = ObservableArray(cards, named: "cards of \(id)")
        progress = self.cards.live.sum(named: "progress of \(id)") { Progress(done: $0.isDone ? 1 : 0, total: 1) }
    }

    /// Reads a column. Files of earlier versions have no removed columns.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ItemID.self, forKey: .id),
            title: try container.decode(String.self, forKey: .title),
            cards: try container.decode([Card].self, forKey: .cards),
            isRemoved: try container.decodeIfPresent(Bool.self, forKey: .isRemoved) ?? false)
    }
}

/// A task on the board.
package struct Card: Codable, Sendable, Identifiable {
    package let id: ItemID
    @Observable package var title: String
    @Observable package var note: String
    @Observable package var isDone: Bool

    private enum CodingKeys: CodingKey { case id, title, note, isDone }

    /// Creates a card.
    package init(id: ItemID, title: String, note: String = "", isDone: Bool = false) {
        self.id = id
        _title = Observable(wrappedValue: title, named: "title of \(id)")
        _note = Observable(wrappedValue: note, named: "note of \(id)")
        _isDone = Observable(wrappedValue: isDone, named: "done of \(id)")
    }

    /// Reads a card.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ItemID.self, forKey: .id),
            title: try container.decode(String.self, forKey: .title),
            note: try container.decode(String.self, forKey: .note),
            isDone: try container.decode(Bool.self, forKey: .isDone))
    }
}

/// A removed element and its former position.
package enum Removal: Codable, Sendable {
    /// A card that was in a column, before another card or at the end.
    case card(Card, column: ItemID, before: ItemID?)
    /// A column that was before another one or at the end. Only earlier versions create this case.
    case column(Column, before: ItemID?)
    /// A column that is hidden and still in its list.
    case hiddenColumn(ItemID)
}

/// The number of cards, and the number of those that are done.
package struct Progress: AdditiveArithmetic, Sendable {
    package private(set) var done: Int
    package private(set) var total: Int

    package static let zero = Progress(done: 0, total: 0)

    package static func + (a: Progress, b: Progress) -> Progress {
        Progress(done: a.done + b.done, total: a.total + b.total)
    }

    package static func - (a: Progress, b: Progress) -> Progress {
        Progress(done: a.done - b.done, total: a.total - b.total)
    }
}
