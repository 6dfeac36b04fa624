// The part of SwiftUI's views that the adapters and their tests use, with SwiftUI's documented signatures.

@_exported import Combine
import Foundation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

/// A view that the stand-in shows directly.
@MainActor
protocol Primitive {
    var contents: Contents { get }
}

/// The contents of a primitive view.
@MainActor
struct Contents {
    var line: String?
    var children: [(name: String, view: any View)] = []
    var action: (@MainActor () -> Void)?
    var changeEnvironment: (inout EnvironmentValues) -> Void = { _ in }
    /// The children have ids.
    var isList = false
    /// The action of a text field, by its title.
    var field: (title: String, set: @MainActor (String) -> Void)?
    /// Compares a value with that of the last update, and returns it with the actions for the end of this update.
    var watch: ((_ previous: Any?) -> (value: Any, action: (() -> Void)?))?
    /// The actions of an editable list.
    var delete: ((IndexSet) -> Void)?
    var move: ((IndexSet, Int) -> Void)?
    /// Whether the buttons and fields inside ignore the user.
    var isDisabled = false
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
    var contents: Contents { Contents() }
}

public struct TupleView<T>: View, Primitive {
    nonisolated(unsafe) public let value: T
    nonisolated public init(_ value: T) { self.value = value }
    var contents: Contents {
        let views = Mirror(reflecting: value).children.map(\.value)
        return Contents(
            children: views.enumerated().compactMap { index, view in (view as? any View).map { ("\(index)", $0) } })
    }
}

public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View, Primitive {
    enum Storage {
        case first(TrueContent)
        case second(FalseContent)
    }
    let storage: Storage
    nonisolated init(storage: Storage) { self.storage = storage }
    var contents: Contents {
        switch storage {
        case .first(let view): Contents(children: [("first", view)])
        case .second(let view): Contents(children: [("second", view)])
        }
    }
}

extension Optional: View, Primitive where Wrapped: View {
    public typealias Body = Never
    var contents: Contents { Contents(children: map { [("some", $0)] } ?? []) }
}

public struct Text: View, Primitive {
    let content: String
    nonisolated public init<S: StringProtocol>(_ content: S) { self.content = String(content) }
    var contents: Contents { Contents(line: content) }
}

public struct Button<Label: View>: View, Primitive {
    let action: @MainActor () -> Void
    let label: Label

    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    var contents: Contents { Contents(children: [("label", label)], action: action) }
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
    var contents: Contents { Contents(children: [("content", content)]) }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Primitive {
    public let data: Data
    let id: KeyPath<Data.Element, ID>
    let content: (Data.Element) -> Content

    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        self.data = data
        self.id = id
        self.content = content
    }

    var contents: Contents {
        Contents(children: data.map { ("\($0[keyPath: id])", content($0)) }, isList: true)
    }
}

struct Identified<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    let id: String
    nonisolated init(content: Content, id: String) {
        self.content = content
        self.id = id
    }
    var contents: Contents { Contents(children: [(id, content)]) }
}

struct InEnvironment<Content: View>: View, Primitive {
    nonisolated(unsafe) let content: Content
    nonisolated(unsafe) let change: (inout EnvironmentValues) -> Void
    nonisolated init(content: Content, _ change: @escaping (inout EnvironmentValues) -> Void) {
        self.content = content
        self.change = change
    }
    var contents: Contents { Contents(children: [("content", content)], changeEnvironment: change) }
}

extension View {
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { Identified(content: self, id: "\(id)") }

    nonisolated public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        InEnvironment(content: self) { $0[keyPath: keyPath] = value }
    }
}
