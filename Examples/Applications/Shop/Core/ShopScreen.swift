// The shop on the screen: hooks use the same nodes as a session. Each part renders again when nodes that it uses
// change. Text that is too long for a line is wrapped between words.
//
// Selectors that need the catalogue throw until it has been read. Parts that use them show nothing until then.

import Conversation
import ReactiveAtomsHooks
import TerminalHost

/// The whole screen.
///
/// - Parameters:
///   - shop: The shop. Its catalogue is read now if it has not been read yet.
///   - notice: A line to show until the first key.
package func shopScreen(_ shop: Shop, notice: String = "") -> View {
    recoilRoot(shop.store) { page(shop, notice) }
}

private func page(_ shop: Shop, _ firstNotice: String) -> View {
    let screen = useScreen()
    let selection = useState(0)
    let message = useState(firstNotice)
    let question = useState(Question?.none)

    let nodes = shop.nodes
    let shown = (try? useRecoilThrowingValue(nodes.shown)) ?? []
    let summary = (try? useRecoilThrowingValue(nodes.summary)) ?? ""
    let filter = useRecoilValue(nodes.filter)
    let lines = useRecoilValue(nodes.lines)
    let hasLost = lines.contains { $0.product == nil }
    let index = max(0, min(selection.wrappedValue, shown.count - 1))

    /// Runs a change, or shows its error.
    func attempt(_ change: () throws -> Void) {
        do { try change() } catch { message.wrappedValue = "\(error)" }
    }
    func withSelected(_ change: (String) throws -> Void) {
        guard shown.indices.contains(index) else { return message.wrappedValue = "no product is selected" }
        attempt { try change(shown[index].code) }
    }

    /// Each category in turn, then all products.
    let nextCategory = useRecoilCallback { context in
        let names = context.accessor.getOrNil(nodes.categories) ?? []
        let next = (filter.category.flatMap { names.firstIndex(of: $0) } ?? -1) + 1
        attempt { try shop.filter { $0.category = next < names.count ? names[next] : nil } }
    }

    let notice = message.wrappedValue.isEmpty ? shop.problems.last ?? "" : message.wrappedValue
    let (columns, rows) = (screen.size.columns, screen.size.rows)
    // Beside the list if there is room; else below it, as far as a third of the screen.
    let isBeside = columns >= 72
    let isWide = columns >= 110
    let cartWidth = isBeside ? (isWide ? 48 : 26) : 0
    let cartHeight = min(rows / 3, 2 + lines.reduce(0) { $0 + ($1.problem == nil ? 1 : 2) })
    return column {
        titleBar(summary, columns)
        row {
            hookScope(id: "products") { productList(shop, shown, index, width: columns - cartWidth) }.flexible()
            if isBeside { hookScope(id: "cart") { cartList(shop, isWide: isWide) }.frame(width: cartWidth) }
        }.flexible()
        if !isBeside, !lines.isEmpty, cartHeight > 2 {
            hookScope(id: "cart") { cartList(shop, isWide: false) }.frame(height: cartHeight)
        }
        row(spacing: 1) {
            if let question = question.wrappedValue {
                let (name, answer) = question.text(filter)
                text([("\(name) ", .bold), (answer, .plain), (" ", .reversed)])
            }
            paragraph(notice, .color(.yellow)).flexible()
        }
        keyHelp(
            [
                "↑↓ select", "+ add", "- remove", "x drop", hasLost ? "X drop what is not in the catalogue" : nil,
                "b budget", shop.canUndo ? "u undo" : nil, shop.canRedo ? "U redo" : nil, "q quit", "/ find",
                "c category", "s stock", "o order", "a all", "r reload",
            ].compactMap { $0 }, columns: columns, limit: max(1, rows / 3))
    }.onKey { key in
        message.wrappedValue = ""
        if let asked = question.wrappedValue {
            attempt { question.wrappedValue = try asked.next(key, shop) }
            return true
        }
        switch key {
        case .up: selection.wrappedValue = max(0, index - 1)
        case .down: selection.wrappedValue = index + 1
        case .pageUp: selection.wrappedValue = max(0, index - 10)
        case .pageDown: selection.wrappedValue = index + 10
        case .home: selection.wrappedValue = 0
        case .end: selection.wrappedValue = shown.count - 1
        case .character("+"): withSelected { try shop.add(1, of: $0) }
        case .character("-"): withSelected { try shop.remove(1, of: $0) }
        case .character("x"): withSelected { try shop.remove(of: $0) }
        case .character("X"): attempt { try shop.removeLost() }
        case .character("b"): question.wrappedValue = .budget("")
        case .character("/"): question.wrappedValue = .find(hasChanged: false)
        case .character("c"): nextCategory()
        case .character("s"): attempt { try shop.filter { $0.isInStock.toggle() } }
        case .character("o"): attempt { try shop.filter { $0.order = $0.order.next } }
        case .character("a"): attempt { try shop.filter { $0 = ProductFilter() } }
        case .character("u"): attempt { try shop.undo() }
        case .character("U"): attempt { try shop.redo() }
        case .character("r"): shop.reload()
        case .character("q"): screen.quit()
        default: return false
        }
        return true
    }
}

/// The name of the program, and the summary of the cart; only the summary if there is no room for both.
private func titleBar(_ summary: String, _ columns: Int) -> View {
    if summary.count + 8 <= columns {
        return row {
            text(" Shop", .reversed)
            spacer(.reversed)
            text("\(summary) ", .reversed)
        }
    }
    return column {
        for words in grouped(summary.split(separator: " ").map(String.init), gap: 1, columns: columns) {
            text(words.joined(separator: " ").padded(to: columns), .reversed)
        }
    }
}

