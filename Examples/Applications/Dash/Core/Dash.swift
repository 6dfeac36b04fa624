// The whole screen: five panels, the focus, and the settings.

import ReactiveHooks
import TerminalHost

/// The settings of the program.
public struct DashSettings {
    /// The file to read.
    public var path: String
    /// Called after each slice of the file, to make reading slow enough to watch.
    public var pause: @Sendable () async throws -> Void
    /// Called when reading the file has ended, with or without success, after the render that shows the result.
    public var onLoaded: (_ isSuccess: Bool) -> Void

    /// Creates settings.
    public init(
        path: String, pause: @escaping @Sendable () async throws -> Void = {},
        onLoaded: @escaping (_ isSuccess: Bool) -> Void = { _ in }
    ) {
        self.path = path
        self.pause = pause
        self.onLoaded = onLoaded
    }
}

/// The panels, in the order of the focus.
enum Panel: Int, CaseIterable {
    case counter, list, stopwatch, file, form

    var title: String {
        switch self {
        case .counter: "1 Counter"
        case .list: "2 List"
        case .stopwatch: "3 Stopwatch"
        case .file: "4 File"
        case .form: "5 Form"
        }
    }

    var keys: String {
        switch self {
        case .counter: "+ - 0"
        case .list: "a add  d delete  ↑↓ select  J K move  space count"
        case .stopwatch: "s start/stop  z zero"
        case .file: "r read again"
        case .form: "type  ↑↓ field  enter sign up  esc leave"
        }
    }

    /// The panel `distance` positions after this one, cyclically.
    func advanced(by distance: Int) -> Panel {
        let count = Self.allCases.count
        return Self.allCases[(rawValue + distance + count) % count]
    }
}

/// The whole screen.
///
/// All panels are always rendered, so that each keeps its state and its effects. A screen that is too small for five
/// shows only the panel with the focus.
public func dash(_ settings: DashSettings) -> View {
    let screen = useScreen()
    let focus = useState(Panel.counter)

    func panel(_ panel: Panel, _ content: @escaping (_ isFocused: Bool) -> View) -> View {
        let isFocused = focus.wrappedValue == panel
        return hookScope(id: panel) {
            box(panel.title, style: isFocused ? .color(.cyan).bold : .dim, isHeavy: isFocused) { content(isFocused) }
        }
    }
    let panels: [Panel: View] = [
        .counter: panel(.counter) { _ in counter() },
        .list: panel(.list) { _ in list() },
        .stopwatch: panel(.stopwatch) { _ in stopwatch() },
        .file: panel(.file) { _ in file(settings) },
        .form: panel(.form) { signUpForm(isFocused: $0) { focus.wrappedValue = .counter } },
    ]

    let isSmall = screen.size.columns < 60 || screen.size.rows < 20
    return column {
        title()
        if isSmall {
            panels[focus.wrappedValue]!.flexible()
        } else {
            row {
                column {
                    panels[.counter]!
                    panels[.list]!.flexible()
                }.flexible()
                column {
                    panels[.stopwatch]!
                    panels[.file]!.flexible()
                    panels[.form]!
                }.flexible()
            }.flexible()
        }
        text([("\(focus.wrappedValue.keys)  ", .bold), ("tab 1–5 panel  q quit", .dim)])
    }.onKey { key in
        switch key {
        case .tab: focus.wrappedValue = focus.wrappedValue.advanced(by: 1)
        case .backTab: focus.wrappedValue = focus.wrappedValue.advanced(by: -1)
        case .character("q"): screen.quit()
        case .character(let digit):
            guard let number = digit.wholeNumberValue, let panel = Panel(rawValue: number - 1) else { return false }
            focus.wrappedValue = panel
        default: return false
        }
        return true
    }
}

private func title() -> View {
    row {
        text(" Dash: hooks on a terminal", .reversed)
        spacer(.reversed)
    }
}
