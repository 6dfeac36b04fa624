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
                throw CommandError("sort needs name, price or stock, as in sort price")
            }
            return .edit(.sort(order))
        default: throw CommandError("unknown command \"\(line.text.shortened)\"; help lists the commands")
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
            throw CommandError("\(word) needs a number of pieces from \(range), as in \(example)")
        }
        return (code, pieces)
    }

    private static func code(_ text: String, _ example: String) throws(CommandError) -> String {
        guard !text.isEmpty, text.firstWord.rest.isEmpty else {
            throw CommandError("the code of a product is missing; write it as in \(example)")
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
        find TEXT           show products with a text in the name or code; find alone: all
        category NAME       show a category; category alone: all; categories prints them
        under 10.00         show products up to this price; under alone: at any price
        stock               show only products in stock; again: all
        sort ORDER          sort by name, price, stock; sort alone: as in the catalogue
        all                 show all products
        add TEA-01 3        add pieces to the cart; without a number, one
        remove TEA-01 3     remove pieces from the cart; without a number, one
        set TEA-01 3        set the number of pieces in the cart
        drop TEA-01         remove all pieces
        spend TEA-01 20.00  set the number of pieces to as many as this amount pays for
        empty               empty the cart
        budget 50.00        set a budget; budget none removes it
        left 10.00          set the budget so that this amount is left
        cart                print the cart
        undo, redo          undo the last change; redo it
        reload              read the catalogue again
        help                print this list
        quit                quit; the end of the input does the same
        # text              a comment
        """
}

extension CommandError {
    static func noAmount(_ example: String) -> CommandError {
        CommandError("write an amount from 0.00 to \(Money.largest), as in \(example)")
    }
}
