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
/// With an id, a scope keeps its state wherever in the enclosing scope it is rendered; without one it is told apart by how many such scopes came before it. A scope
/// that a complete render of the enclosing one does not come to is disposed of.
///
/// Where there is no SwiftUI, `HookScope(id:)` is the same function; in SwiftUI, `HookScope` is a view.
///
/// - Parameters:
///   - id: What the scope is known by among those in the enclosing scope.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws. The enclosing scope goes on; what the body has kept so far is kept.
@discardableResult
public func hookScope<Output, E: Error>(
    id: some Hashable, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try renderChild("HookScope", id: AnyHashable(id), changing: { _ in }, body)
}

/// Runs `body` in a scope of its own inside the current one, told apart by its position; see ``hookScope(id:_:)``.
///
/// - Parameter body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func hookScope<Output, E: Error>(_ body: () throws(E) -> Output) throws(E) -> Output {
    try renderChild("HookScope", id: nil, changing: { _ in }, body)
}

/// Runs `body` in a scope of its own in which an environment value is another one.
///
/// - Parameters:
///   - keyPath: Which value.
///   - value: What ``useEnvironment(_:)`` finds there.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func withEnvironment<Value, Output, E: Error>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try renderChild("withEnvironment", id: nil, changing: { $0[keyPath: keyPath] = value }, body)
}

/// Runs `body` in a scope of its own in which a changed order of hooks is not reported, though recovered from all the same.
///
/// - Parameters:
///   - isDisabled: Whether to keep silent.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func disableHooksRulesAssertion<Output, E: Error>(
    _ isDisabled: Bool = true, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try withEnvironment(\.hooksRulesAssertionDisabled, isDisabled, body)
}

/// Renders a child of the current scope; `name` is what a message about a missing one calls it.
func renderChild<Output, E: Error>(
    _ name: String, id: AnyHashable?, changing: (inout EnvironmentValues) -> Void, _ body: () throws(E) -> Output
) throws(E) -> Output {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside(name)
        return try body()
    }
    var environment = scope.environment
    changing(&environment)
    return try scope.child(id: id).render(in: environment, body)
}

#if !canImport(SwiftUI)
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own inside the current one: what ``hookScope(id:_:)`` does, spelled as SwiftUI's view.
///
/// - Parameters:
///   - id: What the scope is known by among those in the enclosing scope.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func HookScope<Output, E: Error>(
    id: some Hashable, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(id: id, body)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own inside the current one: what ``hookScope(_:)`` does, spelled as SwiftUI's view.
///
/// - Parameter body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func HookScope<Output, E: Error>(
    _ body: () throws(E) -> Output
) throws(E) -> Output {
    try hookScope(body)
}
#endif
