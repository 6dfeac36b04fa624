// A scope inside a body: hooks with slots of their own, for lists and conditions.

#if canImport(SwiftUI)
import SwiftUI
#endif

/// Runs `body` in a scope of its own inside the current one. The hooks in it have their own slots.
///
/// It allows hooks in loops and conditions:
///
/// ```swift
/// let list = HookRenderer {
///     todos.value.map { todo in
///         hookScope(id: todo) {
///             let number = useState { numbers.next() }
///             return "\(number.wrappedValue) \(todo)"
///         }
///     }
/// } onRender: { print($0.joined(separator: ", ")) }  // prints "1 milk, 2 bread"
/// todos.value = ["bread", "milk", "eggs"]  // prints "2 bread, 1 milk, 3 eggs"
/// ```
///
/// A scope with an id keeps its state wherever in the enclosing scope it is rendered. A scope without an id is
/// identified by the number of such scopes before it. A complete render of the enclosing scope disposes of the scopes
/// that it has not called.
///
/// **A scope with an id renders by itself.** If only this scope has read a changed value, only its `body` runs again: a
/// change of one row among 10,000 costs one body. If the new output differs from the previous one (it is neither equal
/// nor made of the same objects), the bodies around it run once more to take in the output. These bodies may pass the
/// output to scopes that they call afterwards at other source locations. So these scopes run again, too. Scopes of the
/// same source location, such as the other rows of a list, keep their outputs. So rows must not use one another's
/// outputs. Share state or a ``Context`` instead.
///
/// Without SwiftUI, `HookScope(id:)` is the same function; in SwiftUI, `HookScope` is a view.
///
/// - Parameters:
///   - id: Identifies the scope in the enclosing scope. Must be unique there: equal ids are reported as misuse.
///   - fileID: The file of the call, which identifies the list that the scope belongs to.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Called immediately, and again when a value that it has read changes. Kept until the next render of the
///     enclosing scope.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`. The enclosing scope continues, and the slots that `body` has used so far are kept.
@discardableResult @inlinable
public func hookScope<ID: Hashable, Output, E: Error>(
    id: ID, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: @escaping () throws(E) -> Output
) throws(E) -> Output {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside("HookScope")
        return try body()
    }
    return try scope.renderKeyed(id: id, at: ScopeSite(fileID, line, column), body)
}

/// Runs `body` in a scope of its own inside the current one, which its position identifies; see
/// ``hookScope(id:fileID:line:column:_:)``.
///
/// - Parameter body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult @inlinable
public func hookScope<Output, E: Error>(_ body: () throws(E) -> Output) throws(E) -> Output {
    guard let scope = HookInstance.unretainedCurrent else {
        HooksRules.reportOutside("HookScope")
        return try body()
    }
    return try HookInstance.render(scope._withUnsafeGuaranteedRef { $0.plainChild() }, body)
}

/// Runs `body` in a scope of its own with a different value in the environment.
///
/// - Parameters:
///   - keyPath: The key path of the value.
///   - value: The value that ``useEnvironment(_:)`` finds there.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult @inlinable
public func withEnvironment<Value, Output, E: Error>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try renderChild("withEnvironment", .environment, changing: { $0[keyPath: keyPath] = value }, body)
}

/// Runs `body` in a scope of its own in which a changed order of hooks is not reported. The recovery is the same.
///
/// - Parameters:
///   - isDisabled: Whether to silence the report.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult @inlinable
public func disableHooksRulesAssertion<Output, E: Error>(
    _ isDisabled: Bool = true, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try withEnvironment(\.hooksRulesAssertionDisabled, isDisabled, body)
}

/// Renders a child of the current scope. If there is no current scope, `name` is the name of the child in the message.
@inlinable
func renderChild<Output, E: Error>(
    _ name: @autoclosure () -> String, _ kind: ScopeKind, changing: (inout EnvironmentValues) -> Void,
    _ body: () throws(E) -> Output
) throws(E) -> Output {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside(name())
        return try body()
    }
    var environment = scope.environment
    changing(&environment)
    return try scope.child(kind).render(in: environment, body)
}

#if !canImport(SwiftUI)
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own inside the current one: ``hookScope(id:fileID:line:column:_:)`` under the name of
/// SwiftUI's view.
///
/// - Parameters:
///   - id: Identifies the scope in the enclosing scope. Must be unique there.
///   - fileID: The file of the call, which identifies the list that the scope belongs to.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Called immediately, and again when a value that it has read changes. Kept until the next render of the
///     enclosing scope.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult @inlinable
public func HookScope<ID: Hashable, Output, E: Error>(
    id: ID, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: @escaping () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(id: id, fileID: fileID, line: line, column: column, body)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own inside the current one: ``hookScope(_:)`` under the name of SwiftUI's view.
///
/// - Parameter body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult @inlinable
public func HookScope<Output, E: Error>(
    _ body: () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(body)
}
#endif
