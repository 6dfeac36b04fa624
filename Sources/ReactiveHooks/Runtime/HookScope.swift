// A scope inside a body: hooks with slots of their own, for lists and conditions.

/// Runs `body` in a scope of its own inside the current one: its hooks have their own slots.
///
/// The answer to "no hooks in loops and conditions":
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
/// A scope with an id keeps its state wherever in the enclosing scope it is rendered. Without an id it is told apart by how many such scopes
/// came before it. A complete render of the enclosing scope disposes of the scopes that it does not come to.
///
/// **A scope with an id renders by itself.** A change of what it alone has read runs its `body` again, and no other: one row among 10,000
/// costs one body. If it then returns something else (neither equal nor made of the same objects), the bodies around it run once more
/// to take that in. Scopes that were called elsewhere in these bodies, and later, run again too, because they may use what this one returned.
/// Those of the same call, the other rows, keep their outputs: the rows of a list must not use one another's outputs. Share state or a
/// ``Context`` instead.
///
/// Where there is no SwiftUI, `HookScope(id:)` is the same function; in SwiftUI, `HookScope` is a view.
///
/// - Parameters:
///   - id: What the scope is known by among those in the enclosing scope. Must be unique there: equal ids are reported as misuse.
///   - fileID: The file of the call, which says what belongs to the same list.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs immediately, and again when something that it has read changes. Kept until the next render of the enclosing scope.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws. The enclosing scope continues; what the body has kept so far is kept.
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

/// Runs `body` in a scope of its own inside the current one, told apart by its position; see ``hookScope(id:fileID:line:column:_:)``.
///
/// - Parameter body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func hookScope<Output, E: Error>(_ body: () throws(E) -> Output) throws(E) -> Output {
    guard let scope = HookInstance.unretainedCurrent else {
        HooksRules.reportOutside("HookScope")
        return try body()
    }
    return try HookInstance.render(scope._withUnsafeGuaranteedRef { $0.plainChild() }, body)
}

/// Runs `body` in a scope of its own in which an environment value is another one.
///
/// - Parameters:
///   - keyPath: Which value.
///   - value: What ``useEnvironment(_:)`` finds there.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func withEnvironment<Value, Output, E: Error>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try renderChild("withEnvironment", .environment, changing: { $0[keyPath: keyPath] = value }, body)
}

/// Runs `body` in a scope of its own in which a changed order of hooks is not reported, though recovered from all the same.
///
/// - Parameters:
///   - isDisabled: Whether to keep silent.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func disableHooksRulesAssertion<Output, E: Error>(
    _ isDisabled: Bool = true, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try withEnvironment(\.hooksRulesAssertionDisabled, isDisabled, body)
}

/// Renders a child of the current scope; `name` is what a message about a missing one calls it.
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
/// Runs `body` in a scope of its own inside the current one: what ``hookScope(id:fileID:line:column:_:)`` does, spelled as SwiftUI's view.
///
/// - Parameters:
///   - id: What the scope is known by among those in the enclosing scope. Must be unique there.
///   - fileID: The file of the call, which says what belongs to the same list.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: Runs immediately, and again when something that it has read changes. Kept until the next render of the enclosing scope.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func HookScope<ID: Hashable, Output, E: Error>(
    id: ID, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: @escaping () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(id: id, fileID: fileID, line: line, column: column, body)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own inside the current one: what ``hookScope(_:)`` does, spelled as SwiftUI's view.
///
/// - Parameter body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func HookScope<Output, E: Error>(
    _ body: () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(body)
}
#endif
