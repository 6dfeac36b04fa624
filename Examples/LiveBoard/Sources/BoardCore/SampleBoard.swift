// The contents of a new board.

extension Board {
    /// Returns a board with cards to try.
    package static func sample(named name: String) -> Board {
        Board(
            title: name,
            columns: [
                column(
                    "to-do", "To do",
                    [
                        card("try", "Open this page in a second window", "Each change appears in both windows."),
                        card("drag", "Drag me to “Doing”", "Or focus me and press Alt with an arrow key."),
                        card("edit", "Click me to edit me", "Two people can edit it together: no text is lost."),
                    ]),
                column("doing", "Doing", [card("kill", "Kill the server and start it again", "It is all still here.")]),
                column("done", "Done", [card("start", "Start the board", isDone: true)]),
            ])
    }

    private static func column(_ id: String, _ title: String, _ cards: [Card]) -> Column {
        Column(id: ItemID(id)!, title: title, cards: cards)
    }

    private static func card(_ id: String, _ title: String, _ note: String = "", isDone: Bool = false) -> Card {
        Card(id: ItemID(id)!, title: title, note: note, isDone: isDone)
    }
}
