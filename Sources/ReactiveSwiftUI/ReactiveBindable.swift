// Bindings to the properties of a model: `$model.name`.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

/// A wrapper of a model, with bindings to the model's properties.
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
/// `$draft.title` is SwiftUI's `Binding`. If a model is no property of the view, wrap it in the body:
///
/// ```swift
/// TextField("Title", text: ReactiveBindable(draft).title)
/// ```
///
/// SwiftUI's `Bindable` does the same for models that conform to Apple's `Observable` protocol. This one takes any
/// class, on all systems that the package supports.
///
/// - The wrapper keeps the model alive and observes nothing by itself. Creating a binding reads the property, so the
///   view or observer whose body does this follows the property.
/// - A write through a binding is an ordinary write of the property: it notifies observers, is part of the transaction
///   around it, and is recorded by `History`.
/// - Bindings to parts of a property, such as `$draft.address.city`, read the property, change the part and write the
///   property.
/// - The wrapper and its bindings belong to the isolation of the model. A key path to a property of a `@MainActor`
///   class can be written on the main actor only.
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

    /// Creates a wrapper from the projected value of another wrapper.
    ///
    /// - Parameter projectedValue: The wrapper to copy.
    public init(projectedValue: ReactiveBindable) { self = projectedValue }

    /// A binding to a property of the model.
    ///
    /// - Parameter keyPath: The property. It is accessed where the binding is used. The binding keeps the model alive.
    /// - Returns: A binding that reads and writes the property.
    /// - Complexity: O(1).
    public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Model, Value>) -> SwiftUI.Binding<Value> {
        // SwiftUI's binding takes sendable closures. They are called where the binding is used, which is the isolation
        // of the model.
        nonisolated(unsafe) let (model, keyPath) = (wrappedValue, keyPath)
        // A control reads the binding in an update of its own. So the body that creates the control has to follow the
        // property.
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
