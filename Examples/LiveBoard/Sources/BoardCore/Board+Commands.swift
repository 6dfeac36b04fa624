// The changes that commands make to the board. Each is one transaction: if it is refused, nothing has changed.

import ReactiveCollections
import ReactiveSync

extension Board {
    /// Carries out a command unless it has already been carried out.
    ///
    /// - Returns: Whether this call has carried it out.
    /// - Throws: `Refusal`. The board is then unchanged.
    @discardableResult
    package func perform(_ command: Command, id: CommandID? = nil) throws(Refusal) -> Bool {
        try inTransaction { () throws(Refusal) in
            if let id, lastCommands.includes(id) { return false }
            try change(command)
            if let id { lastCommands.note(id) }
            return true
        }
    }

    /// Forgets that a command has been carried out.
    func forget(_ id: CommandID) { lastCommands.remove(id: id.page) }

    /// Every check comes before the first write.
    private func change(_ command: Command) throws(Refusal) {
        switch command {
        case .addCard(let id, let columnID, let title):
            if column(with: id) != nil { return }
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
            guard let source = column(with: id) else {
                throw Refusal(.gone, "the card has been removed meanwhile")
            }
            if neighbour == id { return }
            removeCopies(of: id, except: source)
            if source.id == target.id { return target.cards.move(id, before: neighbour) }
            if let card = source.cards.remove(id: id) { target.cards.insert(card, before: neighbour) }
        case .removeCard(let id):
            guard let column = column(with: id), let (card, next) = column.cards.take(id) else { return }
            removeCopies(of: id, except: column)
            keep(.card(card, column: column.id, before: next))
        case .restoreCard(let id):
            if column(with: id) != nil { return }
            for (index, removal) in removals.enumerated().reversed() {
                guard case .card(let card, let columnID, let neighbour) = removal, card.id == id else { continue }
                guard let column = shownColumn(columnID) ?? columns.first(where: \.isShown) else {
                    throw Refusal(.gone, "there is no column for the card; add one first")
                }
                try checkRoomForACard()
                removals.remove(at: index)
                return column.cards.insert(card, before: neighbour)
            }
            throw Refusal(.gone, "the card was removed too long ago to be restored")
        case .addColumn(let id, let title):
            if columns.contains(id: id) { return }
            let title = try checkedTitle(title)
            try checkRoomForAColumn()
            columns.append(Column(id: id, title: title))
        case .editColumn(let id, let edit):
            let column = try column(id)
            column.title = try newTitle(edit, column.title)
        case .moveColumn(let id, let neighbour):
            _ = try column(id)
            if neighbour != id { columns.move(id, before: neighbour) }
        case .removeColumn(let id):
            guard let column = shownColumn(id) else { return }
            guard column.cards.isEmpty else {
                throw Refusal(.conflict, "the column has cards; move or remove them first")
            }
            column.isRemoved = true
            keep(.hiddenColumn(id))
        case .restoreColumn(let id):
            if shownColumn(id) != nil { return }
            if let column = columns[id: id] {
                try checkRoomForAColumn()
                removals.removeAll {
                    if case .hiddenColumn(id) = $0 { true } else { false }
                }
                column.isRemoved = false
                return
            }
            for (index, removal) in removals.enumerated().reversed() {
                guard case .column(let column, let neighbour) = removal, column.id == id else { continue }
                try checkRoomForAColumn()
                removals.remove(at: index)
                return columns.insert(column, before: neighbour)
            }
            throw Refusal(.gone, "the column was removed too long ago to be restored")
        case .editBoard(let edit):
            title = try newTitle(edit, title)
        }
    }

    private func keep(_ removal: Removal) {
        removals.append(removal)
        while removals.count > Limits.removals {
            guard case .hiddenColumn(let id) = removals.removeFirst(), let column = columns[id: id] else { continue }
            if !column.isShown { columns.remove(id: id) }
        }
    }

    private func checkRoomForACard() throws(Refusal) {
        guard progress.value.total < Limits.cards else {
            throw Refusal(.full, "a board can have at most \(Limits.cards) cards; remove some first")
        }
    }

    private func checkRoomForAColumn() throws(Refusal) {
        guard columns.count(where: \.isShown) < Limits.columns else {
            throw Refusal(.full, "a board can have at most \(Limits.columns) columns; remove one first")
        }
    }

    // MARK: - Finding

    /// Returns the card with an identity.
    package func card(_ id: ItemID) throws(Refusal) -> Card {
        guard let card = column(with: id)?.cards[id: id] else {
            throw Refusal(.gone, "the card has been removed meanwhile")
        }
        return card
    }

    private func column(_ id: ItemID) throws(Refusal) -> Column {
        guard let column = shownColumn(id) else { throw Refusal(.gone, "the column has been removed meanwhile") }
        return column
    }

    private func shownColumn(_ id: ItemID) -> Column? { columns[id: id].flatMap { $0.isShown ? $0 : nil } }

    /// Removes duplicates of a card. Two servers may add one card to different columns at the same moment, because a
    /// log checks identities within one list, not within the board. The first copy counts. The next command that moves
    /// or removes the card removes the others.
    private func removeCopies(of card: ItemID, except column: Column) {
        for other in columns where other.id != column.id { other.cards.remove(id: card) }
    }

    private func column(with card: ItemID) -> Column? { columns.first { $0.cards.contains(id: card) } }

    // MARK: - Texts

    private func merged(_ edit: Edit, _ current: String, _ field: String) throws(Refusal) -> String {
        // Limits the cost of merging. No text that the board has sent is longer.
        guard max(edit.base.utf8.count, edit.text.utf8.count) <= Limits.command else {
            throw Refusal(.invalid, "the \(field) is too long")
        }
        guard let merged = TextMerge.merged(base: edit.base, current: current, edited: edit.text) else {
            throw Refusal(
                .conflict, "somebody else has changed the same words of the \(field)", current: current)
        }
        return merged
    }

    private func newTitle(_ edit: Edit, _ current: String) throws(Refusal) -> String {
        // The new text is trimmed and checked first, so that a repeated edit is recognised as already made.
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
            throw Refusal(.invalid, "a \(field) can have at most \(limit) characters; this one has \(text.count)")
        }
        guard text.utf8.count <= 8 * limit else {
            throw Refusal(.invalid, "a \(field) can have at most \(8 * limit) bytes; this one has \(text.utf8.count)")
        }
    }
}

extension ObservableArray where Element: Identifiable {
    /// Inserts an element before another; at the end if there is none or it is not in the list.
    fileprivate func insert(_ element: Element, before neighbour: Element.ID?) {
        insert(element, at: neighbour.flatMap { index(id: $0) } ?? count)
    }

    /// Moves an element before another; to the end if there is none or it is not in the list.
    fileprivate func move(_ id: Element.ID, before neighbour: Element.ID?) {
        guard let index = index(id: id) else { return }
        move(fromOffsets: [index], toOffset: neighbour.flatMap { self.index(id: $0) } ?? count)
    }

    /// Removes an element. Returns it with the identity of the next one.
    fileprivate func take(_ id: Element.ID) -> (element: Element, next: Element.ID?)? {
        guard let index = index(id: id) else { return nil }
        let element = remove(at: index)
        return (element, index < count ? self[index].id : nil)
    }
}
