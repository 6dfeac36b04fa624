// The commands in lines of input.

import Conversation

/// A command.
enum Command: Equatable {
    case edit(Edit)
    case undo, redo
    case list, cart, categories
    case reload
    case help, quit

    /// A command that changes the state.
    enum Edit: Equatable {
        case add(String, Int)
        case remove(String, Int)
        case set(String, Int)
        case drop(String)
        case empty
        case spend(String, Money)
        case budget(Money?)
        case left(Money)
        case find(String)
        case category(String?)
        case under(Money?)
        case stock
        case sort(ProductOrder)
        case all
    }

    /// Parses a line.
    ///
    /// - Returns: The command; `nil` for an empty line or a comment, which begins with `#`.
    /// - Throws: `CommandError` if the line is not a command.
    static func read(_ line: String) throws(CommandError) -> Command? {
        guard let line = InputLine(line) else { return nil }
        if let command = try line.command(among: wordsAlone) { return command }
        let (word, argument) = (line.word, line.argument)
        switch word {
        case "add":
            let (code, pieces) = try codeAndPieces(word, argument, isOptional: true)
            return .edit(.add(code, pieces))
        case "remove":
            let (code, pieces) = try codeAndPieces(word, argument, isOptional: true)
            return .edit(.remove(code, pieces))
        case "set":
            let (code, pieces) = try codeAndPieces(word, argument, isOptional: false)
            return .edit(.set(code, pieces))
        case "spend":
            let (code, amount) = argument.firstWord
            return .edit(.spend(try self.code(code, "spend TEA-01 20.00"), try money(amount, "spend TEA-01 20.00")))
        case "drop": return .edit(.drop(try code(argument, "drop TEA-01")))
        case "budget":
            return .edit(.budget(argument == "none" ? nil : try money(argument, "budget 50.00, or budget none")))
        case "left": return .edit(.left(try money(argument, "left 10.00")))
        case "find": return .edit(.find(argument))
        case "category": return .edit(.category(argument.isEmpty ? nil : argument))
        case "under": return .edit(.under(argument.isEmpty ? nil : try money(argument, "under 10.00")))
        case "sort":
            guard let order = argument.isEmpty ? .catalogue : ProductOrder(rawValue: argument.lowercased()) else {
                throw CommandError("sort by what? Write sort name, sort price or sort stock")
            }
            return .edit(.sort(order))
        default: throw CommandError("there is no command \"\(line.text.shortened)\"; help lists them")
        }
    }

    private static let wordsAlone: [String: Command] = [
        "empty": .edit(.empty), "stock": .edit(.stock), "all": .edit(.all), "list": .list, "cart": .cart,
        "categories": .categories, "undo": .undo, "redo": .redo, "reload": .reload, "help": .help, "?": .help,
        "quit": .quit, "exit": .quit,
    ]

    // MARK: - Arguments

    private static func codeAndPieces(
        _ word: String, _ argument: String, isOptional: Bool
    ) throws(CommandError) -> (String, Int) {
        let example = "\(word) TEA-01 3"
        let (first, rest) = argument.firstWord
        let code = try code(first, example)
        if rest.isEmpty, isOptional { return (code, 1) }
        guard let pieces = Int(rest), Cart.possiblePieces ~= pieces || (pieces == 0 && word == "set") else {
            let range = "\(word == "set" ? 0 : 1) to \(Cart.possiblePieces.upperBound)"
            throw CommandError("how many pieces? Write a number from \(range), as in \(example)")
        }
        return (code, pieces)
    }

    private static func code(_ text: String, _ example: String) throws(CommandError) -> String {
        guard !text.isEmpty, text.firstWord.rest.isEmpty else {
            throw CommandError("which product? Write its code, as in \(example)")
        }
        return text.uppercased()
    }

    private static func money(_ text: String, _ example: String) throws(CommandError) -> Money {
        guard let money = Money(text) else { throw .noAmount(example) }
        return money
    }

    /// The text of `help`.
    static let summary = """
        list                print the products that are shown
        find TEXT           show those with a text in the name or code; find alone: all
        category NAME       show a category; category alone: all; categories prints them
        under 10.00         show what costs no more; under alone: whatever the price
        stock               show what is in stock; again: also what is not
        sort ORDER          sort by name, price or stock; sort alone: as in the catalogue
        all                 show all
        add TEA-01 3        put pieces into the cart; without a number, one
        remove TEA-01 3     take pieces out of the cart; without a number, one
        set TEA-01 3        have this many pieces in the cart
        drop TEA-01         take all pieces out
        spend TEA-01 20.00  have as many pieces as that pays for
        empty               take everything out
        budget 50.00        set a budget, to see what is left; budget none removes it
        left 10.00          make the budget such that this is left
        cart                print the cart
        undo, redo          undo the last change; make it again
        reload              read the catalogue again
        help                this list
        quit                end (as does the end of the input)
        # text              a comment
        """
}

extension CommandError {
    static func noAmount(_ example: String) -> CommandError {
        CommandError("how much? Write an amount from 0.00 to \(Money.largest), as in \(example)")
    }
}
