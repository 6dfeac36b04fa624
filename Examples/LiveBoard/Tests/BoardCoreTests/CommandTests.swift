// Effects of commands on a board, alone and after concurrent ones.

import BoardCore
import Foundation
import ReactiveCodable
import ReactiveCollections
import Testing

@Suite struct CommandTests {
    private let board = Board.sample(named: "board")

    private func id(_ text: String) -> ItemID { ItemID(text)! }

    private var shown: [Column] { board.columns.filter(\.isShown) }

    private func cards(_ column: Int) -> [String] { shown[column].cards.map(\.id.description) }

    private func refusal(_ command: Command) -> Refusal.Kind? {
        let before = try? JSONValue(encoding: board)
        do {
            try board.perform(command)
            return nil
        } catch {
            #expect((try? JSONValue(encoding: board)) == before)
            return error.kind
        }
    }

    @Test func cardsAreAddedTickedMovedAndRemoved() throws {
        try board.perform(.addCard(card: id("new"), column: id("doing"), title: "  a \n card "))
        #expect(cards(1) == ["kill", "new"] && board.columns[1].cards[1].title == "a card")
        try board.perform(.setDone(card: id("new"), isDone: true))
        #expect(board.progress.value.done == 2 && board.columns[1].progress.value.done == 1)
        try board.perform(.moveCard(card: id("new"), column: id("to-do"), before: id("drag")))
        #expect(cards(0) == ["try", "new", "drag", "edit"] && cards(1) == ["kill"])
        try board.perform(.moveCard(card: id("new"), column: id("to-do"), before: nil))
        #expect(cards(0) == ["try", "drag", "edit", "new"])
        try board.perform(.removeCard(card: id("new")))
        #expect(board.progress.value.total == 5)
    }

    @Test func theSizeOfACharacterIsLimited() {
        let mark = String(repeating: "\u{301}", count: 20_000)
        #expect(refusal(.addCard(card: id("new"), column: id("doing"), title: "a" + mark)) == .invalid)
        #expect(refusal(.editCard(card: id("start"), title: nil, note: Edit(from: "", to: "a" + mark))) == .invalid)
    }

    @Test func everyCommandMayBeSentTwice() throws {
        let commands: [Command] = [
            .addCard(card: id("new"), column: id("doing"), title: "new"),
            .editCard(card: id("new"), title: Edit(from: "new", to: "newer"), note: Edit(from: "", to: "a\nb")),
            .setDone(card: id("new"), isDone: true),
            .moveCard(card: id("new"), column: id("done"), before: id("start")),
            .removeCard(card: id("try")), .restoreCard(card: id("try")), .removeCard(card: id("try")),
            .addColumn(column: id("later"), title: "Later"),
            .editColumn(column: id("later"), title: Edit(from: "Later", to: "Much later")),
            .moveColumn(column: id("later"), before: id("to-do")), .editBoard(title: Edit(from: "board", to: "Board")),
            .moveCard(card: id("kill"), column: id("done"), before: nil), .removeColumn(column: id("doing")),
            .restoreColumn(column: id("doing")), .removeColumn(column: id("doing")),
        ]
        for command in commands {
            try board.perform(command)
            let once = try JSONValue(encoding: board)
            try board.perform(command)
            let twice = try JSONValue(encoding: board)
            #expect(once == twice, "\(command)")
        }
        #expect(shown.map(\.id.description) == ["later", "to-do", "done"])
    }

    @Test func removedCardsAreRestoredUnchanged() throws {
        let before = try JSONValue(encoding: board.columns)
        for card in ["try", "drag", "edit"] {
            try board.perform(.removeCard(card: id(card)))
            try board.perform(.restoreCard(card: id(card)))
            #expect(try JSONValue(encoding: board.columns) == before)
        }
        // The last removed card is restored first.
        for card in ["drag", "edit", "try"] { try board.perform(.removeCard(card: id(card))) }
        for card in ["try", "edit", "drag"] { try board.perform(.restoreCard(card: id(card))) }
        #expect(try JSONValue(encoding: board.columns) == before)
        try board.perform(.moveCard(card: id("kill"), column: id("done"), before: nil))
        let columns = try JSONValue(encoding: board.columns)
        try board.perform(.removeColumn(column: id("doing")))
        try board.perform(.restoreColumn(column: id("doing")))
        #expect(try JSONValue(encoding: board.columns) == columns && board.removals.isEmpty)
    }

    @Test func removedCardsAreRestoredWithoutTheirNeighbours() throws {
        try board.perform(.removeCard(card: id("kill")))
        try board.perform(.removeColumn(column: id("doing")))
        try board.perform(.restoreCard(card: id("kill")))
        #expect(cards(0) == ["try", "drag", "edit", "kill"])
        for column in ["to-do", "done"] {
            for card in board.columns.first(where: { $0.id == id(column) })?.cards ?? [] {
                try board.perform(.removeCard(card: card.id))
            }
            try board.perform(.removeColumn(column: id(column)))
        }
        #expect(refusal(.restoreCard(card: id("try"))) == .gone)
        try board.perform(.restoreColumn(column: id("done")))
        try board.perform(.restoreCard(card: id("try")))
        #expect(cards(0) == ["try"])
    }

