// The commands in lines of input.

import Conversation

/// A command.
enum Command: Equatable {
    case edit(Edit)
    case undo
    case redo
    case begin
    case commit
    case rollback
    /// Shows the outline or an item: `show` or `show 2.1`.
    case show(ItemNumber?)
    case patch(isOn: Bool)
    case save
    case help
    case quit

    /// A command that changes the outline.
    enum Edit: Equatable {
        case add(String, to: ItemNumber)
        case rename(ItemNumber, String)
        case mark(ItemNumber, isDone: Bool)
        case move(ItemNumber, Destination)
        case delete(ItemNumber)
    }

    /// Parses a line.
    ///
    /// - Returns: The command; `nil` for an empty line or a comment, which begins with `#`.
    /// - Throws: `CommandError` if the line is not a command.
    static func read(_ line: String) throws(CommandError) -> Command? {
        guard let line = InputLine(line) else { return nil }
        if let command = try line.command(among: wordsAlone) { return command }
        let argument = line.argument
        switch (line.word, argument.isEmpty) {
        case ("add", _): return .edit(try add(argument))
        case ("rename", _): return .edit(try rename(argument))
        case ("done", _): return .edit(.mark(try number(argument, for: "done 2.1"), isDone: true))
        case ("undone", _): return .edit(.mark(try number(argument, for: "undone 2.1"), isDone: false))
        case ("move", _): return .edit(try move(argument))
        case ("delete", _): return .edit(.delete(try number(argument, for: "delete 2.1")))
        case ("show", true): return .show(nil)
        case ("show", false): return .show(try number(argument, for: "show 2.1"))
        case ("patch", _):
            switch argument.lowercased() {
            case "on": return .patch(isOn: true)
            case "off": return .patch(isOn: false)
            default: throw CommandError("patch needs on or off")
            }
        default: throw CommandError("unknown command \"\(line.text.shortened)\"; help lists the commands")
        }
    }

    private static let wordsAlone: [String: Command] = [
        "undo": .undo, "redo": .redo, "begin": .begin, "commit": .commit, "rollback": .rollback, "save": .save,
        "help": .help, "?": .help, "quit": .quit, "exit": .quit,
    ]

    // MARK: - Arguments

    /// Parses `Pack`, or `2.1: Pack` for an item below 2.1.
    private static func add(_ argument: String) throws(CommandError) -> Edit {
        var title = argument
        var parent = ItemNumber.top
        if let colon = argument.firstIndex(of: ":"), let number = ItemNumber(argument[..<colon].trimmed) {
            parent = number
            title = argument[argument.index(after: colon)...].trimmed
        }
        guard !title.isEmpty else { throw CommandError("add needs a title, as in add Pack or add 2.1: Pack") }
        return .add(title, to: parent)
    }

    /// Parses `2.1 Pack` or `2.1: Pack`.
    private static func rename(_ argument: String) throws(CommandError) -> Edit {
        let example = "rename 2.1 Pack"
        var (word, title) = argument.firstWord
        if word.hasSuffix(":") { word.removeLast() }
        let number = try number(word, for: example)
        guard !title.isEmpty else { throw CommandError("rename needs a title, as in \(example)") }
        return .rename(number, title)
    }

    /// Parses `2.1 before 1`, and likewise `after` and `into`.
    private static func move(_ argument: String) throws(CommandError) -> Edit {
        let example = "move 2.1 before 1"
        let (word, rest) = argument.firstWord
        let number = try number(word, for: example)
        let (preposition, anchorWord) = rest.firstWord
        func anchor() throws(CommandError) -> ItemNumber { try self.number(anchorWord, for: example) }
        switch preposition.lowercased() {
        case "before": return .move(number, .before(try anchor()))
        case "after": return .move(number, .after(try anchor()))
        case "into": return .move(number, .into(try anchor()))
        default: throw CommandError("move needs before, after or into, as in \(example)")
        }
    }

    private static func number(_ word: String, for example: String) throws(CommandError) -> ItemNumber {
        guard !word.isEmpty else { throw CommandError("the item is missing; write its number, as in \(example)") }
        guard let number = ItemNumber(word) else {
            throw CommandError("\"\(word.shortened)\" is not the number of an item; write it as in \(example)")
        }
        return number
    }

    /// The text of `help`.
    static let summary = """
        add Pack           add an item at the end
        add 2.1: Pack      add an item below 2.1, as the last one
        rename 2.1 Pack    change the title of an item
        done 2.1           tick an item and all items below it; undone 2.1 removes the ticks
        move 2.1 before 1  move an item and all items below it; also after 1, into 1
        delete 2.1         delete an item and all items below it
        undo, redo         undo the last change; redo it
        begin              start a transaction: its edits are one change
        commit             end the transaction and apply its edits
        rollback           end the transaction and discard its edits
        show               print the outline; show 2.1 prints a part
        patch on           print each change also as a JSON Patch; patch off stops this
        save               write the file immediately
        help               print this list
        quit               quit; the end of the input does the same
        # text             a comment
        """
}
