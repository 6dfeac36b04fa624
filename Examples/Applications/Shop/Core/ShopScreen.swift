// The shop on the screen: hooks use the same nodes as a session. Each part renders again when nodes that it uses
// change.
//
// Selectors that need the catalogue throw until it has been read. Parts that use them show nothing until then.

import Conversation
import ReactiveAtomsHooks
import TerminalHost

/// The whole screen.
///
/// - Parameter shop: The shop. Its catalogue is read now if it has not been read yet.
package func shopScreen(_ shop: Shop) -> View {
    recoilRoot(shop.store) { page(shop) }
}

private func page(_ shop: Shop) -> View {
    let screen = useScreen()
    let selection = useState(0)
    let message = useState("")
    let question = useState(Question?.none)

    let nodes = shop.nodes
    let shown = (try? useRecoilThrowingValue(nodes.shown)) ?? []
    let summary = (try? useRecoilThrowingValue(nodes.summary)) ?? ""
    let filter = useRecoilValue(nodes.filter)
    let hasLost = useRecoilValue(nodes.lines).contains { $0.product == nil }
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
    return column {
        row {
            text(" Shop", .reversed)
            spacer(.reversed)
            text("\(summary) ", .reversed)
        }
        row {
            hookScope(id: "products") { productList(shop, shown, index) }.flexible()
            if screen.size.columns >= 72 {
                let isWide = screen.size.columns >= 110
                hookScope(id: "cart") { cartList(shop, isWide: isWide) }.frame(width: isWide ? 48 : 26)
            }
        }.flexible()
        row(spacing: 1) {
            if let question = question.wrappedValue {
                let (name, answer) = question.text(filter)
                text([("\(name) ", .bold), (answer, .plain), (" ", .reversed)])
            }
            text(notice, .color(.yellow)).flexible()
        }
        text([
            ("↑↓ + - x drop  b budget  ", .bold),
            (hasLost ? "X drop what is not in the catalogue  " : "", .bold),
            ("\(shop.canUndo ? "u undo  " : "")\(shop.canRedo ? "U redo  " : "")q quit", .dim),
        ])
        text("/ find  c category  s stock  o order  a all  r reload", .dim)
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
private func productList(_ shop: Shop, _ shown: [Product], _ selected: Int) -> View {
    let rows = useScreen().size.rows
    let file = useRecoilValueLoadable(shop.nodes.file)
    let filter = useRecoilValue(shop.nodes.filter).description
    // Rows far from the selected one are not visible, and are not rendered.
    let near = max(0, selected - rows)..<min(shown.count, selected + rows)
    return box("\(shown.count.of("product"))\(filter.isEmpty ? "" : ": \(filter.onOneLine)")", isHeavy: true) {
        if let error = file.errors.first {
            paragraph("\(error)", .color(.red))
            text("Press r to try again.")
        } else if file.isLoading, file.latestData == nil {
            text("reading the catalogue", .dim)
        } else if shown.isEmpty {
            text("no product is shown; a shows all", .dim)
        }
        let problems = file.latestData?.problems ?? []
        if let problem = problems.first { paragraph(problem, .color(.yellow)) }
        if problems.count > 1 { text("and \((problems.count - 1).of("other row"))", .color(.yellow)) }
        scroll(to: selected - near.lowerBound) {
            for index in near {
                hookScope(id: shown[index].code) { productRow(shop, shown[index], isSelected: index == selected) }
            }
        }.flexible()
    }
}

private func productRow(_ shop: Shop, _ product: Product, isSelected: Bool) -> View {
    let pieces = useRecoilValue(shop.nodes.pieces(product.code))
    let style: Style = isSelected ? .bold : product.stock == 0 ? .dim : .plain
    return text("\(isSelected ? "▸" : " ") \(product.columns(pieces: pieces))", style)
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
                    text(isWide ? "\(line.columns)  \(line.product?.name ?? "")" : line.columns, style)
                    if let problem = line.problem { text("    \(problem)", style) }
                }
            }
        }.flexible()
    }
}
