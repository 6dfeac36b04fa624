// Lists that can be edited and searched, and the phases of scenes, with SwiftUI's documented signatures.

import Foundation

@MainActor @preconcurrency
public protocol DynamicViewContent<Data>: View {
    associatedtype Data: Collection
    var data: Data { get }
}

extension ForEach: DynamicViewContent {}

struct Editable<Rows: DynamicViewContent>: DynamicViewContent, Primitive {
    nonisolated(unsafe) let rows: Rows
    nonisolated(unsafe) var delete: ((IndexSet) -> Void)?
    nonisolated(unsafe) var move: ((IndexSet, Int) -> Void)?

    nonisolated init(_ rows: Rows, delete: ((IndexSet) -> Void)? = nil, move: ((IndexSet, Int) -> Void)? = nil) {
        self.rows = rows
        self.delete = delete
        self.move = move
    }

    var data: Rows.Data { rows.data }
    var contents: Contents { Contents(children: [("rows", rows)], delete: delete, move: move) }
}

extension DynamicViewContent {
    nonisolated public func onDelete(perform action: ((IndexSet) -> Void)?) -> some DynamicViewContent {
        Editable(self, delete: action)
    }

    nonisolated public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some DynamicViewContent {
        Editable(self, move: action)
    }
}

struct Searchable<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    let text: Binding<String>

    nonisolated init(content: Content, text: Binding<String>) {
        self.content = content
        self.text = text
    }

    var contents: Contents {
        Contents(
            line: "Search: \(text.wrappedValue)", children: [("content", content)],
            field: ("Search", { [text] in text.wrappedValue = $0 }))
    }
}

public struct Section<Content: View>: View, Primitive {
    let title: String
    let content: Content

    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.title = String(title)
        self.content = content()
    }

    var contents: Contents { Contents(line: title, children: [("content", content)]) }
}

struct Alerting<Content: View, Inside: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    nonisolated(unsafe) let alert: (title: String, inside: Inside)
    let isPresented: Binding<Bool>

    nonisolated init(content: Content, alert: (title: String, inside: Inside), isPresented: Binding<Bool>) {
        self.content = content
        self.alert = alert
        self.isPresented = isPresented
    }

    var contents: Contents {
        guard isPresented.wrappedValue else { return Contents(children: [("content", content)]) }
        return Contents(children: [("content", content), ("title", Text(alert.title)), ("alert", alert.inside)])
    }
}

struct Disabled<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    let isDisabled: Bool

    nonisolated init(content: Content, isDisabled: Bool) {
        self.content = content
        self.isDisabled = isDisabled
    }

    var contents: Contents { Contents(children: [("content", content)], isDisabled: isDisabled) }
}

extension View {
    // SwiftUI's function has more parameters, with defaults.
    nonisolated public func searchable(text: Binding<String>) -> some View { Searchable(content: self, text: text) }

    nonisolated public func alert<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        Alerting(
            content: self, alert: (String(title), TupleView((message(), actions()))), isPresented: isPresented)
    }

    nonisolated public func disabled(_ disabled: Bool) -> some View {
        Disabled(content: self, isDisabled: disabled)
    }
}

// MARK: - Scenes

public enum ScenePhase: Comparable {
    case background, inactive, active
}

private enum ScenePhaseKey: EnvironmentKey {
    static var defaultValue: ScenePhase { .active }
}

extension EnvironmentValues {
    public var scenePhase: ScenePhase {
        get { self[ScenePhaseKey.self] }
        set { self[ScenePhaseKey.self] = newValue }
    }
}