/// Keys and what they do, in as many lines as they need, but no more than `limit`.
private func keyHelp(_ keys: [String], columns: Int, limit: Int) -> View {
    column {
        for group in grouped(keys, gap: 2, columns: columns).prefix(limit) {
            text(
                group.enumerated().flatMap { index, help in
                    let (key, action) = help.firstWord
                    return [("\(index == 0 ? "" : "  ")\(key)", Style.bold), (" \(action)", .dim)]
                })
        }
    }
}

/// Groups texts into lines: as many in each as fit, or a single longer one.
private func grouped(_ texts: [String], gap: Int, columns: Int) -> [[String]] {
    var lines: [[String]] = []
    var used = 0
    for text in texts {
        if !lines.isEmpty, used + gap + text.count <= columns {
            lines[lines.count - 1].append(text)
            used += gap + text.count
        } else {
            lines.append([text])
            used = text.count
        }
    }
    return lines
}

/// The question that the customer is answering in the line below the lists. It receives all keys.
private enum Question {
    /// The text to find. Each key is a change; undo reverts all of them together.
    case find(hasChanged: Bool)
    /// The budget, as typed so far. An empty text removes the budget.
    case budget(String)

    /// Returns the question and the answer so far.
    func text(_ filter: ProductFilter) -> (name: String, answer: String) {
        switch self {
        case .find: ("find", filter.text)
        case .budget(let answer): ("budget", answer)
        }
    }

    /// Returns the question after a key, with a new answer; `nil` if it is closed.
    func next(_ key: Key, _ shop: Shop) throws -> Question? {
        switch (self, key) {
        case (.find, .enter), (.budget, .escape): return nil
        case (.find(let hasChanged), _):
            let isNew = try shop.filter(joiningLast: hasChanged) { filter in
                switch key {
                case .escape: filter.text = ""
                case .backspace: _ = filter.text.popLast()
                case .character(let character): filter.text.append(character)
                default: break
                }
            }
            return key == .escape ? nil : .find(hasChanged: hasChanged || isNew)
        case (.budget(let answer), .enter):
            guard let amount = Money(answer) else {
                guard answer.isEmpty else { throw CommandError.noAmount("50.00") }
                try shop.setBudget(nil)
                return nil
            }
            try shop.setBudget(amount)
            return nil
        case (.budget(let answer), .backspace): return .budget(String(answer.dropLast()))
        case (.budget(let answer), .character(let character)): return .budget(answer + String(character))
        case (.budget, _): return self
        }
    }
}

/// The shown products and the state of their file.
///
/// - Parameter width: The number of columns, including the frame.
private func productList(_ shop: Shop, _ shown: [Product], _ selected: Int, width: Int) -> View {
    let rows = useScreen().size.rows
    let file = useRecoilValueLoadable(shop.nodes.file)
    let filter = useRecoilValue(shop.nodes.filter).description
    // Rows far from the selected one are not visible, and are not rendered.
    let near = max(0, selected - rows)..<min(shown.count, selected + rows)
    let count = shown.count.of("product")
    let title = filter.isEmpty ? count : "\(count): \(filter.onOneLine)"
    // The frame and the blanks around the title take five columns.
    let fits = title.count + 5 <= width
    let isNarrow = useScreen().size.columns < narrowWidth
    return box(fits ? title : count, isHeavy: true) {
        if !fits, !filter.isEmpty { paragraph(filter.onOneLine, .dim) }
        if let error = file.errors.first {
            paragraph("\(error)", .color(.red))
            paragraph("Press r to try again.")
        } else if file.isLoading, file.latestData == nil {
            paragraph("reading the catalogue", .dim)
        } else if shown.isEmpty {
            paragraph("no product is shown; a shows all", .dim)
        }
        let problems = file.latestData?.problems ?? []
        if let problem = problems.first { paragraph(problem, .color(.yellow)) }
        if problems.count > 1 { text("and \((problems.count - 1).of("other row"))", .color(.yellow)) }
        scroll(to: selected - near.lowerBound) {
            for index in near {
                hookScope(id: shown[index].code) {
                    productRow(shop, shown[index], isSelected: index == selected, isNarrow: isNarrow)
                }
            }
        }.flexible()
    }
}

/// A product in one line, or in two if `isNarrow`. A long name is wrapped.
private func productRow(_ shop: Shop, _ product: Product, isSelected: Bool, isNarrow: Bool) -> View {
    let pieces = useRecoilValue(shop.nodes.pieces(product.code))
    let style: Style = isSelected ? .bold : product.stock == 0 ? .dim : .plain
    return row {
        text(isSelected ? "▸ " : "  ", style)
        if isNarrow {
            column {
                row {
                    text("\(product.code.padded(to: 7)) ", style)
                    paragraph(product.name, style).flexible()
                }
                text(product.figures(pieces: pieces), style)
            }.flexible()
        } else {
            text("\(product.columns(pieces: pieces)) ", style)
            paragraph(product.name, style).flexible()
        }
    }
}

/// The end of the cart that fits.
private func cartList(_ shop: Shop, isWide: Bool) -> View {
    let rows = useScreen().size.rows
    let badge = useRecoilValue(shop.nodes.badge)
    let lines = useRecoilValue(shop.nodes.lines).suffix(rows)
    return box(badge.isEmpty ? "Cart" : "Cart (\(badge))") {
        scroll(to: lines.count - 1) {
            for line in lines {
                let style: Style = line.problem == nil ? .plain : .color(.yellow)
                column {
                    row {
                        text(isWide ? "\(line.columns)  " : line.columns, style)
                        if isWide, let product = line.product { paragraph(product.name, style).flexible() }
                    }
                    if let problem = line.problem { paragraph("    \(problem)", style) }
                }
            }
        }.flexible()
    }
}
