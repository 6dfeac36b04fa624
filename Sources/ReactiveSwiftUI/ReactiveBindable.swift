// Bindings to the properties of a model: `$model.name`.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

/// A model whose properties a view binds controls to.
///
/// ```swift
/// struct DraftView: View {
///     @ReactiveBindable var draft: Draft
///
///     var body: some View {
///         TextField("Title", text: $draft.title)
///         Toggle("Urgent", isOn: $draft.isUrgent)
///     }
/// }
/// ```
///
/// `$draft.title` is SwiftUI's `Binding`. In a body, wrap a model that is no property of the view:
///
/// ```swift
/// TextField("Title", text: ReactiveBindable(draft).title)
/// ```
///
/// SwiftUI's `Bindable` does the same for models that conform to Apple's `Observable` protocol. This one takes any
/// class, on all systems that the package supports.
///
/// - The wrapper keeps the model alive and observes nothing by itself. To take a binding reads the property, so the
///   view or the observer whose body does it follows the property.
/// - A write through a binding is an ordinary write of the property: it notifies observers, is part of the transaction
///   around it, and `History` records it.
/// - Bindings to parts of a property, such as `$draft.address.city`, read the property, change the part and write the
///   property.
/// - The wrapper and its bindings belong where the model does. A key path to a property of a `@MainActor` class can be
///   written on the main actor only.
@propertyWrapper @dynamicMemberLookup
public struct ReactiveBindable<Model: AnyObject> {
    /// The model.
    public var wrappedValue: Model

    /// The wrapper itself, whose members are bindings.
    public var projectedValue: ReactiveBindable { self }

    /// Creates a wrapper for a model.
    ///
    /// - Parameter wrappedValue: The model, which the wrapper keeps alive.
    public init(wrappedValue: Model) {
        self.wrappedValue = wrappedValue
        ViewChanges.prepareSystem()
    }

    /// Creates a wrapper for a model, in a body or a function.
    ///
    /// - Parameter model: The model, which the wrapper keeps alive.
    public init(_ model: Model) { self.init(wrappedValue: model) }

    /// Creates a wrapper from the projected value of a different one.
    ///
    /// - Parameter projectedValue: The wrapper to copy.
    public init(projectedValue: ReactiveBindable) { self = projectedValue }

    /// A binding to a property of the model.
    ///
    /// - Parameter keyPath: The property. The binding uses it where the binding is used, and keeps the model alive.
    /// - Returns: A binding that reads and writes the property.
    /// - Complexity: O(1).
    public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Model, Value>) -> SwiftUI.Binding<Value> {
        // SwiftUI's binding takes sendable closures. They are called where the binding is used, which is where the
        // model belongs.
        nonisolated(unsafe) let (model, keyPath) = (wrappedValue, keyPath)
        // A control reads the binding in an update of its own. The body that creates the control has to follow it.
        _ = model[keyPath: keyPath]
        return SwiftUI.Binding(get: { model[keyPath: keyPath] }, set: { model[keyPath: keyPath] = $0 })
    }
}

extension ReactiveBindable: Identifiable where Model: Identifiable {
    /// The id of the model.
    public var id: Model.ID { wrappedValue.id }
}

extension ReactiveBindable: Sendable where Model: Sendable {}
#endif
