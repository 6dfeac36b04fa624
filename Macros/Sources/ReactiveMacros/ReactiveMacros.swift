// The declarations of the macros. Their implementations are in ReactiveMacrosPlugin.

@_exported import Reactive

/// Observes every stored `var` of a class, a struct or an actor.
///
/// ```swift
/// @Model
/// final class Order {
///     var price = 5
///     var count = 2
///     @Cached var total: Int { price * count }
/// }
/// ```
///
/// Each stored `var` becomes `@Observed var`, the property wrapper of `Reactive`. So `$price` is a binding, property
/// observers run, and initialisers assign as usual. These stay as they are:
///
/// - `let`, `static var` and computed properties.
/// - Properties marked ``Unobserved()``, `@ObservationIgnored` or `@Observed`.
/// - A `lazy var` that creates a `Computed`, a `ThrowingComputed` or a `History`.
///
/// A stored `var` that no property wrapper can observe is an error with a fix: `lazy`, `weak`, `unowned`, tuple
/// patterns, several variables in one declaration, and variables with a different property wrapper.
///
/// SwiftData has a macro of the same name. In a file that imports both, write `@ReactiveMacros.Model`.
@attached(member)
@attached(memberAttribute)
public macro Model() = #externalMacro(module: "ReactiveMacrosPlugin", type: "ModelMacro")

/// Excludes a stored property of a ``Model()`` from observation.
///
/// The property is not changed. Reading it does not subscribe, and writing it notifies no observers.
@attached(peer)
public macro Unobserved() = #externalMacro(module: "ReactiveMacrosPlugin", type: "UnobservedMacro")

/// Caches a computed property of a ``Model()`` class or actor until something that it read changes.
///
/// ```swift
/// @Cached var total: Int { price * count }
/// ```
///
/// The property reads a `Computed` of its owner. That is created when the property is first read, and does not keep the
/// owner alive. The getter runs only if something that it read has changed. If the new result equals the previous one,
/// nothing downstream runs.
///
/// - The getter consists of one expression; the property has an explicit type and no setter. All other forms are errors
///   with fixes.
/// - The property may be `private`, `public`, `open` or `override`. A getter may read `super`.
/// - The getter runs in the isolation of the property, on the reader's thread, with the graph locked. In an actor, or
///   in a class on the main actor, it is evaluated on that actor.
/// - It must not read itself, directly or indirectly: that stops the program with the names of the cycle.
@attached(
    peer, names: prefixed(_), prefixed(_compute_), prefixed(_cached_), prefixed(_Cached_))
public macro Cached() = #externalMacro(module: "ReactiveMacrosPlugin", type: "CachedMacro")

/// The cached value in a getter. Public only for the compiler.
@freestanding(expression)
public macro _cachedValue<Value>(_ property: String) -> Value =
    #externalMacro(module: "ReactiveMacrosPlugin", type: "CachedValueMacro")
