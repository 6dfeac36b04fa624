// The shop on the screen: the same nodes as in a session, read while rendering. A render is tracked, so what it reads makes it render again.

import ReactiveAtoms
import ReactiveHooks
import TerminalHost

/// The whole screen.
///
/// - Parameters:
///   - shop: The shop. Its catalogue is read now, if it was not.
///   - onEnd: Called when the screen ends.
package func shopScreen(_ shop: Shop, onEnd: @escaping () -> Void = {}) -> View {
    let screen = useScreen()
    let selection = useState(0)
    let isFinding = useState(false)
    let message = useState("")
    useEffect(.once) { onEnd }

    let (store, nodes) = (shop.store, shop.nodes)
    let shown = store.getOrNil(nodes.shown) ?? []
    let index = max(0, min(selection.wrappedValue, shown.count - 1))

    /// Makes a change, or says why it cannot be made.
    func attempt(_ change: () throws -> Void) {
        do { try change() } catch { message.wrappedValue = "\(error)" }
    }
    func withSelected(_ change: (String) throws -> Void) {
        guard shown.indices.contains(index) else { return message.wrappedValue = "no product is selected" }
        attempt { try change(shown[index].code) }
    }

    let isSmall = screen.size.columns < 72
    return column {
        row {
            text(" Shop", .reversed)
            spacer(.reversed)
            text("\(store.getOrNil(nodes.summary) ?? "") ", .reversed)
        }
        row {
            hookScope(id: "products") { productList(shop, shown, index) }.flexible()
            if !isSmall { hookScope(id: "cart") { cartList(shop) }.frame(width: 34) }
        }.flexible()
        row {
            if isFinding.wrappedValue {
                text([("find ", .bold), (store.getOrNil(nodes.filter)?.text ?? "", .plain), (" ", .reversed)])
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
        case .character("c"): attempt { try nextCategory(shop) }
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

/// The categories in turn, and then all of them.
private func nextCategory(_ shop: Shop) throws(ShopError) {
    let names = shop.store.getOrNil(shop.nodes.categories) ?? []
    let index = shop.store.getOrNil(shop.nodes.filter)?.category.flatMap { names.firstIndex(of: $0) } ?? -1
    try shop.filter { $0.category = index + 1 < names.count ? names[index + 1] : nil }
}

/// The products that are shown, and whatever there is to say about their file.
private func productList(_ shop: Shop, _ shown: [Product], _ selected: Int) -> View {
    let (store, nodes) = (shop.store, shop.nodes)
    let file = store.loadable(nodes.file)
    let filter = store.getOrNil(nodes.filter)?.description ?? ""
    return box("\(shown.count.of("product"))\(filter.isEmpty ? "" : ": \(filter.onOneLine)")", isHeavy: true) {
        if let error = file.errors.first {
            paragraph("\(error)", .color(.red))
            text("Press r to try again.")
        } else if file.isLoading, file.latestData == nil {
            text("reading the catalogue", .dim)
        }
        if let problem = file.latestData?.problems.first {
            let rest = (file.latestData?.problems.count ?? 1) - 1
            paragraph(rest == 0 ? problem : "\(problem) (and \(rest.of("other row")))", .color(.yellow))
        }
        scroll(to: selected) {
            for (index, product) in shown.enumerated() {
                hookScope(id: product.code) { productRow(shop, product, isSelected: index == selected) }
            }
        }.flexible()
    }
}

private func productRow(_ shop: Shop, _ product: Product, isSelected: Bool) -> View {
    let pieces = shop.store.getOrNil(shop.nodes.pieces(product.code)) ?? 0
    let style: Style = isSelected ? .bold : product.stock == 0 ? .dim : .plain
    return text("\(isSelected ? "▸" : " ") \(product.columns(pieces: pieces))", style)
}

private func cartList(_ shop: Shop) -> View {
    let (store, nodes) = (shop.store, shop.nodes)
    let badge = store.getOrNil(nodes.badge) ?? ""
    return box(badge.isEmpty ? "Cart" : "Cart (\(badge))") {
        for line in store.getOrNil(nodes.lines) ?? [] {
            text("\(line)", line.problem == nil ? .plain : .color(.yellow))
        }
        spacer()
    }
}
