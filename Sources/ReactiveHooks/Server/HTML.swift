// Text that is markup already, so that what is not can be escaped.

/// A piece of HTML. What is interpolated into it is escaped, unless it is HTML itself.
///
/// ```swift
/// let name = "<Ann & Bob>"
/// let greeting: HTML = "<p title=\"\(name)\">Hello, \(name)!</p>"
/// print(greeting)
/// // prints:
/// // <p title="&lt;Ann &amp; Bob&gt;">Hello, &lt;Ann &amp; Bob&gt;!</p>
/// ```
///
/// Escaping serves text between tags and attribute values in quotes. It does not make text safe inside `<script>` or `<style>`, nor a stranger's address safe in `href`.
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    public let markup: String

    /// Takes text for markup as it is. Never pass what a user has entered.
    public init(markup: String) { self.markup = markup }

    /// Creates the markup that shows `text`.
    public init(text: some StringProtocol) {
        var markup = ""
        markup.reserveCapacity(text.utf8.count)
        // By scalars: a combining mark behind a `<` must not hide it.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            default: markup.unicodeScalars.append(scalar)
            }
        }
        self.markup = markup
    }

    /// Creates markup from a literal.
    public init(stringLiteral markup: String) { self.init(markup: markup) }

    /// Creates markup from a literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { self.init(markup: stringInterpolation.markup) }

    /// The markup.
    public var description: String { markup }

    /// One piece behind the other.
    public static func + (a: HTML, b: HTML) -> HTML { HTML(markup: a.markup + b.markup) }

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        var markup = ""

        /// Creates an empty one.
        public init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Adds a piece of the literal.
        public mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Adds HTML.
        public mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Adds pieces of HTML, one behind the other.
        public mutating func appendInterpolation(_ pieces: some Sequence<HTML>) {
            for piece in pieces { markup += piece.markup }
        }

        /// Adds text, escaped.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            markup += HTML(text: String(describing: value)).markup
        }
    }
}

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
/// One pass with a manual scheduler: effects do not run, layout effects neither, asynchronous hooks are `.running` and start nothing, and state that is set in the render is not rendered.
///
/// - Parameters:
///   - body: Renders, with hooks. Runs once.
///   - environment: Sets up what `useEnvironment` and `useContext` find. Runs at once.
/// - Returns: The markup.
public func renderToString(
    _ body: @escaping () -> HTML, environment: (inout EnvironmentValues) -> Void = { _ in }
) -> String {
    let renderer = HookRenderer(scheduler: .manual, body) {
        environment(&$0)
        $0.isRenderedOnce = true
    }
    defer { renderer.unmount() }
    return renderer.render().markup
}

// MARK: - No effects

private enum RenderedOnceKey: EnvironmentKey {
    static var defaultValue: Bool { false }
}

extension EnvironmentValues {
    /// Whether the render is the only one, so that nothing is to be begun in it.
    var isRenderedOnce: Bool {
        get { self[RenderedOnceKey.self] }
        set { self[RenderedOnceKey.self] = newValue }
    }
}
