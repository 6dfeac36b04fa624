// Contexts in SwiftUI's environment.

#if canImport(SwiftUI)
import SwiftUI

extension Context {
    /// A view that provides a value of the context to the views inside it.
    public struct Provider<Content: View>: View {
        // Unsafe only for an initializer that runs off the main actor, and then hands the value over with the view.
        // SwiftUI uses the value on the main actor.
        nonisolated(unsafe) private let value: Value
        private let content: @MainActor () -> Content

        /// Creates a provider.
        ///
        /// - Parameters:
        ///   - value: The value that ``useContext(_:)`` returns inside.
        ///   - content: Returns the content, which may call hooks.
        nonisolated public init(value: Value, @ViewBuilder content: @escaping @MainActor () -> Content) {
            self.value = value
            self.content = content
        }

        /// The content.
        public var body: some View { HookScope(content).environment(\.[ContextID<Value>()], value) }
    }

    /// A view that is created from the value of the context.
    public struct Consumer<Content: View>: View {
        private let content: @MainActor (Value) -> Content

        /// Creates a consumer.
        ///
        /// - Parameter content: Receives the value, and returns the content. It may call hooks.
        nonisolated public init(@ViewBuilder content: @escaping @MainActor (Value) -> Content) {
            self.content = content
        }

        /// The content.
        public var body: some View { HookScope { content(useContext(Context.self)) } }
    }
}

/// Identifies the value of a context in a key path.
private struct ContextID<Value>: Hashable {}

extension EnvironmentValues {
    fileprivate subscript<Value>(id: ContextID<Value>) -> Value? {
        get { self[Context<Value>.self] }
        set { self[Context<Value>.self] = newValue }
    }
}
#endif
