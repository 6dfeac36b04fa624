// Contexts: values for everything that renders inside, known by their type.

/// A value that a scope hands down, found by its type.
///
/// ```swift
/// typealias UserContext = Context<String>
///
/// let page = HookRenderer {
///     UserContext.provide("Ann") {
///         UserContext.consume { user in "Hello, \(user)!" }
///     }
/// }
/// print(page.output)  // prints "Hello, Ann!"
/// ```
///
/// The nearest provider around wins. Where there is no SwiftUI, `Provider(value:)` and `Consumer` are functions that do the same as
/// ``provide(_:_:)`` and ``consume(_:)``; in SwiftUI they are views.
public enum Context<Value>: EnvironmentKey {
    /// No value: nobody provides one.
    public static var defaultValue: Value? { nil }

    /// Runs `body` in a scope of its own in which this context has a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - body: Runs at once.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public static func provide<Output, E: Error>(
        _ value: Value, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        try renderChild(
            "\(Self.self).Provider", .provider(Self.self), changing: { $0[Self.self] = value }, body)
    }

    /// Runs `body` in a scope of its own with this context's value.
    ///
    /// - Parameter body: Gets the value. Runs at once.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    /// - Precondition: Somebody around provides a value.
    @discardableResult
    public static func consume<Output, E: Error>(_ body: (Value) throws(E) -> Output) throws(E) -> Output {
        try renderChild("\(Self.self).Consumer", .consumer(Self.self), changing: { _ in }) {
            () throws(E) -> Output in try body(useContext(Self.self))
        }
    }

    #if !canImport(SwiftUI)
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Runs `body` in a scope of its own in which this context has a value: what ``provide(_:_:)`` does, spelled as SwiftUI's view.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - body: Runs at once.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public static func Provider<Output, E: Error>(
        value: Value, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        try provide(value, body)
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Runs `body` in a scope of its own with this context's value: what ``consume(_:)`` does, spelled as SwiftUI's view.
    ///
    /// - Parameter body: Gets the value. Runs at once.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public static func Consumer<Output, E: Error>(
        _ body: (Value) throws(E) -> Output
    ) throws(E) -> Output {
        try consume(body)
    }
    #endif
}

/// Finds the value of a context. Takes no slot: it may be called conditionally.
///
/// - Parameter context: The context.
/// - Returns: The value of the nearest provider around.
/// - Precondition: There is a provider around; see ``useContextIfPresent(_:)``.
public func useContext<Value>(_ context: Context<Value>.Type) -> Value {
    guard let value = useContextIfPresent(context) else {
        fatalError(
            """
            No value of \(context) is provided here. Render what calls useContext inside \(context).Provider(value:), set \
            environment[\(context).self], or call useContextIfPresent.
            """)
    }
    return value
}

/// Finds the value of a context, if somebody provides one. Takes no slot: it may be called conditionally.
///
/// - Parameter context: The context.
/// - Returns: The value of the nearest provider around, or `nil`.
public func useContextIfPresent<Value>(_ context: Context<Value>.Type) -> Value? {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside("useContext")
        return nil
    }
    return scope.environment[context]
}
