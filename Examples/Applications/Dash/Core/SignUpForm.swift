// A form. Actions make all changes of its state, in one function without hooks that `useReducer` runs.

import ReactiveHooks
import TerminalHost

/// A form that validates a name and a mail address.
package struct SignUp: Equatable {
    package enum Field: Int, CaseIterable, Hashable {
        case name, mail

        var title: String {
            switch self {
            case .name: "name"
            case .mail: "mail"
            }
        }
    }

    package enum Action: Equatable {
        case type(Character)
        case erase
        case move(Int)
        case submit
    }

    package var texts: [Field: String] = [.name: "", .mail: ""]
    package var problems: [Field: String] = [:]
    package var current = Field.name
    /// The last person who has signed up.
    package var member: String?

    package init(member: String? = nil) { self.member = member }

    /// Returns the state after an action.
    package static func reduce(_ state: SignUp, _ action: Action) -> SignUp {
        var state = state
        switch action {
        case .type(let character): state.edit { $0.append(character) }
        case .erase: state.edit { if !$0.isEmpty { $0.removeLast() } }
        case .move(let distance):
            state.current = Field(rawValue: state.current.rawValue + distance) ?? state.current
        case .submit: state.submit()
        }
        return state
    }

    private mutating func edit(_ change: (inout String) -> Void) {
        change(&texts[current]!)
        problems[current] = nil
        member = nil
    }

    private mutating func submit() {
        problems = [:]
        for field in Field.allCases { problems[field] = Self.problem(with: texts[field]!, in: field) }
        if let first = Field.allCases.first(where: { problems[$0] != nil }) {
            current = first
        } else {
            self = SignUp(member: "\(texts[.name]!) <\(texts[.mail]!)>")
        }
    }

    private static func problem(with text: String, in field: Field) -> String? {
        switch field {
        case .name: return text.allSatisfy(\.isWhitespace) ? "enter a name" : nil
        case .mail:
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            let isAddress = parts.count == 2 && !parts.contains("") && !text.contains(where: \.isWhitespace)
            return isAddress ? nil : "enter an address like ann@example.org"
        }
    }
}

/// A form that receives all characters while it has the focus.
func signUpForm(isFocused: Bool, onLeave: @escaping () -> Void) -> View {
    let (form, dispatch) = useReducer(SignUp.reduce, initialState: SignUp())

    let view = column {
        for field in SignUp.Field.allCases {
            let isCurrent = isFocused && form.current == field
            row(spacing: 1) {
                text(field.title, .dim)
                text([(form.texts[field]!, .plain), (isCurrent ? " " : "", .reversed)])
            }
            text(form.problems[field].map { "  \($0)" } ?? "", .color(.red))
        }
        text(form.member.map { "Welcome, \($0)!" } ?? "", .color(.green))
    }
    guard isFocused else { return view }
    return view.onKey { key in
        switch key {
        case .character(let character): dispatch(.type(character))
        case .backspace: dispatch(.erase)
        case .up: dispatch(.move(-1))
        case .down: dispatch(.move(1))
        case .enter: dispatch(.submit)
        case .escape: onLeave()
        default: return false
        }
        return true
    }
}
