// What a page asks for. Commands are small and say what is meant ("this card before that one"), not what the board looks like afterwards:
// so those of several people go together. Sent twice in a row, each does what it does once. If somebody else has acted in between, that
// takes the number that a page gives to each: see `CommandID`.

/// A change that a page asks for. In JSON: `{"setDone": {"card": "c1", "isDone": true}}`.
package enum Command: Codable, Sendable, Equatable {
    /// Adds a card below the others of a column. Does nothing if there is one of this identity.
    case addCard(card: ItemID, column: ItemID, title: String)
    /// Changes title and note of a card.
    case editCard(card: ItemID, title: Edit?, note: Edit?)
    /// Ticks a card, or takes the tick away.
    case setDone(card: ItemID, isDone: Bool)
    /// Moves a card before another one of a column; to the column's end without one, or if that one has left the column meanwhile.
    case moveCard(card: ItemID, column: ItemID, before: ItemID?)
    /// Removes a card. Does nothing if it is gone.
    case removeCard(card: ItemID)
    /// Restores a removed card: where it was, or at the end of the first column if its column was removed. Does nothing
    /// if the board has the card.
    case restoreCard(card: ItemID)
    /// Adds a column behind the others.
    case addColumn(column: ItemID, title: String)
    /// Changes the title of a column.
    case editColumn(column: ItemID, title: Edit)
    /// Moves a column before another one, or to the end.
    case moveColumn(column: ItemID, before: ItemID?)
    /// Removes a column that has no cards.
    case removeColumn(column: ItemID)
    /// Restores a removed column where it was. Does nothing if the board has the column.
    case restoreColumn(column: ItemID)
    /// Changes the title of the board.
    case editBoard(title: Edit)
}

/// A text, and the one that its author saw when beginning to change it.
package struct Edit: Codable, Sendable, Equatable {
    package let base: String
    package let text: String

    /// Creates an edit.
    package init(from base: String, to text: String) {
        self.base = base
        self.text = text
    }
}

/// Why a command was not carried out. Nothing has changed then, but for parts of a command that others have overtaken on
/// their way into a database.
package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of reason.
    package enum Kind: String, Sendable, Codable {
        /// The command makes no sense, whatever the board looks like.
        case invalid
        /// What it is about has been removed meanwhile.
        case gone
        /// Somebody else has changed the same words of the text meanwhile.
        case conflict
        /// The board can hold no more.
        case full
    }

    package let kind: Kind
    /// The reason, for people.
    package let description: String
    /// The text as it is now, of a conflict.
    package let current: String?

    init(_ kind: Kind, _ description: String, current: String? = nil) {
        self.kind = kind
        self.description = description
        self.current = current
    }
}
