// How commands change the board. Each is one transaction: if it is refused, nothing has changed.

import Reactive

extension Board {
    /// Carries out a command.
    ///
    /// - Throws: `Refusal`, and the board is as it was.
    package func perform(_ command: Command) throws(Refusal) {
        try inTransaction { () throws(Refusal) in try change(command) }
    }

    /// Every check comes before the first write.
    private func change(_ command: Command) throws(Refusal) {
        switch command {
        case .addCard(let id, let columnID, let title):
            if place(of: id) != nil { return }
            let title = try checkedTitle(title)
            let column = try column(columnID)
            guard progress.value.total < Limits.cards else {
                throw Refusal(.full, "a board holds \(Limits.cards) cards; remove some first")
            }
            column.cards.append(Card(id: id, title: title))
        case .editCard(let id, let title, let note):
            let card = try card(id)
            let title = try title.map { edit throws(Refusal) in try newTitle(edit, card.title) }
            let note = try note.map { edit throws(Refusal) in try checkedNote(merged(edit, card.note, "note")) }
            if let title { card.title = title }
            if let note { card.note = note }
        case .setDone(let id, let isDone):
            try card(id).isDone = isDone
        case .moveCard(let id, let columnID, let neighbour):
            let target = try column(columnID)
            guard let (source, index) = place(of: id) else {
                throw Refusal(.gone, "the card has been removed meanwhile")
            }
            if neighbour == id { return }
            let card = source.cards.remove(at: index)
            target.cards.insert(card, at: target.cards.firstIndex { $0.id == neighbour } ?? target.cards.endIndex)
        case .removeCard(let id):
            if let (column, index) = place(of: id) { column.cards.remove(at: index) }
        case .addColumn(let id, let title):
            if columns.contains(where: { $0.id == id }) { return }
            let title = try checkedTitle(title)
            guard columns.count < Limits.columns else {
                throw Refusal(.full, "a board holds \(Limits.columns) columns; remove one first")
            }
            columns.append(Column(id: id, title: title))
        case .editColumn(let id, let edit):
            let column = try column(id)
            column.title = try newTitle(edit, column.title)
        case .moveColumn(let id, let neighbour):
            _ = try column(id)
            if neighbour == id { return }
            var columns = columns
            let index = columns.firstIndex { $0.id == id }!
            let column = columns.remove(at: index)
            columns.insert(column, at: columns.firstIndex { $0.id == neighbour } ?? columns.endIndex)
            self.columns = columns
        case .removeColumn(let id):
            guard let index = columns.firstIndex(where: { $0.id == id }) else { return }
            guard columns[index].cards.isEmpty else {
                throw Refusal(.conflict, "the column has cards; move or remove them first")
            }
            columns.remove(at: index)
        case .editBoard(let edit):
            title = try newTitle(edit, title)
        }
    }

    // MARK: - Finding

    /// The card of an identity.
    package func card(_ id: ItemID) throws(Refusal) -> Card {
        guard let (column, index) = place(of: id) else { throw Refusal(.gone, "the card has been removed meanwhile") }
        return column.cards[index]
    }

    private func column(_ id: ItemID) throws(Refusal) -> Column {
        guard let column = columns.first(where: { $0.id == id }) else {
            throw Refusal(.gone, "the column has been removed meanwhile")
        }
        return column
    }

    private func place(of id: ItemID) -> (column: Column, index: Int)? {
        for column in columns {
            if let index = column.cards.firstIndex(where: { $0.id == id }) { return (column, index) }
        }
        return nil
    }

    // MARK: - Texts

    private func merged(_ edit: Edit, _ current: String, _ field: String) throws(Refusal) -> String {
        // Bounds what merging costs; no text that the board has given out is longer.
        guard max(edit.base.utf8.count, edit.text.utf8.count) <= Limits.command else {
            throw Refusal(.invalid, "the \(field) is too long")
        }
        guard let merged = edit.merged(into: current) else {
            throw Refusal(
                .conflict, "somebody else has changed the same words of the \(field) meanwhile", current: current)
        }
        return merged
    }

    private func newTitle(_ edit: Edit, _ current: String) throws(Refusal) -> String {
        // Put in order first, so that the same edit sent again is seen to have been made.
        try checkedTitle(merged(Edit(from: edit.base, to: checkedTitle(edit.text)), current, "title"))
    }

    private func checkedTitle(_ text: String) throws(Refusal) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { throw Refusal(.invalid, "a title must not be empty") }
        let title = words.joined(separator: " ")
        try check(title, "title", Limits.title)
        return title
    }

    private func checkedNote(_ text: String) throws(Refusal) -> String {
        try check(text, "note", Limits.note)
        return text
    }

    private func check(_ text: String, _ field: String, _ limit: Int) throws(Refusal) {
        guard text.count <= limit else {
            throw Refusal(.invalid, "a \(field) has \(limit) characters at most; this one has \(text.count)")
        }
        guard text.utf8.count <= 8 * limit else {
            throw Refusal(.invalid, "a \(field) has \(8 * limit) bytes at most; this one has \(text.utf8.count)")
        }
    }
}
