// The state: columns of cards. It is plain `Codable` state whose properties are observable; that it is shown, sent and saved is written
// elsewhere, and nothing here knows of it.

import Reactive

/// What a file holds, and what every page of the board shows.
package struct Board: Codable, Sendable {
    @Observable package var title: String
    @Observable package var columns: [Column]

    /// How much is done on the whole board. Cached: a tick asks one column again, not all.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey { case title, columns }

    /// Creates a board.
    package init(title: String, columns: [Column]) {
        self.init(Observable(wrappedValue: title), Observable(wrappedValue: columns))
    }

    /// Reads a board.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Observable<String>.self, forKey: .title),
            try container.decode(Observable<[Column]>.self, forKey: .columns))
    }

    private init(_ title: Observable<String>, _ columns: Observable<[Column]>) {
        _title = title
        _columns = columns
        progress = Computed(named: "progress of the board") {
            columns.value.reduce(into: Progress()) { $0.add($1.progress.value) }
        }
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
        self.init(id, Observable(wrappedValue: title), Observable(wrappedValue: cards))
    }

    /// Reads a column.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(ItemID.self, forKey: .id),
            try container.decode(Observable<String>.self, forKey: .title),
            try container.decode(Observable<[Card]>.self, forKey: .cards))
    }

    private init(_ id: ItemID, _ title: Observable<String>, _ cards: Observable<[Card]>) {
        self.id = id
        _title = title
        _cards = cards
        progress = Computed(named: "progress of \(id)") {
            cards.value.reduce(into: Progress()) { $0.add(Progress(done: $1.isDone ? 1 : 0, total: 1)) }
        }
    }
}

/// Something to do.
package struct Card: Codable, Sendable, Identifiable {
    package let id: ItemID
    @Observable package var title: String
    @Observable package var note: String
    @Observable package var isDone: Bool

    /// Creates a card.
    package init(id: ItemID, title: String, note: String = "", isDone: Bool = false) {
        self.id = id
        self.title = title
        self.note = note
        self.isDone = isDone
    }
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
