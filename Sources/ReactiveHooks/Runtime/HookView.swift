// A component as a type.

#if !canImport(SwiftUI)
/// A component: a value that renders, with hooks, in a scope of its own.
///
/// ```swift
/// struct Counter: HookView {
///     var title: String
///
///     var hookBody: String {
///         let count = useState(1)
///         return "\(title): \(count.wrappedValue)"
///     }
/// }
/// ```
///
/// In SwiftUI it is a view.
public protocol HookView {
    /// The type of the output.
    associatedtype HookBody

    /// The output. Called with hooks and tracked, each time the enclosing scope renders.
    var hookBody: HookBody { get }
}

extension HookView {
    /// Renders the component in a scope of its own inside the current one.
    ///
    /// The type of the component, and the number of components of that type before it, identify the scope.
    @inlinable
    public var body: HookBody {
        renderChild("\(Self.self)", .view(Self.self), changing: { _ in }) { hookBody }
    }
}
#endif
