// Contexts: values for everything that renders inside a scope, identified by their type.

#if canImport(SwiftUI)
import SwiftUI
#endif

/// A value that a scope provides to the scopes inside it, identified by its type.
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
/// The nearest provider counts. Without SwiftUI, `Provider(value:)` and `Consumer` are functions that do the same as
/// ``provide(_:_:)`` and ``consume(_:)``; in SwiftUI they are views.
public enum Context<Value>: EnvironmentKey {
    /// `nil`: there is no value without a provider.
    public static var defaultValue: Value? { nil }

    /// Runs `body` in a scope of its own in which this context has a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - body: Called immediately.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    @discardableResult
    public static func provide<Output, E: Error>(
        _ value: Value, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        try renderChild(
            "\(Self.self).Provider", .provider(Self.self), changing: { $0[Self.self] = value }, body)
    }

    /// Runs `body` in a scope of its own with this context's value.
    ///
    /// - Parameter body: Receives the value. Called immediately.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    /// - Precondition: A provider around the call provides a value.
    @discardableResult
    public static func consume<Output, E: Error>(_ body: (Value) throws(E) -> Output) throws(E) -> Output {
        try renderChild("\(Self.self).Consumer", .consumer(Self.self), changing: { _ in }) {
            () throws(E) -> Output in try body(useContext(Self.self))
        }
    }

    #if !canImport(SwiftUI)
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Runs `body` in a scope of its own in which this context has a value: ``provide(_:_:)`` under the name of
    /// SwiftUI's view.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - body: Called immediately.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    @discardableResult
    public static func Provider<Output, E: Error>(
        value: Value, _ body: () throws(E) -> Output
    ) throws(E) -> Output {
        try provide(value, body)
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Runs `body` in a scope of its own with this context's value: ``consume(_:)`` under the name of SwiftUI's view.
    ///
    /// - Parameter body: Receives the value. Called immediately.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    @discardableResult
    public static func Consumer<Output, E: Error>(
        _ body: (Value) throws(E) -> Output
    ) throws(E) -> Output {
        try consume(body)
    }
    #endif
}

/// Returns the value of a context. Uses no slot: it may be called conditionally.
///
/// - Parameter context: The context.
/// - Returns: The value of the nearest provider around the call.
/// - Precondition: There is a provider around the call; see ``useContextIfPresent(_:)``.
public func useContext<Value>(_ context: Context<Value>.Type) -> Value {
    guard let value = useContextIfPresent(context) else {
        fatalError(
            """
            useContext finds no value of \(context). Call it inside \(context).Provider(value:), set \
            environment[\(context).self], or call useContextIfPresent.
            """)
    }
    return value
}

/// Returns the value of a context, if there is a provider. Uses no slot: it may be called conditionally.
///
/// - Parameter context: The context.
/// - Returns: The value of the nearest provider around the call, or `nil`.
public func useContextIfPresent<Value>(_ context: Context<Value>.Type) -> Value? {
    guard let scope = HookInstance.current else {
        HooksRules.reportOutside("useContext")
        return nil
    }
    return scope.environment[context]
}
