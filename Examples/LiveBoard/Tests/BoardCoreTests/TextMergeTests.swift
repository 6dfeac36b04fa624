// Two users in one text field.

import BoardCore
import Testing

@Suite struct TextMergeTests {
    private func board(_ title: String) -> Board {
        Board(title: "board", columns: [Column(id: ItemID("a")!, title: title)])
    }

    /// Returns the merged text of two edits, or `nil` if the second one is refused.
    private func outcome(_ base: String, _ first: String, _ second: String) throws -> String? {
        let board = board(base)
        let column = ItemID("a")!
        try board.perform(.editColumn(column: column, title: Edit(from: base, to: first)))
        do {
            try board.perform(.editColumn(column: column, title: Edit(from: base, to: second)))
        } catch {
            #expect(error.kind == .conflict && error.current == first)
            #expect(board.columns[0].title == first)
            return nil
        }
        return board.columns[0].title
    }

    @Test(arguments: [
        ("Buy milk", "Buy oat milk", "Buy milk today", "Buy oat milk today"),
        ("Buy milk today", "Buy milk tomorrow", "Please buy milk today", "Please buy milk tomorrow"),
        ("one two three", "three", "one two three", "three"),
        ("one two three", "one three", "one two three four", "one three four"),
        ("x", "y", "y", "y"),
        ("👩‍👩‍👧 and 🇩🇪!", "👩‍👩‍👧 and 🇫🇷!", "🧑 and 🇩🇪!", "🧑 and 🇫🇷!"),
    ])
    func editsOfDifferentRangesAreMerged(base: String, first: String, second: String, merged: String) throws {
        #expect(try outcome(base, first, second) == merged)
        #expect(try outcome(base, second, first) == merged)
    }

    @Test(arguments: [
        ("Buy milk", "Buy bread", "Buy eggs"), ("a b", "a c b", "a d b"), ("one two", "two", "1 two"),
        ("x", "xy", "xz"),
    ])
    func editsOfOneRangeAreAConflict(base: String, first: String, second: String) throws {
        #expect(try outcome(base, first, second) == nil)
        #expect(try outcome(base, second, first) == nil)
    }

    @Test func anEditThatIsSentTwiceIsAppliedOnce() throws {
        let board = board("Buy milk")
        let command = Command.editColumn(column: ItemID("a")!, title: Edit(from: "Buy milk", to: " Buy  oat milk "))
        try board.perform(command)
        try board.perform(command)
        #expect(board.columns[0].title == "Buy oat milk")
    }
}
