// `renderToString`: a component as HTML, in a single pass and without effects.

#if canImport(SwiftUI)
import SwiftUI
#endif

/// Renders a component once, and returns its HTML: for a server.
///
/// ```swift
/// func page(user: String) -> HTML {
///     let greeting = useState("Hello")
///     useEffect { fatalError("not on a server") }
///     return "<h1>\(greeting.wrappedValue), \(user)!</h1>"
/// }
/// print(renderToString { page(user: "<Ann>") })  // prints "<h1>Hello, &lt;Ann&gt;!</h1>"
/// ```
///
/// It takes one pass with a manual scheduler. Effects and layout effects do not run. Asynchronous hooks are `.running`
/// and start nothing. State that is set in the render is not rendered.
///
/// - Parameters:
///   - body: Renders, with hooks. Called once.
///   - environment: Sets the values that `useEnvironment` and `useContext` find. Called immediately.
/// - Returns: The markup.
public func renderToString(
    _ body: @escaping () -> HTML, environment: (inout EnvironmentValues) -> Void = { _ in }
) -> String {
    var values = EnvironmentValues()
    environment(&values)
    return HookTree(isRenderedOnce: true).renderOnly(in: values, body).markup
}
