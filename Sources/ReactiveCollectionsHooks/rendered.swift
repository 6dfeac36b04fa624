// `rendered`: a list of the outputs that a body with hooks renders for each element.

import Reactive
import ReactiveCollections
import ReactiveHooks

#if canImport(SwiftUI)
import SwiftUI
#endif

extension LiveArray {
    /// Returns a view of the outputs that a body with hooks renders for each element.
    ///
    /// ```swift
    /// let fragments = files.live.sorted(by: \.name).rendered { file in
    ///     let isOpen = useState(false)
    ///     return Fragment(file.name, isOpen.wrappedValue) { isOpen.wrappedValue.toggle() }
    /// }
    /// reaction(to: fragments) { changes in page.apply(changes) }
    /// ```
    ///
    /// - Each row renders separately, with hooks of its own. A change of an observable that one row has read runs one
    ///   body.
    /// - A row that moves keeps its state and does not render. A row that leaves is unmounted: its clean-ups run.
    /// - A different element at the same position is a new row. If elements are values with ids, render the ids
    ///   instead, or an ``ReactiveCollections/ObservableArray``; rows then keep their state.
    /// - The view is lazy: rows are rendered when it is first read or observed, and unmounted when it is next updated.
    ///   When it is released, all rows are unmounted.
    /// - Create it once. In a body with hooks: `useMemo(.once) { files.live.rendered { … } }`.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - environment: Sets the values that `useEnvironment` and `useContext` return. Runs for each new row.
    ///     Rows do not inherit from the body that created the view.
    ///   - body: Renders an element. Tracked; its effects run outside the library's lock. Kept alive by the view.
    /// - Returns: The view of the outputs. An equal output does not count as a change.
    /// - Complexity: O(log N) plus one run of a body for each change.
    public func rendered<Output>(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        environment: @escaping (inout EnvironmentValues) -> Void = { _ in }, _ body: @escaping (Element) -> Output
    ) -> LiveArray<Output> {
        renderedRows(isolation: isolation, fileID: fileID, line: line, environment: environment) { element in
            { body(element) }
        }
    }

    /// - Parameter makeBody: Returns the body of a new row.
    func renderedRows<Output>(
        isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
        environment: @escaping (inout EnvironmentValues) -> Void, _ makeBody: @escaping (Element) -> () -> Output
    ) -> LiveArray<Output> {
        map(named: "rendered rows", isolation: isolation, fileID: fileID, line: line) { element in
            // Dependencies of the row are not dependencies of the view.
            untracked {
                RenderedRow(
                    isolation: isolation, fileID: fileID, line: line, environment: environment, makeBody(element))
            }
        }
        .map(equals: .automatic, isolation: isolation, fileID: fileID, line: line) { $0.output }
    }
}

extension ObservableArray where Element: Identifiable {
    /// Returns a view of the outputs that a body with hooks renders for each element. If an element with the same id is
    /// assigned, its row renders again and keeps its state.
    ///
    /// ```swift
    /// let lines = todos.rendered { todo in
    ///     let isOpen = useState(false)
    ///     return "\(todo.title)\(isOpen.wrappedValue ? ": " + todo.notes : "")"
    /// }
    /// todos[id: 7]?.title = "Milk"  // renders one row
    /// ```
    ///
    /// For elements that are filtered or sorted first, render their ids and look the elements up:
    /// `todos.live.sorted(by: \.due).map(\.id).rendered { id in … todos[id: id] … }`.
    ///
    /// For the other guarantees and the parameters, see
    /// ``ReactiveCollections/LiveArray/rendered(isolation:fileID:line:environment:_:)``.
    ///
    /// - Precondition: The array was not created with a key path to different ids.
    /// - Complexity: O(log N) plus one run of a body for each change.
    public func rendered<Output>(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        environment: @escaping (inout EnvironmentValues) -> Void = { _ in }, _ body: @escaping (Element) -> Output
    ) -> LiveArray<Output> {
        ids(fileID: fileID, line: line).renderedRows(
            isolation: isolation, fileID: fileID, line: line, environment: environment, rowBodies(body))
    }

    // Not isolated, because closures that belong to an actor must not capture the conformance of the elements.

    private func ids(fileID: StaticString, line: UInt) -> LiveArray<Element.ID> {
        live.map(isolation: nil, fileID: fileID, line: line) { $0.id }
    }

    private func rowBodies<Output>(_ body: @escaping (Element) -> Output) -> (Element.ID) -> () -> Output {
        { id in
            let element = ElementOfRow(id, of: self)
            return { body(element.value) }
        }
    }
}

/// The element with an id. After its removal the object keeps the last value: the row is about to be unmounted and must
/// not render again.
private final class ElementOfRow<Element: Identifiable> {
    private final class Held {
        let element: Element

        init(_ element: Element) { self.element = element }
    }

    private let newest: Computed<Held>

    init(_ id: Element.ID, of array: ObservableArray<Element>) {
        var last: Held?
        newest = Computed(equals: .identity, isolation: nil) {
            if let element = array[id: id] { last = Held(element) }
            guard let last else { preconditionFailure("internal inconsistency: a new row has no element") }
            return last
        }
    }

    /// The element. Tracked.
    var value: Element { newest.value.element }
}
