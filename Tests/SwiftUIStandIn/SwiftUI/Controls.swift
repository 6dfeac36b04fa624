// Controls, lists, modifiers and previews, with SwiftUI's documented signatures.

public struct TextField<Label: View>: View, Primitive {
    let title: String
    let text: Binding<String>

    var contents: Contents {
        Contents(line: "\(title): \(text.wrappedValue)", field: (title, { [text] in text.wrappedValue = $0 }))
    }
}

extension TextField where Label == Text {
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(title: String(title), text: text)
    }
}

public struct Toggle<Label: View>: View, Primitive {
    let title: String
    let isOn: Binding<Bool>

    var contents: Contents {
        Contents(
            line: "\(title): \(isOn.wrappedValue ? "on" : "off")",
            field: (title, { [isOn] in isOn.wrappedValue = $0 == "on" }))
    }
}

extension Toggle where Label == Text {
    nonisolated public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        self.init(title: String(title), isOn: isOn)
    }
}

public struct Stepper<Label: View>: View, Primitive {
    let title: String
    let value: Binding<Int>

    var contents: Contents {
        Contents(
            line: "\(title): \(value.wrappedValue)",
            field: (title, { [value] in value.wrappedValue = Int($0) ?? value.wrappedValue }))
    }
}

extension Stepper where Label == Text {
    nonisolated public init<S: StringProtocol>(_ title: S, value: Binding<Int>) {
        self.init(title: String(title), value: value)
    }
}

public struct List<Content: View>: View, Primitive {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    var contents: Contents { Contents(children: [("content", content)]) }
}

public struct Form<Content: View>: View, Primitive {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    var contents: Contents { Contents(children: [("content", content)]) }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

extension ForEach {
    public init<C>(_ data: Binding<C>, @ViewBuilder content: @escaping (Binding<C.Element>) -> Content)
    where
        Data == LazyMapSequence<C.Indices, (C.Index, ID)>, ID == C.Element.ID, C: MutableCollection,
        C: RandomAccessCollection, C.Element: Identifiable, C.Index: Hashable
    {
        let elements = data.wrappedValue
        self.init(elements.indices.lazy.map { ($0, elements[$0].id) }, id: \.1) { content(data[$0.0]) }
    }
}

// MARK: - Modifiers

struct ChangeWatching<Content: View, V: Equatable>: View, Primitive {
    nonisolated(unsafe) let content: Content
    nonisolated(unsafe) let value: V
    let initial: Bool
    nonisolated(unsafe) let action: (V, V) -> Void

    var contents: Contents {
        Contents(
            children: [("content", content)],
            watch: { previous in
                let before = previous as? V
                let isDue = before.map { $0 != value } ?? initial
                return (value, isDue ? { action(before ?? value, value) } : nil)
            })
    }
}

extension View {
    nonisolated public func onChange<V>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View where V: Equatable {
        ChangeWatching(content: self, value: value, initial: initial, action: action)
    }

    nonisolated public func onChange<V>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View where V: Equatable {
        ChangeWatching(content: self, value: value, initial: initial, action: { _, _ in action() })
    }
}

// MARK: - Previews

@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
