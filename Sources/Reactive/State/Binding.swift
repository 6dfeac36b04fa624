// A reference to a value that is stored elsewhere, with access to read and write it. SwiftUI's type where SwiftUI
// exists; elsewhere a type with the same interface.

#if canImport(SwiftUI)
import SwiftUI

/// SwiftUI's binding: `$name` of an observable can be passed directly to a SwiftUI control.
public typealias Binding = SwiftUI.Binding
#else
/// A reference to a value that is stored elsewhere, with the interface of SwiftUI's type of the same name.
///
/// `$name` of an ``Observable`` property returns one. Reading it in an observer subscribes the observer, as reading the
/// property does.
///
/// ```swift
/// @Observable var person = Person(name: "Ann")
/// let name: Binding<String> = $person.name
/// name.wrappedValue = "Bob"
/// print(person.name)  // prints "Bob"
/// ```
@frozen @propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    @usableFromInline let location: any BindingLocation<Value>

    /// Creates a binding to a value stored by the library.
    @inlinable
    package init(location: any BindingLocation<Value>) { self.location = location }

    /// Creates a binding from a closure that reads and a closure that writes.
    ///
    /// If the closures were created on an actor, they may run only there: using the binding elsewhere stops the
    /// program.
    ///
    /// - Parameters:
    ///   - get: Returns the value. Called on each read, on the reader's thread.
    ///   - set: Stores a value. Called on each write, on the writer's thread.
    public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        var (read, write) = (Isolation.plain(get), Isolation.plain(set))
        if let closureIsolation = get.isolation.map({ ClosureIsolation($0) }) {
            read = { [read] in
                Binding.check(closureIsolation)
                return read()
            }
        }
        if let closureIsolation = set.isolation.map({ ClosureIsolation($0) }) {
            write = { [write] new in
                Binding.check(closureIsolation)
                write(new)
            }
        }
        location = ClosureLocation(get: read, set: write)
    }

    private static func check(_ isolation: ClosureIsolation) {
        guard !isolation.isCurrent else { return }
        fatalError(
            """
            Reactive: a Binding<\(Value.self)> was created on \(Isolation.name(of: isolation.actor)) and is used \
            elsewhere. Use it on that actor, or mark its closures `@Sendable` if they may run anywhere.
            """)
    }

    /// Creates a binding to a value that never changes; writes are ignored.
    public static func constant(_ value: Value) -> Binding {
        nonisolated(unsafe) let value = value
        return Binding(get: { value }, set: { _ in })
    }

    /// The value.
    @inlinable
    public var wrappedValue: Value {
        get { location.read() }
        nonmutating set { location.write(newValue) }
    }

    /// The binding itself, so that `$name` of a property wrapped in a binding is a binding too.
    public var projectedValue: Binding { self }

    /// A binding to a part of the value.
    public subscript<Part>(dynamicMember keyPath: WritableKeyPath<Value, Part>) -> Binding<Part> {
        // A key path is a constant, and `whole` is used only where this binding may be used.
        nonisolated(unsafe) let (whole, keyPath) = (self, keyPath)
        return Binding<Part>(
            get: { whole.wrappedValue[keyPath: keyPath] }, set: { whole.wrappedValue[keyPath: keyPath] = $0 })
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {
    // Sendable as SwiftUI's binding is: bindings to observables may be used on any thread, and closures passed by the
    // user check the actor that they belong to.
}
#endif
