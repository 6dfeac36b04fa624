// How commands change the board. Each is one transaction: if it is refused, nothing has changed.

import Reactive

extension Board {
    /// Carries out a command, unless it has been carried out already.
    ///
    /// - Throws: `Refusal`, and the board is as it was.
    package func perform(_ command: Command, id: CommandID? = nil) throws(Refusal) {
        try inTransaction { () throws(Refusal) in
            if let id, lastCommands.contains(id) { return }
            try change(command)
            if let id { lastCommands.insert(id) }
        }
    }

    /// Every check comes before the first write.
    private func change(_ command: Command) throws(Refusal) {
        switch command {
        case .addCard(let id, let columnID, let title):
            if place(of: id) != nil { return }
            let title = try checkedTitle(title)
            let column = try column(columnID)
            try checkRoomForACard()
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
            guard let (column, index) = place(of: id) else { return }
            let card = column.cards.remove(at: index)
            let next = index < column.cards.count ? column.cards[index].id : nil
            keep(.card(card, column: column.id, before: next))
        case .restoreCard(let id):
            if place(of: id) != nil { return }
            for (index, removal) in removals.enumerated().reversed() {
                guard case .card(let card, let columnID, let neighbour) = removal, card.id == id else { continue }
                guard let column = columns.first(where: { $0.id == columnID }) ?? columns.first else {
                    throw Refusal(.gone, "there is no column for the card; add one first")
                }
                try checkRoomForACard()
                removals.remove(at: index)
                column.cards.insert(card, at: column.cards.firstIndex { $0.id == neighbour } ?? column.cards.endIndex)
                return
            }
            throw Refusal(.gone, "the card was removed too long ago")
        case .addColumn(let id, let title):
            if columns.contains(where: { $0.id == id }) { return }
            let title = try checkedTitle(title)
            try checkRoomForAColumn()
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
            let column = columns.remove(at: index)
            keep(.column(column, before: index < columns.count ? columns[index].id : nil))
        case .restoreColumn(let id):
            if columns.contains(where: { $0.id == id }) { return }
            for (index, removal) in removals.enumerated().reversed() {
                guard case .column(let column, let neighbour) = removal, column.id == id else { continue }
                try checkRoomForAColumn()
                removals.remove(at: index)
                columns.insert(column, at: columns.firstIndex { $0.id == neighbour } ?? columns.endIndex)
                return
            }
            throw Refusal(.gone, "the column was removed too long ago")
        case .editBoard(let edit):
            title = try newTitle(edit, title)
        }
    }

    private func keep(_ removal: Removal) {
        removals = (removals + [removal]).suffix(Limits.removals)
    }

    private func checkRoomForACard() throws(Refusal) {
        guard progress.value.total < Limits.cards else {
            throw Refusal(.full, "a board holds \(Limits.cards) cards; remove some first")
        }
    }

    private func checkRoomForAColumn() throws(Refusal) {
        guard columns.count < Limits.columns else {
            throw Refusal(.full, "a board holds \(Limits.columns) columns; remove one first")
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
