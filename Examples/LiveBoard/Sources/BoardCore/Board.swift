// The state: columns of cards. It is plain `Codable` state whose properties are observable; that it is shown, sent and saved is written
// elsewhere, and nothing here knows of it. The names are for the inspector.

import Reactive

/// What a file holds, and what every page of the board shows.
package struct Board: Codable, Sendable {
    @Observable package var title: String
    @Observable package var columns: [Column]
    /// What has been removed lately, the newest last.
    @Observable package var removals: [Removal]
    /// Which commands have been carried out.
    @Observable package var lastCommands: LastCommands

    /// How much is done on the whole board. Cached: a tick asks one column again, not all.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey { case title, columns, removals, lastCommands }

    /// Creates a board.
    package init(
        title: String, columns: [Column], removals: [Removal] = [], lastCommands: LastCommands = LastCommands()
    ) {
        let columns = Observable(wrappedValue: columns, named: "columns")
        _title = Observable(wrappedValue: title, named: "title")
        _columns = columns
        _removals = Observable(wrappedValue: removals, named: "removals")
        _lastCommands = Observable(wrappedValue: lastCommands, named: "last commands")
        progress = Computed(named: "progress of the board") {
            columns.value.reduce(into: Progress()) { $0.add($1.progress.value) }
        }
    }

    /// Reads a board. Identities must differ. Files of earlier versions know neither removals nor commands.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let columns = try container.decode([Column].self, forKey: .columns)
        for ids in [columns.map(\.id), columns.flatMap { $0.cards.map(\.id) }] {
            var seen: Set<ItemID> = []
            if let twice = ids.first(where: { !seen.insert($0).inserted }) {
                throw DecodingError.dataCorruptedError(
                    forKey: .columns, in: container, debugDescription: "two things have the identity \(twice)")
            }
        }
        self.init(
            title: try container.decode(String.self, forKey: .title), columns: columns,
            removals: try container.decodeIfPresent([Removal].self, forKey: .removals) ?? [],
            lastCommands: try container.decodeIfPresent(LastCommands.self, forKey: .lastCommands) ?? LastCommands())
    }
}

/// A list of cards with a title.
package struct Column: Codable, Sendable, Identifiable {
    package let id: ItemID
    @Observable package var title: String
    @Observable package var cards: [Card]

    /// How much of the column is done.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey { case id, title, cards }

    /// Creates a column.
    package init(id: ItemID, title: String, cards: [Card] = []) {
        let cards = Observable(wrappedValue: cards, named: "cards of \(id)")
        self.id = id
        _title = Observable(wrappedValue: title, named: "title of \(id)")
        _cards = cards
        progress = Computed(named: "progress of \(id)") {
            cards.value.reduce(into: Progress()) { $0.add(Progress(done: $1.isDone ? 1 : 0, total: 1)) }
        }
    }

    /// Reads a column.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ItemID.self, forKey: .id),
            title: try container.decode(String.self, forKey: .title),
            cards: try container.decode([Card].self, forKey: .cards))
    }
}

/// Something to do.
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

/// Something that was removed, and where it was.
package enum Removal: Codable, Sendable {
    /// A card that was in a column, before another card or at the end.
    case card(Card, column: ItemID, before: ItemID?)
    /// A column that was before another one or at the end.
    case column(Column, before: ItemID?)
}

/// How many cards there are, and how many of them are done.
package struct Progress: Equatable, Sendable {
    package private(set) var done = 0
    package private(set) var total = 0

    mutating func add(_ other: Progress) {
        done += other.done
        total += other.total
    }
}
