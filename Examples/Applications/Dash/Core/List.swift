// A list of rows with state of their own: `hookScope(id:)` keeps the state with the row when the row moves.

import ReactiveHooks
import TerminalHost

/// A list of rows that can be added, moved and deleted.
func list() -> View {
    // The list has only the numbers of the rows. The count of a row is state of that row.
    let numbers = useState([1, 2, 3])
    let selection = useState(0)
    let newest = useRef(3)

    func select(_ index: Int) {
        selection.wrappedValue = min(max(index, 0), max(numbers.wrappedValue.count - 1, 0))
    }
    func move(by distance: Int) {
        let (from, to) = (selection.wrappedValue, selection.wrappedValue + distance)
        guard numbers.wrappedValue.indices.contains(from), numbers.wrappedValue.indices.contains(to) else { return }
        inTransaction {
            numbers.wrappedValue.swapAt(from, to)
            select(to)
        }
    }

    return scroll(to: selection.wrappedValue) {
        if numbers.wrappedValue.isEmpty { text("(empty)", .dim) }
        for (index, number) in numbers.wrappedValue.enumerated() {
            hookScope(id: number) { listRow(number, isSelected: index == selection.wrappedValue) }
        }
    }.onKey { key in
        switch key {
        case .up: select(selection.wrappedValue - 1)
        case .down: select(selection.wrappedValue + 1)
        case .character("K"): move(by: -1)
        case .character("J"): move(by: 1)
        case .character("a"):
            newest.current += 1
            inTransaction {
                numbers.wrappedValue.append(newest.current)
                select(numbers.wrappedValue.count - 1)
            }
        case .character("d"):
            guard numbers.wrappedValue.indices.contains(selection.wrappedValue) else { return true }
            inTransaction {
                numbers.wrappedValue.remove(at: selection.wrappedValue)
                select(selection.wrappedValue)
            }
        default: return false
        }
        return true
    }
}

/// A row that counts the presses of the space bar while it is selected.
private func listRow(_ number: Int, isSelected: Bool) -> View {
    let count = useState(0)
    return row(spacing: 1) {
        text(isSelected ? "▸" : " ")
        text("row \(number)", isSelected ? .bold : .plain)
        text("×\(count.wrappedValue)", .color(.green))
    }.onKey { key in
        guard isSelected, key == .character(" ") else { return false }
        count.wrappedValue += 1
        return true
    }
}