    @Test func onlyTheLatestRemovalsAreKept() throws {
        for number in 0...Limits.removals {
            try board.perform(.addCard(card: id("n\(number)"), column: id("doing"), title: "x"))
            try board.perform(.removeCard(card: id("n\(number)")))
        }
        #expect(board.removals.count == Limits.removals)
        #expect(refusal(.restoreCard(card: id("n0"))) == .gone && refusal(.restoreCard(card: id("n1"))) == nil)
        #expect(refusal(.restoreCard(card: id("nobody"))) == .gone)
        #expect(refusal(.restoreColumn(column: id("nowhere"))) == .gone)
    }

    @Test func removedColumnsAreKeptAsLongAsTheyCanBeRestored() throws {
        for number in 0...Limits.removals {
            try board.perform(.addColumn(column: id("n\(number)"), title: "x"))
            try board.perform(.removeColumn(column: id("n\(number)")))
        }
        #expect(board.columns.count == 3 + Limits.removals && shown.count == 3)
        #expect(refusal(.restoreColumn(column: id("n0"))) == .gone)
        #expect(refusal(.addCard(card: id("new"), column: id("n1"), title: "x")) == .gone)
        #expect(refusal(.restoreColumn(column: id("n1"))) == nil && shown.count == 4)
    }

    @Test func commandsAreIdentifiedByPageAndNumber() throws {
        for text in ["", "-1", "ann", "ann-", "ann--1-", "ann-x", "a b-1", "ann-99999999999999999999"] {
            #expect(CommandID(text) == nil, "\(text)")
        }
        func rename(_ title: String, _ text: String) throws -> Bool {
            try board.perform(.editBoard(title: Edit(from: board.title, to: title)), id: CommandID(text))
            return board.title == title
        }
        #expect(try rename("one", "ann-1") && rename("two", "bob-1") && rename("three", "ann-a-1"))
        #expect(try !rename("four", "ann-1") && !rename("five", "ann-0") && rename("six", "ann-2"))
        // A page that has sent nothing for a long time is eventually forgotten.
        for page in 0..<(Limits.rememberedPages - 1) { #expect(try rename("\(page)", "page-\(page)-1")) }
        #expect(try !rename("seven", "ann-2") && rename("eight", "bob-1"))
    }

    @Test func filesOfEarlierVersionsAreRead() throws {
        let text = #"{"title": "T", "columns": [{"id": "a", "title": "A", "cards": []}]}"#
        let board = try JSONDecoder().decode(Board.self, from: Data(text.utf8))
        #expect(board.removals.isEmpty && board.lastCommands.isEmpty)
    }

    @Test func aMoveBesideAMissingCardMovesToTheEnd() throws {
        try board.perform(.removeCard(card: id("drag")))
        try board.perform(.moveCard(card: id("kill"), column: id("to-do"), before: id("drag")))
        #expect(cards(0) == ["try", "edit", "kill"])
        try board.perform(.moveCard(card: id("edit"), column: id("to-do"), before: id("edit")))
        #expect(cards(0) == ["try", "edit", "kill"])
    }

    @Test func invalidCommandsAreRefusedAndChangeNothing() {
        #expect(refusal(.setDone(card: id("nobody"), isDone: true)) == .gone)
        #expect(refusal(.moveCard(card: id("try"), column: id("nowhere"), before: nil)) == .gone)
        #expect(refusal(.addCard(card: id("new"), column: id("doing"), title: " \n ")) == .invalid)
        #expect(refusal(.editBoard(title: Edit(from: "board", to: String(repeating: "x", count: 201)))) == .invalid)
        #expect(refusal(.removeColumn(column: id("doing"))) == .conflict)
        // The title would fit; the note does not, so neither is changed.
        let note = String(repeating: "x", count: 4_001)
        #expect(
            refusal(.editCard(card: id("try"), title: Edit(from: "", to: "Try"), note: Edit(from: "", to: note))) != nil
        )
    }

    @Test func aBoardIsFullAtItsLimits() throws {
        for number in 0..<(Limits.columns - 3) { try board.perform(.addColumn(column: id("c\(number)"), title: "x")) }
        #expect(refusal(.addColumn(column: id("more"), title: "x")) == .full)
        inTransaction {
            board.columns[0].cards += (5..<Limits.cards).map { Card(id: id("n\($0)"), title: "x") }
        }
        #expect(refusal(.addCard(card: id("more"), column: id("doing"), title: "x")) == .full)
        for removed in ["try", "drag"] {
            #expect(refusal(.removeCard(card: id(removed))) == nil)
            #expect(refusal(.addCard(card: id("more-\(removed)"), column: id("doing"), title: "x")) == nil)
            #expect(refusal(.restoreCard(card: id(removed))) == .full)
        }
        #expect(refusal(.removeColumn(column: id("c0"))) == nil)
        #expect(refusal(.addColumn(column: id("more"), title: "x")) == nil)
        #expect(refusal(.restoreColumn(column: id("c0"))) == .full)
    }

    @Test func identitiesContainOnlySafeCharacters() {
        #expect(ItemID("a-Z-0") != nil)
        for text in ["", "a b", "a/b", "..", "ä", "a\"", String(repeating: "a", count: 41)] {
            #expect(ItemID(text) == nil)
        }
    }

    @Test func interpolatedTextIsEscaped() {
        let text = "<&>\"'\u{0}\u{1B}ö\n"
        let html: HTML = "<p title=\"\(text)\">\(HTML(text: text))\(7)</p>"
        let escaped = "&lt;&amp;&gt;&quot;&#39;\u{FFFD}\u{FFFD}ö\n"
        #expect(html.markup == "<p title=\"\(escaped)\">\(escaped)7</p>")
    }
}
