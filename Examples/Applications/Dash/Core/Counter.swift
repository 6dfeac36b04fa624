// A counter with `useState`. `useValueChanged` gives the previous value.

import ReactiveHooks
import TerminalHost

/// A number that keys change.
func counter() -> View {
    let count = useState(0)
    let previous = useState(Int?.none)
    useValueChanged(count.wrappedValue) { old, _ in previous.wrappedValue = old }

    return row(spacing: 2) {
        text("\(count.wrappedValue)", .bold)
        if let previous = previous.wrappedValue { text("was \(previous)", .dim) }
    }.onKey { key in
        switch key {
        case .character("+"): count.wrappedValue += 1
        case .character("-"): count.wrappedValue -= 1
        case .character("0"): count.wrappedValue = 0
        default: return false
        }
        return true
    }
}
