// What the adapters and their tests use of SwiftUI's views, with SwiftUI's documented signatures.

@_exported import Combine

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

/// A view that the stand-in draws itself.
@MainActor
protocol Primitive {
    func draw(on screen: Screen)
}

extension Never: View {
    public var body: Never { fatalError("A primitive view has no body.") }
}

extension View where Body == Never {
    public var body: Never { fatalError("A primitive view has no body.") }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView((repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { .init(storage: .first(first)) }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { .init(storage: .second(second)) }
}

public struct EmptyView: View, Primitive {
    nonisolated public init() {}
    func draw(on screen: Screen) {}
}

public struct TupleView<T>: View, Primitive {
    nonisolated(unsafe) public let value: T
    nonisolated public init(_ value: T) { self.value = value }
    func draw(on screen: Screen) {
        for (index, child) in Mirror(reflecting: value).children.enumerated() {
            if let view = child.value as? any View { screen.draw(view, as: "\(index)") }
        }
    }
}

public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View, Primitive {
    enum Storage {
        case first(TrueContent)
        case second(FalseContent)
    }
    let storage: Storage
    nonisolated init(storage: Storage) { self.storage = storage }
    func draw(on screen: Screen) {
        switch storage {
        case .first(let view): screen.draw(view, as: "first")
        case .second(let view): screen.draw(view, as: "second")
        }
    }
}

extension Optional: View, Primitive where Wrapped: View {
    public typealias Body = Never
    func draw(on screen: Screen) {
        if let self { screen.draw(self, as: "some") }
    }
}

public struct Text: View, Primitive {
    let content: String
    public init<S: StringProtocol>(_ content: S) { self.content = String(content) }
    func draw(on screen: Screen) { screen.print(content) }
}

public struct Button<Label: View>: View, Primitive {
    let action: @MainActor () -> Void
    let label: Label

    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    func draw(on screen: Screen) {
        screen.button(action)
        screen.draw(label, as: "label")
    }
}

extension Button where Label == Text {
    @preconcurrency
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

public struct VStack<Content: View>: View, Primitive {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func draw(on screen: Screen) { screen.draw(content, as: "content") }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Primitive {
    let data: Data
    let id: KeyPath<Data.Element, ID>
    let content: (Data.Element) -> Content

    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        self.data = data
        self.id = id
        self.content = content
    }

    func draw(on screen: Screen) {
        for element in data { screen.draw(content(element), as: "\(element[keyPath: id])") }
    }
}

struct Identified<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    let id: String
    nonisolated init(content: Content, id: String) {
        self.content = content
        self.id = id
    }
    func draw(on screen: Screen) { screen.draw(content, as: id) }
}

struct InEnvironment<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    nonisolated(unsafe) let change: (inout EnvironmentValues) -> Void
    nonisolated init(content: Content, _ change: @escaping (inout EnvironmentValues) -> Void) {
        self.content = content
        self.change = change
    }
    func draw(on screen: Screen) {
        let enclosing = screen.environment
        change(&screen.environment)
        screen.draw(content, as: "content")
        screen.environment = enclosing
    }
}

extension View {
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { Identified(content: self, id: "\(id)") }

    nonisolated public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        InEnvironment(content: self) { $0[keyPath: keyPath] = value }
    }
}
