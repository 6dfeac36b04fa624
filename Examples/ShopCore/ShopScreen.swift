// The shop on the screen: the same nodes as in a session, used by hooks. Each part renders again when what it uses has changed.
//
// What needs the catalogue throws until that has been read: the parts that use it then show nothing in its place.

import ReactiveAtomsHooks
import TerminalHost

/// The whole screen.
///
/// - Parameter shop: The shop. Its catalogue is read now, if it was not.
package func shopScreen(_ shop: Shop) -> View {
    recoilRoot(shop.store) { page(shop) }
}

private func page(_ shop: Shop) -> View {
    let screen = useScreen()
    let selection = useState(0)
    let isFinding = useState(false)
    let message = useState("")

    let nodes = shop.nodes
    let shown = (try? useRecoilThrowingValue(nodes.shown)) ?? []
    let summary = (try? useRecoilThrowingValue(nodes.summary)) ?? ""
    let filter = useRecoilValue(nodes.filter)
    let index = max(0, min(selection.wrappedValue, shown.count - 1))

    /// Makes a change, or says why it cannot be made.
    func attempt(_ change: () throws -> Void) {
        do { try change() } catch { message.wrappedValue = "\(error)" }
    }
    func withSelected(_ change: (String) throws -> Void) {
        guard shown.indices.contains(index) else { return message.wrappedValue = "no product is selected" }
        attempt { try change(shown[index].code) }
    }

    /// The categories in turn, and then all of them.
    let nextCategory = useRecoilCallback { context in
        let names = context.accessor.getOrNil(nodes.categories) ?? []
        let next = (filter.category.flatMap { names.firstIndex(of: $0) } ?? -1) + 1
        attempt { try shop.filter { $0.category = next < names.count ? names[next] : nil } }
    }

    let isSmall = screen.size.columns < 72
    return column {
        row {
            text(" Shop", .reversed)
            spacer(.reversed)
            text("\(summary) ", .reversed)
        }
        row {
            hookScope(id: "products") { productList(shop, shown, index) }.flexible()
            if !isSmall { hookScope(id: "cart") { cartList(shop) }.frame(width: 34) }
        }.flexible()
        row {
            if isFinding.wrappedValue {
                text([("find ", .bold), (filter.text, .plain), (" ", .reversed)])
            } else {
                let notice = message.wrappedValue.isEmpty ? shop.problems.last ?? "" : message.wrappedValue
                text(notice, .color(.yellow))
            }
        }
        text([
            ("↑↓ + - x drop  ", .bold), ("/ find  c category  s stock  a all  ", .dim),
            (shop.canUndo ? "u undo  " : "", .dim), (shop.canRedo ? "U redo  " : "", .dim), ("r reload  q quit", .dim),
        ])
    }.onKey { key in
        message.wrappedValue = ""
        if isFinding.wrappedValue {
            switch key {
            case .enter, .escape: isFinding.wrappedValue = false
            case .backspace: attempt { try shop.filter { _ = $0.text.popLast() } }
            case .character(let character): attempt { try shop.filter { $0.text.append(character) } }
            default: return false
            }
            return true
        }
        switch key {
        case .up: selection.wrappedValue = max(0, index - 1)
        case .down: selection.wrappedValue = index + 1
        case .pageUp: selection.wrappedValue = max(0, index - 10)
        case .pageDown: selection.wrappedValue = index + 10
        case .character("+"): withSelected { try shop.add(1, of: $0) }
        case .character("-"): withSelected { try shop.remove(1, of: $0) }
        case .character("x"): withSelected { try shop.remove(of: $0) }
        case .character("/"): isFinding.wrappedValue = true
        case .character("c"): nextCategory()
        case .character("s"): attempt { try shop.filter { $0.isInStock.toggle() } }
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

/// The products that are shown, and whatever there is to say about their file.
private func productList(_ shop: Shop, _ shown: [Product], _ selected: Int) -> View {
    let file = useRecoilValueLoadable(shop.nodes.file)
    let filter = useRecoilValue(shop.nodes.filter).description
    return box("\(shown.count.of("product"))\(filter.isEmpty ? "" : ": \(filter.onOneLine)")", isHeavy: true) {
        if let error = file.errors.first {
            paragraph("\(error)", .color(.red))
            text("Press r to try again.")
        } else if file.isLoading, file.latestData == nil {
            text("reading the catalogue", .dim)
        }
        let problems = file.latestData?.problems ?? []
        if let problem = problems.first { paragraph(problem, .color(.yellow)) }
        if problems.count > 1 { text("and \((problems.count - 1).of("other row"))", .color(.yellow)) }
        scroll(to: selected) {
            for (index, product) in shown.enumerated() {
                hookScope(id: product.code) { productRow(shop, product, isSelected: index == selected) }
            }
        }.flexible()
    }
}

private func productRow(_ shop: Shop, _ product: Product, isSelected: Bool) -> View {
    let pieces = useRecoilValue(shop.nodes.pieces(product.code))
    let style: Style = isSelected ? .bold : product.stock == 0 ? .dim : .plain
    return text("\(isSelected ? "▸" : " ") \(product.columns(pieces: pieces))", style)
}

private func cartList(_ shop: Shop) -> View {
    let badge = useRecoilValue(shop.nodes.badge)
    return box(badge.isEmpty ? "Cart" : "Cart (\(badge))") {
        for line in useRecoilValue(shop.nodes.lines) {
            text("\(line)", line.problem == nil ? .plain : .color(.yellow))
        }
        spacer()
    }
}
