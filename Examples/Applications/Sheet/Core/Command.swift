// The commands in lines of input.

import Conversation

/// A command.
enum Command: Equatable {
    /// Enters a text: `B2 = 40`. An empty text clears the cell.
    case edit(Position, String)
    /// Shows the value and the entered text of a cell: `B2`.
    case inspect(Position)
    case begin
    case commit
    case rollback
    /// Shows the sheet or a range: `show` or `show A1:C9`.
    case show(CellRange?)
    case why(Position)
    case save(String)
    /// Writes the dependency graph as an HTML page: `graph graph.html`.
    case graph(String)
    case help
    case quit

    /// Parses a line.
    ///
    /// - Returns: The command; `nil` for an empty line or a comment, which begins with `#`.
    /// - Throws: `CommandError` if the line is not a command.
    static func read(_ line: String) throws(CommandError) -> Command? {
        guard let line = InputLine(line) else { return nil }
        if let equals = line.text.firstIndex(of: "=") {
            let name = line.text[..<equals].trimmed
            if !name.contains(where: \.isWhitespace) {
                return .edit(try cell(name), line.text[line.text.index(after: equals)...].trimmed)
            }
        }
        if let command = try line.command(among: wordsAlone) { return command }
        let (word, argument) = (line.word, line.argument)
        switch (word, argument.isEmpty) {
        case ("show", true): return .show(nil)
        case ("show", false):
            guard let range = CellRange(argument) else {
                throw CommandError("\"\(argument.shortened)\" is not a range; write it as in show A1:C9")
            }
            return .show(range)
        case ("why", true): throw CommandError("why needs a cell, as in why B2")
        case ("why", false): return .why(try cell(argument))
        case ("save", true): throw CommandError("save needs a file, as in save budget.csv")
        case ("save", false): return .save(argument)
        case ("graph", true): throw CommandError("graph needs a file, as in graph graph.html")
        case ("graph", false): return .graph(argument)
        case (_, true):
            if let position = Position(word) { return .inspect(position) }
            fallthrough
        default:
            throw CommandError("unknown command \"\(line.text.shortened)\"; help lists the commands")
        }
    }

    private static let wordsAlone: [String: Command] = [
        "begin": .begin, "commit": .commit, "rollback": .rollback, "help": .help, "?": .help, "quit": .quit,
        "exit": .quit,
    ]

    private static func cell(_ name: String) throws(CommandError) -> Position {
        guard !name.isEmpty else { throw CommandError("the cell is missing; write it first, as in B2 = 40") }
        guard let position = Position(name) else {
            throw CommandError(
                "\"\(name.shortened)\" is not a cell; cells are A1 to \(Position.last)")
        }
        return position
    }

    /// The text of `help`.
    static let summary = """
        B2 = 40          enter a number, text, or a formula: B2 = =A1*2
        B2 =             clear the cell
        B2               print the cell's value and formula
        begin            start a transaction: its edits are one change
        commit           end the transaction and apply its edits
        rollback         end the transaction and discard its edits
        show             draw the sheet; show A1:C9 draws a part
        why B2           print the edits that changed the cell last, and the cells on the path
        save FILE        write the sheet as CSV, with its formulas
        graph FILE       write the dependency graph as an HTML page
        help             print this list
        quit             quit; the end of the input does the same
        # text           a comment
        Formulas: + - * / %, = <> < <= > >=, parentheses, "text", TRUE, FALSE, A1, $A$1, A1:C9,
        \(Function.allCases.map(\.rawValue).joined(separator: ", "))
        """
}
