// The commands of a page. A command is small and describes the intention ("this card before that one"), not the
// resulting board. So commands of several people can be combined. Two equal commands in a row have the effect of one.
// If another command may come between them, the page's command number prevents a second execution: see `CommandID`.

/// A change requested by a page. In JSON: `{"setDone": {"card": "c1", "isDone": true}}`.
package enum Command: Codable, Sendable, Equatable {
    /// Adds a card at the end of a column. Does nothing if a card with this identity exists.
    case addCard(card: ItemID, column: ItemID, title: String)
    /// Changes title and note of a card.
    case editCard(card: ItemID, title: Edit?, note: Edit?)
    /// Sets whether a card is done.
    case setDone(card: ItemID, isDone: Bool)
    /// Moves a card before another one in a column. Moves it to the end if there is no other, or the other has left the
    /// column.
    case moveCard(card: ItemID, column: ItemID, before: ItemID?)
    /// Removes a card. Does nothing if it has already been removed.
    case removeCard(card: ItemID)
    /// Restores a removed card at its former position, or at the end of the first column if its column was removed.
    /// Does nothing if the board has the card.
    case restoreCard(card: ItemID)
    /// Adds a column at the end.
    case addColumn(column: ItemID, title: String)
    /// Changes the title of a column.
    case editColumn(column: ItemID, title: Edit)
    /// Moves a column before another, or to the end.
    case moveColumn(column: ItemID, before: ItemID?)
    /// Removes a column that has no cards.
    case removeColumn(column: ItemID)
    /// Restores a removed column at its former position. Does nothing if the board has the column.
    case restoreColumn(column: ItemID)
    /// Changes the title of the board.
    case editBoard(title: Edit)
}

/// A new text and the text that its author began with.
package struct Edit: Codable, Sendable, Equatable {
    package let base: String
    package let text: String

    /// Creates an edit.
    package init(from base: String, to text: String) {
        self.base = base
        self.text = text
    }
}

/// The reason why a command was not carried out. Nothing has changed, with one exception: with a shared database, parts
/// of the command may already be in the log.
package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of reason.
    package enum Kind: String, Sendable, Codable {
        /// The command is invalid for every board.
        case invalid
        /// The object of the command has been removed.
        case gone
        /// Another user has changed the same part of the text.
        case conflict
        /// The board has reached a limit.
        case full
    }

    package let kind: Kind
    /// The reason as text for users.
    package let description: String
    /// The current text, for a conflict.
    package let current: String?

    init(_ kind: Kind, _ description: String, current: String? = nil) {
        self.kind = kind
        self.description = description
        self.current = current
    }
}
