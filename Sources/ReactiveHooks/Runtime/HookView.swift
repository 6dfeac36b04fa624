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
    /// What it renders.
    associatedtype HookBody

    /// Renders, with hooks. Tracked; runs each time the enclosing scope renders.
    var hookBody: HookBody { get }
}

extension HookView {
    /// Renders it in a scope of its own inside the current one.
    ///
    /// It is told apart by its type, and by how many views of that type came before it.
    @inlinable
    public var body: HookBody {
        renderChild("\(Self.self)", .view(Self.self), changing: { _ in }) { hookBody }
    }
}
#endif
